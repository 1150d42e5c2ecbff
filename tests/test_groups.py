"""Tests that share what is dear to make (kernels, servers) run in one process.

The plugin that deals them out marks their ids; with a pytest it does not know it marks nothing, and
every process compiles the kernels of the others.
"""

import pytest


@pytest.mark.xdist_group("groups")
def test_a_group_is_known_to_whoever_deals_out_tests(request: pytest.FixtureRequest) -> None:
    dealt_by_group = request.config.getoption("loadgroup", default=False)
    assert request.node.nodeid.endswith("@groups") == dealt_by_group


def test_the_tests_of_a_file_are_a_group(request: pytest.FixtureRequest) -> None:
    dealt_by_group = request.config.getoption("loadgroup", default=False)
    assert request.node.nodeid.endswith("@tests/test_groups.py") == dealt_by_group
