"""The queries that batches and streams are both asked, drawn for one kind of window."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import strategies as st

from tests.spark.support import BUILT_IN, WINDOWS, Asked, aggregates_of, drawn_aggregates
from windrow.algebra.aggregate import Aggregate
from windrow.window import Order
from windrow.windows import Ties, TrailingTime, Tumbling

Aggregates = st.SearchStrategy[dict[str, Aggregate[Any]]]


def on_the_oldest_too(*floor: str) -> list[Any]:
    """All kinds of windows: some on the oldest Spark as well."""
    return [
        pytest.param(kind, marks=[pytest.mark.spark_floor] if kind in floor else [])
        for kind in WINDOWS
    ]


def drawn_query(
    data: st.DataObject, kind: str, aggregates: Aggregates = drawn_aggregates, **choices: Any
) -> Asked:
    """Any aggregates in any window of a kind, with choices as `Asked` takes them."""
    return Asked(data.draw(WINDOWS[kind]), data.draw(aggregates), **choices)


def as_rows_arrive(data: st.DataObject, kind: str) -> Asked:
    """Rows are applied in the order in which they come; none waits for others of its time."""
    asked = drawn_query(data, kind, order=Order.ARRIVAL)
    if isinstance(asked.window, TrailingTime):
        return replace(asked, window=replace(asked.window, ties=Ties.ARRIVAL))
    return asked


def by_strategy(data: st.DataObject, kind: str, strategy: str) -> Asked:
    """Aggregates that every strategy can compute."""
    return drawn_query(data, kind, aggregates_of(BUILT_IN), options={"strategy": strategy})


def by_strategy_on_a_stream(data: st.DataObject, kind: str, strategy: str) -> Asked:
    """The same on a stream, where Spark's own windows begin and end in whole milliseconds."""
    asked = by_strategy(data, kind, strategy)
    grid = asked.window.grid
    if strategy != "native" or grid is None:
        return asked
    size_us, offset_us = (us - us % 1_000 for us in (grid.size_us, grid.offset_us))
    return replace(asked, window=Tumbling(max(size_us, 1_000), offset_us))


def with_or_without_a_key(data: st.DataObject, kind: str, **choices: Any) -> Asked:
    """All rows together as well as those of each key."""
    return drawn_query(data, kind, by=data.draw(st.sampled_from(("k", None))), **choices)
