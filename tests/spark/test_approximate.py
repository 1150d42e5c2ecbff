"""Queries whose results are intervals: they hold, and say how exact they are."""

from collections.abc import Callable
from dataclasses import replace
from math import nan
from typing import Any

import pytest
from pyspark.sql import SparkSession

import windrow as wr
from tests.spark.approximate_rows import (
    ROWS,
    WINDOWS,
    answered,
    asked,
    by_number,
    check,
    exact,
    frame,
)
from windrow import agg, window
from windrow.algebra.aggregate import Aggregate
from windrow.errors import InputError
from windrow.plan import Strategy
from windrow.spark.analysis.resolve import read
from windrow.spark.state.signature import signature_of
from windrow.windows import Check, Window


@pytest.mark.spark_floor
@pytest.mark.parametrize("kind", WINDOWS)
def test_intervals_hold_the_exact_results(spark: SparkSession, kind: str) -> None:
    found, wanted = answered(spark, kind), exact(kind)
    assert len(found) == len(ROWS)
    for row in found:
        check(row, wanted[row["number"]])
    for name in ("sum", "mean", "n", "variance", "decimals"):
        assert any(not row[name]["exact"] for row in found), name


@pytest.mark.spark_floor
def test_results_are_structs_of_the_type_of_the_result(spark: SparkSession) -> None:
    schema = asked(frame(spark, []), "rows").schema
    for name, kind in (("sum", "double"), ("max", "int"), ("decimals", "decimal(20,2)")):
        interval = schema[name].dataType
        assert interval.simpleString() == (
            f"struct<value:{kind},low:{kind},high:{kind},exact:boolean>"
        )
        assert not interval["exact"].nullable


def test_what_state_depends_on_tells_bounds(spark: SparkSession) -> None:
    query = wr.over(frame(spark, []), time="t", by="k").window(window.trailing(rows=5))
    asked = [
        (query, agg.sum("v")),
        (query, agg.sum("v").within(relative=0.1)),
        (query, agg.sum("v").within(relative=0.2)),
        (query, agg.sum("v").within(relative=0.2, confidence=0.9)),
        (query.approximate(max_buckets=10), agg.sum("v").within(relative=0.2)),
        (query.approximate(max_buckets=11), agg.sum("v").within(relative=0.2)),
        (query.approximate(max_buckets=11), agg.sum("v")),
    ]
    told = {signature_of(read(over, (("sum", part),))) for over, part in asked}
    assert len(told) == len(asked)


@pytest.mark.parametrize(
    "aggregate", [agg.sum("v"), agg.argmax("number", by="v"), agg.variance("v")], ids=repr
)
def test_nan_is_told_as_in_exact_windows(spark: SparkSession, aggregate: Aggregate[Any]) -> None:
    rows = [{**row, "v": nan if row["number"] == 3 else row["v"]} for row in ROWS[:40]]
    over = wr.over(frame(spark, rows), time="t").window(window.trailing(rows=9)).keep("number")
    found = over.approximate(max_buckets=4).aggregate(r=aggregate).toArrow().to_pylist()
    wanted = over.aggregate(r=aggregate).toArrow().to_pylist()
    assert isinstance(found[0]["r"]["exact"], bool)
    for row, right in zip(by_number(found), by_number(wanted), strict=True):
        check(row, {"r": right["r"]})


WHOLE: list[tuple[Window, Strategy]] = [
    (window.tumbling("1 minute"), Strategy.NATIVE),
    (window.tumbling("1 minute"), Strategy.KERNEL),
    (window.hopping("1 minute", every="20 seconds"), Strategy.PANES),
    (window.session("1 minute"), Strategy.KERNEL),
    (window.count(50), Strategy.KERNEL),
]


