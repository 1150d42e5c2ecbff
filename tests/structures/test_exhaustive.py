"""All short sequences of inserts and evictions, over the free monoid."""

from collections.abc import Iterator

import pytest

from tests.structures.support import ALL, FREE, contents
from windrow.structures import Aggregator

LETTERS = "abcdefghijklmnop"


def reachable(
    window: Aggregator, steps: int, inserted: int, evicted: int, most: int
) -> Iterator[tuple[str, str]]:
    """The expected and the actual contents after every sequence of at most `steps` calls.

    A call inserts the next letter, or evicts 1 to `most` updates.
    """
    yield LETTERS[evicted:inserted], contents(window)
    if not steps:
        return
    here = window.snapshot()
    window.insert(LETTERS[inserted])
    yield from reachable(window, steps - 1, inserted + 1, evicted, most)
    for count in range(1, min(most, inserted - evicted) + 1):
        window.restore(here)
        window.evict(count)
        yield from reachable(window, steps - 1, inserted, evicted + count, most)


@pytest.mark.parametrize(("steps", "most"), [(14, 1), (12, 12)], ids=["one by one", "in bulk"])
@pytest.mark.parametrize("structure", ALL)
def test_all_short_sequences_hold_the_right_updates(
    structure: type[Aggregator], steps: int, most: int
) -> None:
    visited = 0
    for expected, actual in reachable(structure(FREE), steps, 0, 0, most):
        assert actual == expected
        visited += 1
    assert visited > 5_000
