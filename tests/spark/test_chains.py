"""A stream of results is a stream like any other: queries over queries, Spark's own among them."""

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr
from tests.spark.streams import LATENESS, arrivals, end_of, joined
from tests.spark.support import SCHEMA, WINDOWS, Row, examples
from windrow import agg, window
from windrow.algebra.aggregate import Aggregate
from windrow.errors import InputError
from windrow.testing import Feed, Run, check_rows, expected
from windrow.windows import Policy, TrailingRows, TrailingTime, Window

pytestmark = pytest.mark.usefixtures("one_partition")

# The first query reads columns of the rows, the others what the one before has made of them.
FIRST: dict[str, Aggregate[Any]] = {"n": agg.count(), "s": agg.sum("i"), "top": agg.max("i")}
NEXT: dict[str, Aggregate[Any]] = {"n": agg.sum("n"), "s": agg.sum("s"), "top": agg.max("top")}

# The slow test below draws chains of all kinds.
CHAINS = [
    ("trailing time", "tumbling"),
    ("session", "trailing time"),
    ("count", "trailing rows", "hopping"),
]


def per_row(kind: Window) -> bool:
    return isinstance(kind, TrailingTime | TrailingRows | Policy)


def time_of(kind: Window) -> str:
    """The column of a query's results that is their event time."""
    return "t" if per_row(kind) else "window"


def chained(frame: DataFrame, chain: Sequence[Window]) -> DataFrame:
    """A query over a query over a query."""
    time, aggregates = "t", FIRST
    for kind in chain:
        frame = wr.over(frame, time=time, by="k").window(kind).aggregate(**aggregates)
        if per_row(kind):
            frame = frame.withColumnRenamed(frame.columns[0], "t")  # window_time after windows
        time, aggregates = time_of(kind), NEXT
    return frame


def by_oracle(rows: Sequence[Row], chain: Sequence[Window]) -> list[dict[str, Any]]:
    """The same, each query recomputed from all results of the one before."""
    found: list[dict[str, Any]] = [dict(row) for row in rows]
    time, aggregates = "t", FIRST
    for place, kind in enumerate(chain):
        if place and time == "window":
            found = [{**row, "t": last_moment(row["window"])} for row in found]
        found = expected(found, time="t", by="k", window=kind, aggregates=aggregates)
        time, aggregates = time_of(kind), NEXT
    return found


def last_moment(bounds: Mapping[str, Any]) -> datetime:
    end: datetime = bounds["end"]
    return end if {"last", "nth"} & bounds.keys() else end - timedelta(microseconds=1)


def without_ties(batches: list[list[Row]]) -> list[list[Row]]:
    """Of rows with one key and time the first: which of them is later nothing tells downstream."""
    seen: set[tuple[Any, Any]] = set()
    kept: list[list[Row]] = []
    for batch in batches:
        kept.append([])
        for row in batch:
            if (row["k"], row["t"]) not in seen:
                seen.add((row["k"], row["t"]))
                kept[-1].append(row)
    return kept


def check_chain(
    spark: SparkSession, chain: Sequence[Window], batches: list[list[Row]], restart_at: int
) -> None:
    with Feed(spark, SCHEMA, time="t", lateness=LATENESS) as feed:
        run = feed.start(chained(feed.frame, chain))
        for number, batch in enumerate(batches):
            if number == restart_at:
                run.restart()
            run.add(batch)
        run.watermark(end_of(joined(batches)))
        check_rows(run.rows, by_oracle(joined(batches), chain), scale=1e6)


@pytest.mark.parametrize("kinds", CHAINS, ids=" → ".join)
@examples(1)
@given(data=st.data(), batches=arrivals().map(without_ties))
def test_a_query_over_the_results_of_others_gives_what_recomputing_them_does(
    spark: SparkSession, kinds: Sequence[str], data: st.DataObject, batches: list[list[Row]]
) -> None:
    chain = [data.draw(WINDOWS[kind]) for kind in kinds]
    check_chain(spark, chain, batches, data.draw(st.integers(1, len(batches))))


# What has no event time to go on with, or reads columns that results have not.
_CHAINABLE = [kind for kind in WINDOWS if kind not in ("punctuated", "policy")]


@pytest.mark.slow
@examples(40)
@given(data=st.data(), batches=arrivals().map(without_ties))
def test_any_chain_of_two_or_three_queries_gives_what_recomputing_them_does(
    spark: SparkSession, data: st.DataObject, batches: list[list[Row]]
) -> None:
    kinds = data.draw(st.lists(st.sampled_from(_CHAINABLE), min_size=2, max_size=3))
    chain = [data.draw(WINDOWS[kind]) for kind in kinds]
    check_chain(spark, chain, batches, data.draw(st.integers(1, len(batches))))


NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)


def at(*seconds: float, k: str = "a") -> list[Row]:
    return [
        {"k": k, "t": NOON + timedelta(seconds=s), "i": number} for number, s in enumerate(seconds)
    ]


def finish(feed: Feed, *runs: Run) -> None:
    """Rows of a minute and a bit, some of them late but in time, and the end."""
    for batch in (at(0, 5, 12, 31), at(29, 33, 58), at(61, 62, 75)):
        feed.put(batch)
        for run in runs:
            run.finish()
    feed.tick(NOON + timedelta(hours=1))
    for run in runs:
        run.finish()


def test_sparks_own_windows_go_on_with_the_watermark_of_results(spark: SparkSession) -> None:
    with Feed(spark, SCHEMA, time="t", lateness="10 s") as feed:
        tens = wr.over(feed.frame, time="t", by="k").window(window.tumbling("10 s"))
        sessions = wr.over(feed.frame, time="t", by="k").window(window.session("4 s"))
        found = {
            "window": feed.start(
                tens.aggregate(all=agg.collect("i"), n=agg.count())
                .groupBy(F.window("window", "30 seconds"))
                .agg(F.sum("n").alias("n"))
            ),
            "window_time": feed.start(
                sessions.aggregate(n=agg.count())
                .withColumn("ended", F.window_time("window"))
                .groupBy(F.window("ended", "30 seconds"))
                .agg(F.sum("n").alias("n"))
            ),
        }
        finish(feed, *found.values())
        for name, run in found.items():
            starts = {(r["window"]["start"] - NOON).seconds: r["n"] for r in run.rows}
            # The session from 29 to 33 ends at 37, the one from 58 to 62 at 66.
            assert starts == ({0: 4, 30: 3, 60: 3} if name == "window" else {0: 3, 30: 3, 60: 4})


MICRO = timedelta(microseconds=1)


def by_spark(frame: DataFrame, bounds: Column) -> DataFrame:
    """The first query of a chain in Spark's own words."""
    found = frame.groupBy(bounds.alias("window"), "k")
    return found.agg(F.count("*").alias("n"), F.sum("i").alias("s"), F.max("i").alias("top"))


def test_nothing_that_sparks_own_aggregation_emits_is_late(spark: SparkSession) -> None:
    """Windows end a microsecond behind watermarks: their times are the watermarks before."""
    tens, sessions = window.tumbling("10 s", offset=MICRO), window.session("4 s")
    twenties, near = window.tumbling("20 s", offset=MICRO), window.trailing("20 s")
    batches = [at(0, 5, 12, 20), at(14, 25.000001, 30), at(39), at(50), at(75)]
    with Feed(spark, SCHEMA, time="t", lateness="10 s") as feed:
        for batch in batches:
            feed.put(batch)
        feed.tick(NOON + timedelta(hours=1))
        for number, file in enumerate(sorted((feed.folder / "rows").iterdir())):
            os.utime(file, (number, number))  # by which Spark puts them in order

        def check(frame: DataFrame, *chain: Window) -> None:
            run = feed.start(frame)
            run.finish()
            run.stop()
            check_rows(run.rows, by_oracle(joined(batches), chain), scale=1e6)

        def windowed(frame: DataFrame, kind: Window) -> DataFrame:
            return wr.over(frame, time="window", by="k").window(kind).aggregate(**NEXT)

        once = spark.sql("SELECT DISTINCT k, t, i FROM {rows}", rows=feed.frame)
        aligned = by_spark(feed.frame, F.window("t", "10 seconds", startTime="1 microsecond"))
        silent = by_spark(feed.frame, F.session_window("t", "4 seconds"))
        check(chained(once, [near]), near)
        check(windowed(aligned, twenties), tens, twenties)
        check(windowed(silent, near).withColumnRenamed("window_time", "t"), sessions, near)
        check(chained(feed.frame, [tens, twenties]), tens, twenties)