@pytest.mark.parametrize(("over", "strategy"), WHOLE, ids=repr)
def test_windows_that_are_kept_whole_are_exact(
    spark: SparkSession, over: Window, strategy: Strategy
) -> None:
    rows = frame(spark, ROWS[:200])
    query = wr.over(rows, time="t", by="k", strategy=strategy).window(over)
    found = query.approximate(max_buckets=2).aggregate(
        sum=agg.sum("d"), n=agg.count().within(absolute=1)
    )
    exactly = query.aggregate(sum=agg.sum("d"), n=agg.count())
    assert "nothing is approximated" in found.plan().explain()
    wanted = [
        {
            **row,
            **{
                name: {**dict.fromkeys(("value", "low", "high"), row[name]), "exact": True}
                for name in ("sum", "n")
            },
        }
        for row in exactly.toArrow().to_pylist()
    ]
    assert sorted(map(repr, found.toArrow().to_pylist())) == sorted(map(repr, wanted))


@pytest.mark.parametrize(
    "over",
    [window.tumbling("1 hour"), window.trailing("1 hour")],
    ids=repr,
)
def test_sketches_give_the_bounds_they_have(spark: SparkSession, over: Window) -> None:
    rows = spark.range(400).selectExpr(
        "timestamp_seconds(id) AS t", "id * id AS i", "CAST(id AS double) AS v"
    )
    found = (
        wr.over(rows, time="t")
        .window(over)
        .aggregate(
            different=agg.distinct_sketch("i").within(),
            middle=agg.quantile_sketch(0.5, "v").within(),
        )
    )
    assert "the sketch's own bounds" in found.plan().explain()
    row = max(found.toArrow().to_pylist(), key=lambda row: float(row["different"]["value"]))
    assert row["different"]["low"] <= 400 <= row["different"]["high"]
    assert row["middle"]["low"] <= 199.5 <= row["middle"]["high"]
    assert not row["different"]["exact"]


def refusals() -> list[tuple[Callable[[Any], Any], str]]:
    total = agg.sum("v")
    return [
        (lambda q: q.approximate().aggregate(n=agg.count()), r"approximate\(\) sets no bound"),
        (lambda q: q.approximate(max_buckets=0), "max_buckets=0: give a whole number"),
        (
            lambda q: q.aggregate(a=total.within(relative=0.1), peak=agg.max("v")),
            r"peak=max\('v'\) has no bound, and 'a' has one; give it \.within",
        ),
        (
            lambda q: q.aggregate(a=total.within()),
            r"a=sum\('v'\).within\(confidence=0.95\) bounds nothing; give relative=",
        ),
        (
            lambda q: q.aggregate(peak=agg.max("v").within(relative=0.1)),
            "peak=max.*an extremum is one of the values",
        ),
        (
            lambda q: q.aggregate(peak=agg.max("k").within()),
            "peak=max.*a column of type string, and candidates are predicted from numbers",
        ),
        (
            lambda q: q.aggregate(u=agg.distinct_sketch("i").within(), n=total.within(absolute=1)),
            "u=distinct_sketch.*keeps all rows, and the other aggregates keep buckets",
        ),
        (
            lambda q: q.aggregate(u=agg.distinct_sketch("i").within(confidence=0.999)),
            "u=distinct_sketch.*hold with a confidence of 0.99, not more",
        ),
        (
            lambda q: (
                replace(q, chosen=())
                .window(
                    window.policy(
                        keep=lambda w: w.n < 5, using={"n": agg.count()}, check=Check.VERIFY
                    )
                )
                .aggregate(a=total.within(absolute=1))
            ),
            "check=Check.VERIFY looks at every row",
        ),
        (lambda q: total.within(relative=1, absolute=1), "give one of them"),
        (lambda q: total.within(relative=-1), "relative=-1; give a number of 0 or more"),
        (lambda q: total.within(relative=0.1, confidence=1.0), "confidence=1.0: give a number"),
    ]


@pytest.mark.parametrize(("ask", "message"), refusals(), ids=lambda value: str(value)[:40])
def test_what_bounds_nothing_is_refused(
    spark: SparkSession, ask: Callable[[Any], Any], message: str
) -> None:
    query = wr.over(frame(spark, []), time="t", by="k").window(window.trailing(rows=5))
    with pytest.raises(InputError, match=message):
        ask(query)
