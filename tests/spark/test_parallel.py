"""However windows are spread over units, results are the same."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import reduce
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr
from tests.spark.streams import LATENESS, end_of
from tests.spark.support import (
    AGGREGATES,
    SCHEMA,
    Asked,
    Row,
    drawn_rows,
    examples,
    frame_of,
    runs,
)
from windrow import agg, window
from windrow.errors import InputError
from windrow.parallel import Method
from windrow.parallel.simulation import simulate
from windrow.plan import choose
from windrow.plan.stages import FoldRows, RunEngine
from windrow.spark.analysis.resolve import read
from windrow.spark.describe import description
from windrow.spark.stages import build
from windrow.spark.transport.hashed import hashed
from windrow.spark.transport.transit import packs_of
from windrow.testing import Feed, check_rows
from windrow.windows import Window

ALIGNED = ["time", "panes", "round-robin", "round-robin-cyclic", "handshake", "hash-once"]
UNITS = [1, 2, 3, 7]

# Sums and text: states that are numbers, and such that are not; in order, and in any.
IN_ANY_ORDER = {name: AGGREGATES[name] for name in ("sum_of_integers", "median", "count")}
IN_ORDER = {name: AGGREGATES[name] for name in ("free", "last", "max")}


def us(number: int) -> timedelta:
    return timedelta(microseconds=number)


WINDOWS: dict[str, Window] = {
    "1000/270": window.hopping(us(1000), us(270), us(-70)),
    "gaps": window.hopping(us(300), us(1000), us(150)),
    "tumbling": window.tumbling(us(777)),
    "wide": window.hopping("30 seconds", every="7 seconds"),
}

# Times before and after 1970, rows of one time, keys that collide in small numbers of units; the
# last ones come once in seven hops, so that of seven units six have none of them.
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def row(at_us: int, key: str | None, number: int) -> Row:
    blank: dict[str, Any] = dict.fromkeys(("w", "b", "s", "d", "s1", "e1"))
    return {"k": key, "t": EPOCH + us(at_us), **blank, "i": number, "v": number / 4}


ROWS = [
    *(row(97 * n - 2000, "ab"[n % 2], n) for n in range(40)),
    *(row(-130, None, n) for n in range(100, 104)),
    *(row(7 * 270 * n, "c", n) for n in range(200, 205)),
    *(row(10_000_000 * n, "a", n) for n in range(4)),
]


@pytest.mark.parametrize("method", ALIGNED)
@pytest.mark.parametrize(
    ("aggregates", "first", "units"),
    [(IN_ANY_ORDER, 0, UNITS), (IN_ORDER, 1, UNITS[::-1])],
    ids=["any order", "in order"],
)
def test_every_method_answers_what_the_oracle_does(
    spark: SparkSession, method: str, aggregates: dict[str, Any], first: int, units: list[int]
) -> None:
    """With and without a key in turns: the slow test below draws all combinations."""
    frame = frame_of(spark, ROWS)
    for place, over in enumerate(WINDOWS.values(), first):
        by = "k" if place % 2 else None
        asked = Asked(over, aggregates, by, parallel=(method, units[place - first]))
        asked.check(asked.of(frame), ROWS)


@pytest.mark.slow
@examples(60)
@given(data=st.data())
def test_any_window_may_be_spread_in_any_way(spark: SparkSession, data: st.DataObject) -> None:
    asked = Asked(
        data.draw(st.sampled_from(list(WINDOWS.values()))),
        data.draw(st.sampled_from((IN_ANY_ORDER, IN_ORDER))),
        data.draw(st.sampled_from(("k", None))),
        parallel=(data.draw(st.sampled_from(ALIGNED)), data.draw(st.sampled_from(UNITS))),
    )
    rows = data.draw(drawn_rows)
    asked.check(asked.of(frame_of(spark, rows)), rows)


@pytest.mark.parametrize("method", ["round-robin", "round-robin-cyclic", "handshake", "hash-once"])
@pytest.mark.parametrize("units", [2, 3, 7])
def test_spark_sends_each_unit_the_rows_that_the_simulator_counts(
    spark: SparkSession, method: str, units: int
) -> None:
    over = window.hopping(us(1000), us(270))
    sent = rows_at_units(Asked(over, IN_ORDER, None, parallel=(method, units)), spark)
    grid = over.grid
    assert grid is not None
    own = [((r["t"] - EPOCH) // us(1), None, 1) for r in ROWS]
    simulated = simulate(own, grid, Method(method), units, aggregate=agg.count())
    if method == "hash-once":  # the hashes differ, and windows are few: totals are much alike
        assert sum(sent) == pytest.approx(simulated.total.copies, rel=0.25)
    else:
        assert sent == [unit.copies for unit in simulated.units]


def rows_at_units(asked: Asked, spark: SparkSession) -> list[int]:
    """How many rows arrive at each unit of a batch over ROWS."""
    method, units = asked.parallel
    assert units is not None
    query = wr.over(frame_of(spark, ROWS), time="t").parallel(method, units).window(asked.window)
    aggregates = tuple(asked.aggregates.items())
    request = read(query, aggregates)
    plan = choose(description(request, aggregates, None))
    assert isinstance(plan.stages[-1], RunEngine)
    packs = build(replace(plan, stages=plan.stages[:-1]), request).df
    schema = hashed(request.definition).schema

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for unit, pieces in packs_of(batches, schema):
            rows = sum(piece.num_rows for _, piece in pieces)
            yield pa.record_batch({"unit": [unit], "rows": [rows]})

    found = {
        row.unit: row.rows for row in packs.mapInArrow(count, "unit long, rows long").collect()
    }
    return [found.get(unit, 0) for unit in range(units)]


def test_several_windows_are_spread_together(spark: SparkSession) -> None:
    frame = frame_of(spark, ROWS)
    pair = {"long": WINDOWS["1000/270"], "short": WINDOWS["gaps"]}
    for method in ("time", "panes", "hash-once"):
        query = wr.over(frame, time="t", by="k").parallel(method, units=3).windows(**pair)
        found = query.aggregate(**IN_ORDER).cache()
        for name, over in pair.items():
            own = found.where(F.col("name") == name).drop("name")
            check_rows(own, Asked(over, IN_ORDER).expected(ROWS), scale=1e6)


NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)
MICRO_BATCHES = [
    [{**row(0, "ab"[n % 2], n), "t": NOON + timedelta(seconds=3 * n % 40)} for n in range(20)],
    [{**row(0, "b", n), "t": NOON + timedelta(seconds=35 + n)} for n in range(20)],
    [{**row(0, None, n), "t": NOON + timedelta(seconds=50 + 5 * n)} for n in range(5)],
]


@pytest.mark.parametrize(
    ("aggregates", "by", "ways"),
    [
        (IN_ANY_ORDER, "k", list(zip(ALIGNED, [3, 2, 7, 1, 3, 2], strict=True))),
        (IN_ORDER, None, [("time", 3), ("handshake", 2)]),
    ],
    ids=["any order", "in order"],
)
def test_every_method_gives_the_same_stream_across_a_restart(
    spark: SparkSession, aggregates: dict[str, Any], by: str | None, ways: list[tuple[str, int]]
) -> None:
    """The slow test below runs all combinations."""
    check_streams(spark, Asked(window.hopping("10 s", every="2.7 s"), aggregates, by), ways)


@pytest.mark.slow
@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("aggregates", [IN_ANY_ORDER, IN_ORDER], ids=["any order", "in order"])
@pytest.mark.parametrize(
    "over",
    [
        window.tumbling("10 s"),
        window.hopping("10 s", every="2.7 s", offset="1 s"),
        window.hopping("2 s", every="5 s"),
    ],
    ids=repr,
)
def test_a_stream_may_be_spread_in_any_way(
    spark: SparkSession, over: Window, aggregates: dict[str, Any], units: int
) -> None:
    by = "k" if units % 2 else None
    check_streams(spark, Asked(over, aggregates, by), [(method, units) for method in ALIGNED])


def check_streams(spark: SparkSession, asked: Asked, ways: Sequence[tuple[str, int]]) -> None:
    """One stream by each method with its number of units, all in one query that is restarted."""
    with Feed(spark, SCHEMA, time="t", lateness=LATENESS) as feed:
        frames = [
            replace(asked, parallel=way).of(feed.frame).withColumn("way", F.lit(way[0]))
            for way in ways
        ]
        run = feed.start(reduce(DataFrame.unionByName, frames), mode="append")
        rows = []
        for batch in MICRO_BATCHES:
            run.add(batch)
            rows += batch
            if batch is MICRO_BATCHES[1]:
                run.restart()
        run.watermark(end_of(rows))
        for method, _ in ways:
            own = [
                {n: v for n, v in r.items() if n != "way"} for r in run.rows if r["way"] == method
            ]
            asked.check(own, rows)


def test_a_row_is_late_once_however_many_units_have_seen_it(spark: SparkSession) -> None:
    asked = Asked(window.hopping("10 s", every="2 s"), IN_ORDER, parallel=("round-robin", 3))
    with Feed(spark, SCHEMA, time="t") as feed:
        run = feed.start(asked.of(feed.frame), mode="append")
        run.add(MICRO_BATCHES[0])
        run.watermark(NOON + timedelta(minutes=5))
        run.add([{**row(0, "a", 1), "t": NOON}, {**row(0, "b", 1), "t": NOON}])
        late = [
            own["late"]
            for progress in run.progress
            for own in progress.observedMetrics.values()
            if "late" in own.asDict()
        ]
        assert sum(late) == 2


def test_sessions_are_cut_anywhere_and_put_together(spark: SparkSession) -> None:
    frame = frame_of(spark, ROWS)
    for gap in (us(97), us(5000), timedelta(days=1)):
        for by, units in (("k", 7), (None, 3)):
            asked = Asked(window.session(gap), IN_ORDER, by, parallel=("time", units))
            asked.check(asked.of(frame), ROWS)
        folded = Asked(window.session(gap), IN_ANY_ORDER, options={"strategy": "kernel"})
        assert runs(folded.of(frame).plan(), FoldRows)  # type: ignore[operator]
        folded.check(folded.of(frame), ROWS)


def test_rows_of_which_spark_does_not_know_the_number_are_cut_too(spark: SparkSession) -> None:
    query = wr.over(frame_of(spark, ROWS), time="t").parallel("time", units=7)
    [said] = query.window(window.tumbling(us(777))).aggregate(**IN_ORDER).plan().sampled
    assert f"{len(ROWS)} rows in" in said
    assert "all keys are cut into 7 blocks" in said


def test_trailing_windows_of_all_keys_are_cut_by_time(spark: SparkSession) -> None:
    frame = frame_of(spark, ROWS)
    for over in (window.trailing(us(300)), window.trailing("15 s"), window.trailing(rows=3)):
        for by, units in (("k", 7), (None, 3)):
            asked = Asked(over, IN_ORDER, by, parallel=("time", units))
            asked.check(asked.of(frame), ROWS)


def test_a_checkpoint_keeps_its_method_and_its_units(spark: SparkSession) -> None:
    over, rows = window.tumbling("10 s"), MICRO_BATCHES[0]
    newest = max(rows, key=lambda row: row["t"])
    asked = Asked(over, IN_ORDER, parallel=("hash-once", 2))
    with Feed(spark, SCHEMA, time="t", lateness=LATENESS) as feed:
        run = feed.start(asked.of(feed.frame), mode="append")
        run.add(rows)
        run.restart(replace(asked, parallel=("hash-once", 3)).of(feed.frame))
        with pytest.raises(StreamingQueryException, match="another query"):
            run.add([newest])
        run.restart(asked.of(feed.frame))
        run.watermark(end_of(rows))
        asked.check(run.rows, [*rows, newest])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("sideways",), "method='sideways'"),
        (("keys", 0), "units=0 is not between 1"),
        (("keys", -3), "units=-3"),
        (("keys", "4"), "units='4' is a str"),
        (("keys", True), "units=True is a bool"),
        (("keys", 2.0), "units=2.0 is a float"),
    ],
    ids=str,
)
def test_nonsense_is_refused(spark: SparkSession, arguments: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        wr.over(frame_of(spark, ROWS), time="t").parallel(*arguments)


@pytest.mark.parametrize(
    ("over", "method", "message"),
    [
        (window.trailing("1 s"), "panes", "no grid"),
        (window.punctuated(end="e1"), "time", "depends on all rows before; use 'keys'"),
        (
            window.policy(keep=lambda w: w.n < 3, using={"n": agg.count()}),
            "time",
            "all rows before",
        ),
    ],
    ids=str,
)
def test_a_method_that_cannot_run_a_window_is_refused(
    spark: SparkSession, over: Window, method: str, message: str
) -> None:
    query = wr.over(frame_of(spark, ROWS), time="t").window(over).parallel(method)
    with pytest.raises(InputError, match=message):
        query.aggregate(n=agg.count())


def test_a_plan_says_who_owns_windows(spark: SparkSession) -> None:
    query = wr.over(frame_of(spark, ROWS), time="t").window(WINDOWS["wide"])
    plan = query.parallel("round-robin-cyclic", units=5).plan(n=agg.count())
    assert plan.ownership is Method.ROUND_ROBIN_CYCLIC
    assert "RRCA" in plan.explain()
    assert "of 5" in plan.explain()
    punctuated = wr.over(frame_of(spark, ROWS), time="t").window(window.punctuated(end="e1"))
    assert "all windows of a key are on one task" in punctuated.plan(n=agg.count()).explain()