def test_results_join_results_as_streams_do(spark: SparkSession) -> None:
    with Feed(spark, SCHEMA, time="t", lateness="10 s") as feed:
        rows = wr.over(feed.frame, time="t", by="k")
        tens = rows.window(window.tumbling("10 s")).aggregate(n=agg.count())
        tops = rows.window(window.hopping("10 s", every="5 s")).aggregate(last=agg.last("i"))
        of_rows = rows.window(window.trailing("5 s")).aggregate(near=agg.count())
        by_window = feed.start(tens.join(tops, ["window", "k"]))
        by_time = feed.start(
            of_rows.join(
                tens.withColumnRenamed("k", "of"),
                F.expr("k = of and t >= window.start and t < window.end"),
            )
        )
        finish(feed, by_window, by_time)
        told = {(r["window"]["start"] - NOON).seconds: (r["n"], r["last"]) for r in by_window.rows}
        assert told == {
            0: (2, 1),
            10: (1, 2),
            20: (1, 0),
            30: (2, 1),
            50: (1, 2),
            60: (2, 1),
            70: (1, 2),
        }
        assert sorted((r["t"] - NOON).seconds for r in by_time.rows) == [
            0, 5, 12, 29, 31, 33, 58, 61, 62, 75,
        ]  # fmt: skip


def test_a_query_over_joined_results_goes_by_the_later_time(spark: SparkSession) -> None:
    """By the earlier one its rows would be late: a join gives them when both sides have come."""
    with Feed(spark, SCHEMA, time="t", lateness="10 s") as feed:
        rows = wr.over(feed.frame, time="t", by="k")
        tens = rows.window(window.tumbling("10 s")).aggregate(n=agg.count())
        twenties = rows.window(window.hopping("20 s", every="10 s")).aggregate(of_both=agg.count())
        long = twenties.withColumnsRenamed({"window": "later", "k": "of"})
        joined = tens.join(long, F.expr("k = of and later.start = window.start"))
        halves = wr.over(joined, time="later", by="k").window(window.tumbling("30 s"))
        run = feed.start(halves.aggregate(n=agg.sum("n"), of_both=agg.sum("of_both")))
        finish(feed, run)
        starts = {(r["window"]["start"] - NOON).seconds: (r["n"], r["of_both"]) for r in run.rows}
        # Tens begin at 0, 10, 20, 30, 50, 60 and 70; their twenties end 20 seconds later.
        assert starts == {0: (3, 5), 30: (3, 5), 60: (4, 7)}


def test_times_without_a_zone_go_on_too(spark: SparkSession, tmp_path: Path) -> None:
    seconds = [(0, 5, 12, 31), (29, 33, 58), (61, 62, 75), (3600,)]
    for number, batch in enumerate(seconds):
        lines = [f'{{"t": "{(NOON + timedelta(seconds=s)).replace(tzinfo=None)}"}}' for s in batch]
        file = tmp_path / f"{number}.json"
        file.write_text("\n".join(lines))
        os.utime(file, (number, number))  # by which Spark puts them in order
    stream = spark.readStream.schema("t timestamp_ntz").option("maxFilesPerTrigger", 1)
    rows = wr.over(stream.json(str(tmp_path)), time="t", lateness="10 s")
    near = rows.window(window.trailing("5 s")).aggregate(n=agg.count())
    tens = wr.over(near, time="t").window(window.tumbling("10 s")).aggregate(n=agg.sum("n"))
    halves = wr.over(tens, time="window").window(window.tumbling("30 s"))
    result = halves.aggregate(n=agg.sum("n"))
    assert result.schema["window"].dataType.simpleString().count("timestamp_ntz") == 2
    query = result.writeStream.format("memory").queryName("halves").trigger(availableNow=True)
    query.start().awaitTermination()
    noon = NOON.replace(tzinfo=None)
    found = {(row.window.start - noon).seconds: row.n for row in spark.table("halves").collect()}
    assert found == {0: 4, 30: 6, 60: 6}


def frame(spark: SparkSession) -> DataFrame:
    rate = spark.readStream.format("rate").load()
    return rate.withColumnRenamed("timestamp", "t").withColumn("marked", F.col("value") > 3)


@pytest.mark.parametrize(
    ("first", "options", "reason"),
    [
        (window.trailing("1 min"), {"emit": "on_change"}, "on_close"),
        (window.trailing("1 min"), {"order": "arrival"}, "order='time'"),
        (window.punctuated(start="marked"), {}, "punctuated(end="),
    ],
    ids=["on change", "as rows arrive", "ended by the next start"],
)
def test_results_that_come_behind_the_watermark_are_refused(
    spark: SparkSession, first: Window, options: dict[str, Any], reason: str
) -> None:
    one = wr.over(frame(spark), time="t", lateness="1 min", **options).window(first)
    results = one.aggregate(n=agg.count())
    two = wr.over(results, time=time_of(first)).window(window.tumbling("1 h"))
    with pytest.raises(InputError) as caught:
        two.aggregate(n=agg.sum("n"))
    assert reason in str(caught.value)


