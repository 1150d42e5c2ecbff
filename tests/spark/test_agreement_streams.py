"""Streams agree with the oracle, whatever the order of arrival and the micro-batches."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from tests.spark.streams import Batches, arrivals, fed, joined, stream
from tests.spark.support import (
    AGGREGATES,
    BUILT_IN,
    WINDOWS,
    Asked,
    Row,
    aggregates_of,
    drawn_aggregates,
    examples,
)
from windrow.testing import check_rows
from windrow.window import Emit, Order

pytestmark = pytest.mark.xdist_group("spark")


def check(spark: SparkSession, asked: Asked, batches: Batches) -> None:
    with stream(spark, asked) as run:
        asked.check(fed(run, batches), joined(batches))


# A stream takes seconds: with every change a few kinds have their turn, in `make test-slow` all.
FEW_KINDS = ("hopping", "trailing time", "session", "count")


@pytest.mark.spark_floor
@pytest.mark.parametrize(
    "kind", [pytest.param(k, marks=() if k in FEW_KINDS else pytest.mark.slow) for k in WINDOWS]
)
@examples(1)
@given(data=st.data())
def test_a_stream_gives_what_a_batch_gives(
    spark: SparkSession, kind: str, data: st.DataObject
) -> None:
    asked = Asked(data.draw(WINDOWS[kind]), data.draw(drawn_aggregates))
    check(spark, asked, data.draw(arrivals()))


@pytest.mark.slow
@pytest.mark.parametrize("kind", WINDOWS)
@examples(20)
@given(data=st.data())
def test_a_stream_gives_what_a_batch_gives_however_long_one_looks(
    spark: SparkSession, kind: str, data: st.DataObject
) -> None:
    by = data.draw(st.sampled_from(("k", None)))
    asked = Asked(data.draw(WINDOWS[kind]), data.draw(drawn_aggregates), by=by)
    check(spark, asked, data.draw(arrivals()))


@pytest.mark.parametrize(
    ("kind", "strategy"),
    [
        ("tumbling", "native"),
        ("hopping", "panes"),
        ("hopping", "stateful"),
        ("session", "native"),
        ("session", "stateful"),
    ],
)
@pytest.mark.slow
@examples(1)
@given(data=st.data())
def test_every_strategy_gives_the_same_stream(
    spark: SparkSession, kind: str, strategy: str, data: st.DataObject
) -> None:
    asked = Asked(
        data.draw(WINDOWS[kind]),
        data.draw(aggregates_of(BUILT_IN)),
        options={"strategy": strategy},
    )
    check(spark, asked, data.draw(arrivals()))


@pytest.mark.parametrize("kind", ["trailing time", "trailing rows", "count", "policy"])
@pytest.mark.slow
@examples(1)
@given(data=st.data())
def test_rows_may_be_applied_as_they_arrive(
    spark: SparkSession, kind: str, data: st.DataObject
) -> None:
    asked = Asked(data.draw(WINDOWS[kind]), data.draw(drawn_aggregates), order=Order.ARRIVAL)
    check(spark, asked, data.draw(arrivals()))


def last_answers(rows: list[Row]) -> dict[Any, Row]:
    """The last answer for each window and key; a count window is known by its first position."""
    return {(row["k"], _place(row["window"])): row for row in rows}


def _place(bounds: Row) -> Any:
    return bounds.get("first", (bounds["start"].timestamp(), bounds["end"].timestamp()))


@pytest.mark.parametrize("kind", ["tumbling", "hopping", "count"])
@examples(1)
@given(data=st.data())
def test_on_change_the_last_answer_for_each_window_counts(
    spark: SparkSession, kind: str, data: st.DataObject
) -> None:
    asked = Asked(data.draw(WINDOWS[kind]), data.draw(drawn_aggregates), emit=Emit.ON_CHANGE)
    batches = data.draw(arrivals())
    with stream(spark, asked) as run:
        found = last_answers(fed(run, batches))
    asked.check(list(found.values()), joined(batches))


@pytest.mark.parametrize("kind", ["session", "punctuated"])
@pytest.mark.slow
@examples(1)
@given(data=st.data())
def test_on_change_windows_that_grow_are_told_as_they_end_up(
    spark: SparkSession, kind: str, data: st.DataObject
) -> None:
    chosen = {name: AGGREGATES[name] for name in ("free", "sum_of_integers")}
    asked = Asked(data.draw(WINDOWS[kind]), chosen, emit=Emit.ON_CHANGE)
    batches = data.draw(arrivals())
    with stream(spark, asked) as run:
        found = last_answers(fed(run, batches))
    wanted = last_answers(asked.expected(joined(batches)))
    # What a window was on its way, before rows joined it, is told as well.
    assert wanted.keys() <= found.keys()
    check_rows([found[key] for key in wanted], wanted.values())
