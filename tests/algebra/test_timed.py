"""First and last, restated for rows in any order, are what they are of rows in order."""

from functools import reduce
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from windrow import agg
from windrow.algebra.aggregate import Aggregate
from windrow.columnar.states import Summary
from windrow.engines.any_order import timed
from windrow.testing import fold

Row: TypeAlias = tuple[int, int, Any]  # time, arrival number, value

ENDS = [agg.first("v0"), agg.last("v0")]
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "numbers": st.integers(-3, 3),
    "texts": st.text("ab", max_size=2),
}
SCHEMA = pa.schema([("t", pa.int64()), ("n", pa.int64()), ("v0", pa.float64())])


def drawn_rows(values: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Row]]:
    """Rows as they arrive, several of them at one time."""
    drawn = st.lists(st.tuples(st.integers(0, 3), st.none() | values))
    return drawn.map(lambda pairs: [(time, n, value) for n, (time, value) in enumerate(pairs)])


def restated(part: Aggregate[Any]) -> Aggregate[Any]:
    found = timed(part)
    assert found is not None
    assert found.monoid.commutative
    return found


def in_order(end: Aggregate[Any], rows: list[Row]) -> Any:
    """What the aggregate itself gives for the rows in their order."""
    ordered = sorted(rows, key=lambda row: row[:2])
    return fold(end, [{"v0": value} for *_, value in ordered])


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("end", ENDS, ids=repr)
@given(data=st.data())
@examples(100)
def test_the_order_of_values_makes_no_difference(
    end: Aggregate[Any], kind: str, data: st.DataObject
) -> None:
    rows = data.draw(drawn_rows(VALUES[kind]))
    monoid = restated(end).monoid
    states = [monoid.lift_row(*row) for row in data.draw(st.permutations(rows))]
    cut = data.draw(st.integers(0, len(states)))
    one, other = (reduce(monoid.combine, s, monoid.identity) for s in (states[:cut], states[cut:]))
    assert monoid.lower(monoid.combine(one, other)) == in_order(end, rows)


@pytest.mark.usefixtures("interpreted_and_compiled")
@pytest.mark.parametrize("end", ENDS, ids=repr)
@given(data=st.data())
@examples(50)
def test_columns_of_states_are_merged_in_any_order(
    end: Aggregate[Any], data: st.DataObject
) -> None:
    rows = data.draw(drawn_rows(st.floats(-3, 3)))
    shuffled = data.draw(st.permutations(rows))
    table = pa.Table.from_pylist(
        [dict(zip(SCHEMA.names, r, strict=True)) for r in shuffled], SCHEMA
    )
    cuts = data.draw(st.lists(st.integers(0, len(rows)), max_size=3))
    borders = np.array([0, *sorted(cuts), len(rows)])
    summary = Summary(restated(end), "end", SCHEMA, pa.float64())
    states = summary.fold(table, borders)
    [found] = summary.lower(summary.merge(states, np.array([0, len(borders) - 1]))).to_pylist()
    assert found == in_order(end, rows)