def test_results_that_come_again_are_refused_whatever_the_time(spark: SparkSession) -> None:
    rows = wr.over(frame(spark), time="t", emit="on_change", order="arrival")
    results = rows.window(window.count(3)).aggregate(n=agg.count(), latest=agg.max("t"))
    hours, rows_of = window.tumbling("1 h"), window.trailing(rows=3)
    results.createOrReplaceTempView("versions")
    for again in (
        wr.over(results, time="window", lateness="1 min").window(hours),
        wr.over(spark.table("versions"), time="latest", lateness="1 min").window(hours),
        wr.over(results.select("latest", "n"), time="latest", order="arrival").window(rows_of),
    ):
        with pytest.raises(InputError, match="every version would count; use emit='on_close'"):
            again.aggregate(n=agg.sum("n"))


def test_results_without_a_watermark_may_get_one(spark: SparkSession) -> None:
    rows = wr.over(frame(spark), time="t", order="arrival").window(window.trailing(rows=2))
    results, hours = rows.aggregate(n=agg.count()), window.tumbling("1 h")
    for query in (
        wr.over(results, time="t", lateness="1 min"),
        wr.over(results.withWatermark("t", "1 minute"), time="t"),
    ):
        assert query.window(hours).aggregate(n=agg.sum("n")).isStreaming


def test_results_of_results_cannot_be_told_on_change(spark: SparkSession) -> None:
    one = wr.over(frame(spark), time="t", lateness="1 min").window(window.trailing("1 min"))
    two = wr.over(one.aggregate(n=agg.count()), time="t", emit="on_change")
    with pytest.raises(InputError, match="use emit='on_close'"):
        two.window(window.tumbling("1 h")).aggregate(n=agg.sum("n"))


def test_a_second_watermark_is_refused_with_the_column_that_has_the_first(
    spark: SparkSession,
) -> None:
    one = wr.over(frame(spark), time="t", lateness="1 min").window(window.tumbling("1 min"))
    results = one.aggregate(n=agg.count(), latest=agg.max("t"))
    with pytest.raises(InputError, match="would never move; give time='window'"):
        wr.over(results, time="latest", lateness="1 min").window(window.tumbling("1 h")).aggregate(
            n=agg.sum("n")
        )
    with pytest.raises(InputError, match="keep the column that has it"):
        wr.over(results.drop("window"), time="latest", lateness="1 min").window(
            window.tumbling("1 h")
        ).aggregate(n=agg.sum("n"))


def test_a_watermark_on_rows_that_wait_for_another_is_refused(spark: SparkSession) -> None:
    rows = frame(spark).withWatermark("t", "1 minute")
    one = wr.over(rows, time="t").window(window.tumbling("1 min"))
    results = one.aggregate(n=agg.count(), latest=agg.max("t"))
    for frame_of_results in (results, results.where("n > 1")):
        with pytest.raises(InputError, match="would never move; leave it out"):
            frame_of_results.withWatermark("latest", "1 minute")
    results.createOrReplaceTempView("minutes")
    once = spark.sql("SELECT DISTINCT t FROM {rows}", rows=rows)
    hours = window.tumbling("1 h")
    for waiting, time in ((spark.table("minutes"), "latest"), (once, "t")):
        again = wr.over(waiting.withWatermark(time, "1 minute"), time=time).window(hours)
        with pytest.raises(InputError, match="would never move; leave it out"):
            again.aggregate(n=agg.count())
    # What waits for nothing may lie between two watermarks: they move together.
    totals = spark.range(3).groupBy("id").count()
    known = rows.join(totals, F.col("value") == F.col("id")).dropDuplicates(["value"])
    twice = wr.over(known.withWatermark("t", "2 minutes"), time="t").window(hours)
    assert twice.aggregate(n=agg.count()).isStreaming


def test_windows_are_a_time_in_a_batch_as_well(spark: SparkSession) -> None:
    rows = spark.createDataFrame(at(0, 5, 12, 31), "k string, t timestamp, i bigint")
    tens = wr.over(rows, time="t").window(window.tumbling("10 s")).aggregate(n=agg.count())
    # The last moment of [10, 20) is in [0, 20), its end is not.
    of_ends = {0: 2, 20: 1, 40: 1}
    for time, wanted in (
        ("window", {0: 3, 20: 1}),
        (F.window_time("window"), {0: 3, 20: 1}),
        ("window.end", of_ends),
        (F.col("window.end"), of_ends),
    ):
        found = wr.over(tens, time=time).window(window.tumbling("20 s")).aggregate(n=agg.sum("n"))
        starts = {(r.window.start.astimezone(UTC) - NOON).seconds: r.n for r in found.collect()}
        assert starts == wanted
