"""Queries whose results are intervals: they hold, in batch and stream, and keep less."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from math import nan
from pathlib import Path
from random import Random
from statistics import fmean, variance
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

import windrow as wr
from windrow import agg, window
from windrow.algebra.aggregate import Aggregate
from windrow.errors import InputError
from windrow.planning import Strategy
from windrow.spark.inspection import about_of, kept_keys, operators_of
from windrow.spark.request import read
from windrow.spark.signature import signature_of
from windrow.testing import Feed, Run
from windrow.testing.closeness import close
from windrow.windows import Check, Emit, Window

pytestmark = pytest.mark.xdist_group("spark")

Row = dict[str, Any]

SCHEMA = "k string, t timestamp, number bigint, v double, i int, d decimal(10,2)"
START = datetime(2024, 7, 1, 12, tzinfo=UTC)
LATENESS = timedelta(seconds=30)

BOUNDED: dict[str, Aggregate[Any]] = {
    "sum": agg.sum("v").within(relative=0.05),
    "mean": agg.mean("v").within(relative=0.05, confidence=0.9),
    "n": agg.count("v").within(absolute=4),
    "max": agg.max("i").within(),
    "min": agg.min("i").within(confidence=0.99),
    "variance": agg.variance("v").within(absolute=5),
    "decimals": agg.sum("d").within(absolute=30),
}


def rows_of(length: int, seed: int = 7) -> list[Row]:
    """A row a second or so, some of them with nulls; no two at the same time."""
    random, now, rows = Random(seed), START, []
    for number in range(length):
        # Once everybody is silent for so long that nothing is left in any window of time.
        now += timedelta(seconds=random.choice((0.5, 1, 2)) if number != length // 2 else 500)
        known = number % 13 != 5
        rows.append(
            {
                "k": random.choice(("a", "a", "b", None)),
                "t": now,
                "number": number,
                "v": random.gauss(50, 5) if known else None,
                "i": random.randint(-(10**6), 10**6) if known else None,
                "d": Decimal(random.randint(0, 1000)).scaleb(-2) if known else None,
            }
        )
    return rows


ROWS = rows_of(600)

WINDOWS: dict[str, Window] = {
    "rows": window.trailing(rows=90),
    "time": window.trailing("100 seconds"),
    "policy": window.policy(
        keep=lambda window: window.weight <= 4000, using={"weight": agg.sum("v")}
    ),
}

# The same windows in plain Python: which of the newest rows stay.
HELD: dict[str, Callable[[list[Row]], list[Row]]] = {
    "rows": lambda rows: rows[-90:],
    "time": lambda rows: [row for row in rows if rows[-1]["t"] - row["t"] < timedelta(seconds=100)],
    "policy": lambda rows: next(
        rows[start:] for start in range(len(rows) + 1) if sum(known(rows[start:], "v")) <= 4000
    ),
}


def known(rows: Sequence[Row], column: str) -> list[Any]:
    return [row[column] for row in rows if row[column] is not None]


def exact(kind: str) -> dict[int, Row]:
    """What an exact window gives for each row, recomputed from scratch."""
    held: dict[Any, list[Row]] = {}
    results = {}
    for row in ROWS:
        mine = held[row["k"]] = HELD[kind]([*held.get(row["k"], []), row])
        v, i, d = (known(mine, column) for column in ("v", "i", "d"))
        results[row["number"]] = {
            "sum": sum(v) if v else None,
            "mean": fmean(v) if v else None,
            "n": len(v),
            "max": max(i, default=None),
            "min": min(i, default=None),
            "variance": variance(v) if len(v) > 1 else None,
            "decimals": sum(d) if d else None,
        }
    return results


def check(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Require of a row's intervals that they hold its exact results."""
    for name, result in wanted.items():
        interval, said = found[name], f"{name}: {found[name]}, and {result} is exact"
        if interval["exact"]:
            assert close(interval["value"], result, scale=1000.0), said
        elif interval["low"] is not None:
            assert interval["low"] <= interval["value"] <= interval["high"], said
            assert interval["low"] <= result <= interval["high"], said


def frame(spark: SparkSession, rows: Sequence[Row] = ROWS) -> DataFrame:
    return spark.createDataFrame([tuple(row.values()) for row in rows], SCHEMA)


def asked(rows: DataFrame, kind: str, **options: Any) -> Any:
    query = wr.over(rows, time="t", by="k", **options).window(WINDOWS[kind]).keep("number")
    return query.aggregate(**BOUNDED)


def by_number(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: int(row["number"]))


def same(found: Sequence[Row], wanted: Sequence[Row]) -> None:
    """Require the same results to the last digit."""
    assert len(found) == len(wanted)
    for row, right in zip(by_number(found), wanted, strict=True):
        assert repr(row) == repr(right)  # one by one: of all, pytest would take minutes to tell


@pytest.fixture(scope="module")
def batches(spark: SparkSession) -> dict[str, list[Row]]:
    """What a batch answers, for each kind of window."""
    return {kind: by_number(asked(frame(spark), kind).toArrow().to_pylist()) for kind in WINDOWS}


@pytest.mark.spark_floor
@pytest.mark.parametrize("kind", WINDOWS)
def test_intervals_hold_the_exact_results(batches: dict[str, list[Row]], kind: str) -> None:
    found, wanted = batches[kind], exact(kind)
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


