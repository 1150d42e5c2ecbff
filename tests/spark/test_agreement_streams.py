"""Streams agree with the oracle, whatever the order of arrival and the micro-batches."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from tests.spark.agreement import (
    as_rows_arrive,
    by_strategy_on_a_stream,
    drawn_query,
    on_the_oldest_too,
    with_or_without_a_key,
)
from tests.spark.streams import Batches, arrivals, fed, joined, stream
from tests.spark.support import AGGREGATES, WINDOWS, Asked, Row, examples
from windrow.testing import check_rows
from windrow.window import Emit

pytestmark = pytest.mark.usefixtures("one_partition")


def check(spark: SparkSession, asked: Asked, data: st.DataObject) -> None:
    batches = data.draw(arrivals())
    with stream(spark, asked) as run:
        asked.check(fed(run, batches), joined(batches))


@pytest.mark.parametrize("kind", on_the_oldest_too("hopping", "trailing time"))
@examples(1)
@given(data=st.data())
def test_a_stream_gives_what_a_batch_gives(
    spark: SparkSession, kind: str, data: st.DataObject
) -> None:
    check(spark, drawn_query(data, kind), data)


@pytest.mark.slow
@pytest.mark.parametrize("kind", WINDOWS)
@examples(20)
@given(data=st.data())
def test_a_stream_gives_what_a_batch_gives_however_long_one_looks(
    spark: SparkSession, kind: str, data: st.DataObject
) -> None:
    check(spark, with_or_without_a_key(data, kind), data)


@pytest.mark.parametrize(
    ("kind", "strategy"),
    [
        ("tumbling", "native"),
        ("hopping", "panes"),
        ("hopping", "stateful"),
        ("session", "stateful"),
    ],
)
@examples(1)
@given(data=st.data())
def test_every_strategy_gives_the_same_stream(
    spark: SparkSession, kind: str, strategy: str, data: st.DataObject
) -> None:
    check(spark, by_strategy_on_a_stream(data, kind, strategy), data)


@pytest.mark.parametrize("kind", ["trailing time", "trailing rows", "count", "policy"])
@examples(1)
@given(data=st.data())
def test_rows_may_be_applied_as_they_arrive(
    spark: SparkSession, kind: str, data: st.DataObject
) -> None:
    check(spark, as_rows_arrive(data, kind), data)


def last_answers(rows: list[Row]) -> dict[Any, Row]:
    """The last answer for each window and key; a count window is known by its first position."""
    return {(row["k"], _place(row["window"])): row for row in rows}


def last_told(spark: SparkSession, asked: Asked, batches: Batches) -> dict[Any, Row]:
    """The last answers of a whole stream."""
    with stream(spark, asked) as run:
        return last_answers(fed(run, batches))


def _place(bounds: Row) -> Any:
    return bounds.get("first", (bounds["start"].timestamp(), bounds["end"].timestamp()))


@pytest.mark.parametrize("kind", ["hopping", "count"])
@examples(1)
@given(data=st.data())
def test_on_change_the_last_answer_for_each_window_counts(
    spark: SparkSession, kind: str, data: st.DataObject
) -> None:
    asked, batches = drawn_query(data, kind, emit=Emit.ON_CHANGE), data.draw(arrivals())
    found = last_told(spark, asked, batches)
    asked.check(list(found.values()), joined(batches))


@pytest.mark.parametrize("kind", ["session", "punctuated"])
@examples(1)
@given(data=st.data())
def test_on_change_windows_that_grow_are_told_as_they_end_up(
    spark: SparkSession, kind: str, data: st.DataObject
) -> None:
    chosen = {name: AGGREGATES[name] for name in ("free", "sum_of_integers")}
    asked = Asked(data.draw(WINDOWS[kind]), chosen, emit=Emit.ON_CHANGE)
    batches = data.draw(arrivals())
    found = last_told(spark, asked, batches)
    wanted = last_answers(asked.expected(joined(batches)))
    # What a window was on its way, before rows joined it, is told as well.
    assert wanted.keys() <= found.keys()
    check_rows([found[key] for key in wanted], wanted.values())
