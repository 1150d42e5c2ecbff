"""Whatever the tree and whoever has the rows, the answers are those of one look at all rows."""

from collections.abc import Iterator
from datetime import datetime
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.edge.queries import (
    AGGREGATES,
    ORIGINS,
    WINDOWS,
    Asked,
    drawn_case,
    users_aggregates,
)
from tests.edge.simulated import Faults, Simulation
from tests.examples import examples
from windrow.testing import check_rows


@pytest.fixture(scope="module", autouse=True)
def _with_users_aggregates() -> Iterator[None]:
    with users_aggregates():
        yield


@pytest.mark.parametrize("aggregates", AGGREGATES)
@pytest.mark.parametrize("kind", WINDOWS)
def test_a_tree_answers_as_one_look_at_all_rows_would(kind: str, aggregates: str) -> None:
    @examples(2)
    @given(
        st.randoms(use_true_random=False),
        st.sampled_from(ORIGINS),
        st.sampled_from(("sensor", "sensor", None)),
    )
    def agree(chance: Random, origin: datetime, by: str | None) -> None:
        asked = Asked(kind, AGGREGATES[aggregates], by)
        case = drawn_case(chance, origin)
        found = Simulation(case.tree, [asked.job], case.arrivals, Faults(), 0).run()
        assert found.late() == 0
        check_rows(found.rows(), asked.expected(case.rows))

    agree()
