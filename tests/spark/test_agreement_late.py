"""Late rows: left out, counted and shown; and windows that close though their key is silent."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import windrow as wr
from windrow import agg, window
from windrow.algebra.aggregate import Aggregate
from windrow.testing import Feed, Run, check_rows, expected
from windrow.windows import Window

pytestmark = pytest.mark.usefixtures("one_partition")

NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)
COLUMNS = "k string, t timestamp, v bigint"
AGGREGATES: dict[str, Aggregate[Any]] = {"n": agg.count(), "all": agg.collect("v")}

Row = dict[str, Any]


def rows(*seconds: float | None, k: str = "a") -> list[Row]:
    return [
        {"k": k, "t": None if s is None else NOON + timedelta(seconds=s), "v": number}
        for number, s in enumerate(seconds)
    ]


def counted(run: Run, *what: str) -> int:
    """How many rows the metrics of the query tell of."""
    metrics = [p["observedMetrics"] for p in run.progress if p["observedMetrics"]]
    return sum(
        values.asDict().get(reason, 0)  # a number, or the sum fails
        for observed in metrics
        for name, values in observed.items()
        if name.startswith("windrow")
        for reason in what
    )


def started(feed: Feed, first: list[Row], queries: Sequence[DataFrame]) -> list[Run]:
    """Runs of queries after their first micro-batch.

    One by one: each starts a Python of its own, and Spark waits for that ten seconds at most.
    """
    feed.put(first)
    runs = []
    for query in queries:
        runs.append(feed.start(query))
        runs[-1].finish()
    return runs


def fed(feed: Feed, batches: Sequence[list[Row]], queries: Sequence[DataFrame]) -> list[Run]:
    """Runs of queries that have got the same micro-batches, and then the end."""
    runs = started(feed, batches[0], queries)
    for batch in batches[1:]:
        feed.put(batch)
        for run in runs:
            run.finish()
    feed.tick(NOON + timedelta(hours=1))
    for run in runs:
        run.finish()
    return runs


def test_exactly_the_rows_that_the_watermark_has_reached_are_left_out(spark: SparkSession) -> None:
    early, mixed = rows(0, 100), rows(95, 90.001, 90, 50, 101, None)
    in_time = [*early, mixed[0], mixed[1], mixed[4]]
    kinds: list[Window] = [
        window.trailing("30 s"),
        window.trailing(rows=2),
        window.session("5 s"),
        window.count(2),
    ]
    with Feed(spark, COLUMNS, time="t", lateness="10 s") as feed:
        asked = wr.over(feed.frame, time="t", by="k")
        queries = [asked.window(over).aggregate(**AGGREGATES) for over in kinds]
        late, *runs = fed(feed, [early, mixed], [queries[0].late(), *queries])
        check_rows(late.rows, [mixed[2], mixed[3], mixed[5]])
        for over, run in zip(kinds, runs, strict=True):
            wanted = expected(in_time, time="t", by="k", window=over, aggregates=AGGREGATES)
            check_rows(run.rows, wanted)
            assert counted(run, "late", "untimed") == 3
            assert counted(run, "rows") == len(early) + len(mixed)


def test_a_late_row_still_counts_in_windows_that_are_open(spark: SparkSession) -> None:
    over = window.hopping("20 s", every="10 s")
    early, mixed = rows(0, 100), rows(85, 79)
    with Feed(spark, COLUMNS, time="t", lateness="10 s") as feed:
        query = wr.over(feed.frame, time="t", by="k").window(over).aggregate(n=agg.count())
        run, late = fed(feed, [early, mixed], [query, query.late()])
        starts = {(r["window"]["start"] - NOON) // timedelta(seconds=1): r["n"] for r in run.rows}
        # The watermark is at 90: [70, 90) is over, [80, 100) is not.
        assert starts == {-10: 1, 0: 1, 80: 1, 90: 1, 100: 1}
        check_rows(late.rows, mixed[1:])
        assert counted(run, "late") == 1
        assert counted(run, "rows") == len(early) + len(mixed)


def test_windows_of_a_silent_key_close_when_others_move_the_watermark(spark: SparkSession) -> None:
    silent = rows(0, 1, k="silent")
    kinds: list[Window] = [window.tumbling("10 s"), window.session("5 s"), window.trailing("10 s")]
    with Feed(spark, COLUMNS, time="t", lateness="10 s") as feed:
        asked = wr.over(feed.frame, time="t", by="k")
        queries = [asked.window(over).aggregate(**AGGREGATES) for over in kinds]
        runs = started(feed, silent, queries)
        assert [run.rows for run in runs] == [[], [], []]
        feed.put(rows(60, k="talking"))
        for over, run in zip(kinds, runs, strict=True):
            wanted = expected(silent, time="t", by="k", window=over, aggregates=AGGREGATES)
            check_rows(run.finish(), wanted)


def test_a_row_is_either_in_results_or_among_late_rows(spark: SparkSession) -> None:
    """Both queries get the same rows in the same micro-batches, as the documents ask for."""
    random = Random(7)
    seconds = [60 * batch + random.randint(-120, 60) for batch in range(3) for _ in range(16)]
    batches = [rows(*seconds[at : at + 16], None) for at in range(0, len(seconds), 16)]
    aggregates = {"n": agg.count(), "top": agg.max("v"), "total": agg.sum("v")}
    kinds: list[tuple[Window, dict[str, Any]]] = [
        (window.tumbling("10 s"), {"strategy": "native"}),
        (window.tumbling("10 s"), {"strategy": "stateful"}),
        (window.trailing("30 s"), {}),
        (window.session("5 s"), {}),
    ]
    with Feed(spark, COLUMNS, time="t", lateness="10 s") as feed:
        asked = wr.over(feed.frame, time="t", by="k")
        queries = [asked.window(over, **how).aggregate(**aggregates) for over, how in kinds]
        runs = fed(feed, batches, [*queries, *(query.late() for query in queries)])
        for (over, _), run, late in zip(kinds, runs[: len(kinds)], runs[len(kinds) :], strict=True):
            left = [row for batch in batches for row in batch]
            for row in late.rows:
                left.remove(row)
            assert 2 * len(batches) < len(late.rows) < len(seconds)
            wanted = expected(left, time="t", by="k", window=over, aggregates=aggregates)
            check_rows(run.rows, wanted)
