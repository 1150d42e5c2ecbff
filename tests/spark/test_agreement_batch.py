"""Batches agree with the oracle: every kind of window, every aggregate, every strategy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import windrow as wr
from tests.spark.agreement import (
    as_rows_arrive,
    by_strategy,
    drawn_query,
    on_the_oldest_too,
    with_or_without_a_key,
)
from tests.spark.support import WINDOWS, Asked, Row, drawn_rows, examples, frame_of
from windrow import agg, window
from windrow.testing import check_rows, expected
from windrow.window import Emit, Window


def check(spark: SparkSession, asked: Asked, data: st.DataObject) -> None:
    rows = data.draw(drawn_rows)
    asked.check(asked.of(frame_of(spark, rows)), rows)


@pytest.mark.parametrize("kind", on_the_oldest_too("hopping", "trailing time", "policy"))
@examples(3)
@given(data=st.data())
def test_any_aggregate_in_any_window_agrees(
    spark: SparkSession, kind: str, data: st.DataObject
) -> None:
    check(spark, drawn_query(data, kind), data)


@pytest.mark.slow
@pytest.mark.parametrize("kind", WINDOWS)
@examples(60)
@given(data=st.data())
def test_any_aggregate_in_any_window_agrees_however_long_one_looks(
    spark: SparkSession, kind: str, data: st.DataObject
) -> None:
    emit = data.draw(st.sampled_from(Emit))
    check(spark, with_or_without_a_key(data, kind, emit=emit), data)


@pytest.mark.parametrize(
    ("kind", "strategy"),
    [
        ("tumbling", "native"),
        ("tumbling", "panes"),
        ("tumbling", "kernel"),
        ("hopping", "native"),
        ("hopping", "panes"),
        ("hopping", "kernel"),
        ("session", "native"),
        ("session", "kernel"),
    ],
)
@examples(2)
@given(data=st.data())
def test_every_strategy_agrees(
    spark: SparkSession, kind: str, strategy: str, data: st.DataObject
) -> None:
    check(spark, by_strategy(data, kind, strategy), data)


@pytest.mark.parametrize("kind", ["trailing time", "trailing rows", "count", "policy"])
@examples(1)
@given(data=st.data())
def test_without_a_key_all_rows_belong_together(
    spark: SparkSession, kind: str, data: st.DataObject
) -> None:
    check(spark, drawn_query(data, kind, by=None), data)


@pytest.mark.parametrize("kind", ["trailing rows", "count", "punctuated"])
@examples(2)
@given(data=st.data())
def test_rows_may_be_applied_as_they_arrive(
    spark: SparkSession, kind: str, data: st.DataObject
) -> None:
    check(spark, as_rows_arrive(data, kind), data)


@pytest.mark.parametrize("kind", ["count", "punctuated"])
@examples(1)
@given(data=st.data())
def test_windows_that_the_data_has_not_ended_are_told_on_change(
    spark: SparkSession, kind: str, data: st.DataObject
) -> None:
    check(spark, drawn_query(data, kind, emit=Emit.ON_CHANGE), data)


@examples(3)
@given(rows=drawn_rows)
def test_several_windows_share_a_pass(spark: SparkSession, rows: list[Row]) -> None:
    windows: dict[str, Window] = {
        "short": window.tumbling("3 s"),
        "long": window.hopping("20 s", every="7 s"),
        "sparse": window.hopping("2 s", every="5 s"),
    }
    aggregates = {"n": agg.count(), "sum": agg.sum("i"), "middle": agg.median("v")}
    found = (
        wr.over(frame_of(spark, rows), time="t", by=["k", "b"])
        .windows(**windows)
        .aggregate(**aggregates)
    )
    wanted = expected(rows, time="t", by=["k", "b"], windows=windows, aggregates=aggregates)
    check_rows(found, wanted)


@examples(3)
@given(rows=drawn_rows)
def test_sketches_agree_within_their_error(spark: SparkSession, rows: list[Row]) -> None:
    asked = Asked(
        window.trailing("20 s"),
        {"middle": agg.quantile_sketch(0.5, "i"), "kinds": agg.distinct_sketch("i")},
    )
    found = asked.of(frame_of(spark, rows))
    check_rows(found, asked.expected(rows), tolerance=0.05)


def test_rows_without_a_time_are_in_no_window_and_among_the_late(spark: SparkSession) -> None:
    columns = "k string, t timestamp, i bigint"
    frame = spark.createDataFrame([("a", None, 1), ("b", None, 2)], columns)
    query = wr.over(frame, time="t", by="k").window(window.trailing("1 h"))
    found = query.aggregate(n=agg.count())
    assert found.collect() == []
    assert sorted(found.late().toArrow().column("i").to_pylist()) == [1, 2]