def cut(rows: Sequence[Row], seed: int) -> list[list[Row]]:
    """Rows that arrive up to the lateness late, in micro-batches of any size."""
    random = Random(seed)
    late = {row["number"]: random.uniform(0, 25) for row in rows}
    arriving = sorted(rows, key=lambda row: row["t"] + timedelta(seconds=late[row["number"]]))
    cuts = sorted(random.sample(range(len(rows)), 2))
    return [arriving[a:b] for a, b in zip([0, *cuts], [*cuts, len(rows)], strict=True)]


@pytest.fixture
def feed(spark: SparkSession) -> Iterator[Feed]:
    with Feed(spark, SCHEMA, time="t", lateness=LATENESS) as fed:
        yield fed


def end(run: Run) -> None:
    run.watermark(START + timedelta(days=1))


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param("rows", marks=pytest.mark.slow),
        pytest.param("time", marks=pytest.mark.slow),
        pytest.param("policy", marks=pytest.mark.slow),
    ],
)
def test_a_stream_gives_what_a_batch_does_through_a_restart(
    feed: Feed, batches: dict[str, list[Row]], kind: str
) -> None:
    run = feed.start(asked(feed.frame, kind))
    first, *others = cut(ROWS, seed=len(kind))
    run.add(first)
    run.restart()
    too_late = {**ROWS[0], "number": -1}
    for batch in others:
        run.add([*batch, too_late])
    end(run)
    same(run.rows, batches[kind])


def test_results_on_change_end_as_those_of_a_batch(
    feed: Feed, batches: dict[str, list[Row]]
) -> None:
    run = feed.start(asked(feed.frame, "rows", emit=Emit.ON_CHANGE), mode="update")
    for batch in cut(ROWS, seed=3)[:2]:
        run.add(batch)
    before = {row["number"] for row in run.rows}
    run.add(cut(ROWS, seed=3)[2])
    end(run)
    assert before  # rows are answered as they arrive, before the watermark has passed them
    same(list({row["number"]: row for row in run.rows}.values()), batches["rows"])


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


@pytest.mark.slow
def test_another_bound_is_another_query(feed: Feed) -> None:
    def bounded(relative: float) -> DataFrame:
        query = wr.over(feed.frame, time="t", by="k").window(window.trailing(rows=5))
        return query.aggregate(sum=agg.sum("v").within(relative=relative))

    run = feed.start(bounded(0.1))
    run.add(ROWS[:10])
    run.restart(bounded(0.2))
    with pytest.raises(StreamingQueryException, match="holds the state of another query"):
        run.add(ROWS[10:20])
    run.restart(bounded(0.1))
    end(run)
    assert len(run.rows) == 20


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


def run_on(results: DataFrame, folder: Path) -> list[Any]:
    """Stream what is there, and stop; what the state store told of each micro-batch."""
    writer = results.writeStream.format("parquet").outputMode("append")
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    running = writer.trigger(availableNow=True).start(str(folder / "results"))
    running.awaitTermination()
    return [p["stateOperators"][0] for p in running.recentProgress if p["numInputRows"]]


def test_a_stream_keeps_several_times_less(spark: SparkSession, tmp_path: Path) -> None:
    values = np.random.default_rng(1).normal(50, 5, 12_000)
    times = pa.array(np.arange(len(values)) * 1_000_000 + 10**15, pa.timestamp("us", tz="UTC"))
    pq.write_table(pa.table({"t": times, "v": values}), tmp_path / "rows.parquet")
    stream = spark.readStream.schema("t timestamp, v double").parquet(str(tmp_path / "*.parquet"))
    query = wr.over(stream, time="t", order="arrival").window(window.trailing(rows=10_000))
    kept = {}
    for name, total in {
        "exact": agg.sum("v"),
        "bounded": agg.sum("v").within(relative=0.01),
    }.items():
        (state,) = run_on(query.aggregate(total=total), tmp_path / name)
        counts = state["customMetrics"]
        kept[name] = counts["rocksdbSstFileSize"], counts["rocksdbTotalBytesWritten"]
    on_disk, written = (whole / part for whole, part in zip(*kept.values(), strict=True))
    assert on_disk > 5
    assert written > 5
    (operator,) = operators_of(spark, (tmp_path / "bounded" / "checkpoint").as_uri())
    (key,) = kept_keys(operator, about_of(operator)).collect()
    assert (key["rows"], key["oldest"]) == (10_000, None)


def refusals() -> list[tuple[Callable[[Any], Any], str]]:
    total = agg.sum("v")
    return [
        (lambda q: q.approximate().aggregate(n=agg.count()), r"approximate\(\) bounds nothing"),
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
            "peak=max.*a column of type string, and candidates are predicted by numbers",
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
            lambda q: q.window(
                window.policy(keep=lambda w: w.n < 5, using={"n": agg.count()}, check=Check.VERIFY)
            ).aggregate(a=total.within(absolute=1)),
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


def test_a_plan_tells_how_exact_it_is_and_what_it_keeps(feed: Feed) -> None:
    query = wr.over(feed.frame, time="t", by="k").window(window.trailing(rows=5))
    plan = query.approximate(max_buckets=10_000).plan(
        sum=agg.sum("v").within(relative=0.001), peak=agg.max("v").within(), n=agg.count()
    )
    told = " ".join(plan.explain().split())
    for said in (
        "sum('v').within(relative=0.001, confidence=0.95): by SumLike(",
        "about 1,000 buckets for each key",
        "at most 10,000 buckets for each key",
        "a few in a hundred rows",
        "count(): by Footprint(buckets=10000)",
        "the buckets of its window, and no rows",
        "those of a key to one task",
    ):
        assert said in told
    assert plan.as_dict()["exactness"]
    exactly = query.plan(n=agg.count())
    assert not exactly.exactness
    assert "How exact" not in exactly.explain()
