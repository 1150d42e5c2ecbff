"""Late rows: left out, counted and shown; and windows that close though their key is silent."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from pyspark.sql import SparkSession

import windrow as wr
from windrow import agg, window
from windrow.algebra.aggregate import Aggregate
from windrow.testing import Feed, Run, check_rows, expected
from windrow.windows import Window

pytestmark = pytest.mark.xdist_group("spark")

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


@pytest.mark.parametrize(
    "over",
    [
        window.trailing("30 s"),
        pytest.param(window.trailing(rows=2), marks=pytest.mark.slow),
        pytest.param(window.session("5 s"), marks=pytest.mark.slow),
        pytest.param(window.count(2), marks=pytest.mark.slow),
    ],
    ids=repr,
)
def test_exactly_the_rows_that_the_watermark_has_reached_are_left_out(
    spark: SparkSession, over: Window
) -> None:
    early, mixed = rows(0, 100), rows(95, 90.001, 90, 50, 101, None)
    in_time = [*early, mixed[0], mixed[1], mixed[4]]
    with Feed(spark, COLUMNS, time="t", lateness="10 s") as feed:
        query = wr.over(feed.frame, time="t", by="k").window(over).aggregate(**AGGREGATES)
        run, late = feed.start(query), feed.start(query.late())
        for batch in (early, mixed):
            run.add(batch)
        run.watermark(NOON + timedelta(hours=1))
        late.finish()
        wanted = expected(in_time, time="t", by="k", window=over, aggregates=AGGREGATES)
        check_rows(run.rows, wanted)
        check_rows(late.rows, [mixed[2], mixed[3], mixed[5]])
        assert counted(run, "late", "untimed") == 3
        assert counted(run, "rows") == len(early) + len(mixed)


def test_a_late_row_still_counts_in_windows_that_are_open(spark: SparkSession) -> None:
    over = window.hopping("20 s", every="10 s")
    early, mixed = rows(0, 100), rows(85, 79)
    with Feed(spark, COLUMNS, time="t", lateness="10 s") as feed:
        query = wr.over(feed.frame, time="t", by="k").window(over).aggregate(n=agg.count())
        run, late = feed.start(query), feed.start(query.late())
        for batch in (early, mixed):
            run.add(batch)
        run.watermark(NOON + timedelta(hours=1))
        late.finish()
        starts = {(r["window"]["start"] - NOON) // timedelta(seconds=1): r["n"] for r in run.rows}
        # The watermark is at 90: [70, 90) is over, [80, 100) is not.
        assert starts == {-10: 1, 0: 1, 80: 1, 90: 1, 100: 1}
        check_rows(late.rows, mixed[1:])
        assert counted(run, "late") == 1
        assert counted(run, "rows") == len(early) + len(mixed)


@pytest.mark.parametrize(
    "over",
    [
        pytest.param(window.tumbling("10 s"), marks=pytest.mark.slow),
        pytest.param(window.session("5 s"), marks=pytest.mark.slow),
        window.trailing("10 s"),
    ],
    ids=repr,
)
def test_windows_of_a_silent_key_close_when_others_move_the_watermark(
    spark: SparkSession, over: Window
) -> None:
    with Feed(spark, COLUMNS, time="t", lateness="10 s") as feed:
        query = wr.over(feed.frame, time="t", by="k").window(over).aggregate(**AGGREGATES)
        run = feed.start(query)
        silent = rows(0, 1, k="silent")
        assert run.add(silent) == []
        closed = run.add(rows(60, k="talking"))
        wanted = expected(silent, time="t", by="k", window=over, aggregates=AGGREGATES)
        check_rows(closed, wanted)


@pytest.mark.parametrize(
    ("over", "options"),
    [
        (window.tumbling("10 s"), {"strategy": "native"}),
        (window.tumbling("10 s"), {"strategy": "panes"}),
        (window.trailing("30 s"), {}),
        pytest.param(window.session("5 s"), {}, marks=pytest.mark.slow),
        pytest.param(window.tumbling("10 s"), {"strategy": "stateful"}, marks=pytest.mark.slow),
    ],
    ids=repr,
)
def test_a_row_is_either_in_results_or_among_late_rows(
    spark: SparkSession, over: Window, options: dict[str, Any]
) -> None:
    """Both queries get the same rows in the same micro-batches, as the documents ask for."""
    random = Random(7)
    seconds = [30 * batch + random.randint(-60, 30) for batch in range(6) for _ in range(8)]
    batches = [rows(*seconds[at : at + 8], None) for at in range(0, len(seconds), 8)]
    with Feed(spark, COLUMNS, time="t", lateness="10 s") as feed:
        query = wr.over(feed.frame, time="t", by="k").window(over, **options)
        result = query.aggregate(n=agg.count(), top=agg.max("v"), total=agg.sum("v"))
        run, late = feed.start(result), feed.start(result.late())
        for batch in batches:
            run.add(batch)
            late.finish()
        run.watermark(NOON + timedelta(hours=1))
        late.finish()
        left = [row for batch in batches for row in batch]
        for row in late.rows:
            left.remove(row)
        assert 2 * len(batches) < len(late.rows) < len(seconds)
        aggregates = {"n": agg.count(), "top": agg.max("v"), "total": agg.sum("v")}
        check_rows(run.rows, expected(left, time="t", by="k", window=over, aggregates=aggregates))
