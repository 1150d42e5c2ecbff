"""Every row of a stream is counted once: in a window, between windows, too late, or untimed."""

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import windrow as wr
from tests.spark.support import examples
from windrow import agg, window
from windrow.testing import Feed, Run

pytestmark = pytest.mark.usefixtures("one_partition")

NOON = datetime(2024, 7, 1, 12)
SIZE, EVERY = 3, 10  # seconds: most rows lie between windows
LATENESS = 5

_seconds = st.lists(st.one_of(st.integers(0, 100), st.none()), min_size=1, max_size=25)
_batches = st.lists(_seconds, min_size=2, max_size=3).filter(lambda batches: len(batches[1]) > 5)


def counts_of(run: Run) -> Counter[str]:
    found: Counter[str] = Counter()
    for progress in run.progress:
        for name, told in (progress["observedMetrics"] or {}).items():
            if name.startswith("windrow"):
                found.update({what: told[what] or 0 for what in told.asDict()})
    return found


@pytest.mark.parametrize("order", ["waits", "folds"])
@given(batches=_batches)
@examples(1)
def test_each_row_is_counted_in_one_place(
    spark: SparkSession, order: str, batches: list[list[int | None]]
) -> None:
    over = window.hopping(f"{SIZE} s", every=f"{EVERY} s")
    aggregates: dict[str, Any] = {"n": agg.count()}
    aggregates |= {"values": agg.collect("v")} if order == "waits" else {"mid": agg.median("v")}
    with Feed(spark, "t timestamp, v int", time="t", lateness=f"{LATENESS} s") as feed:
        run = feed.start(wr.over(feed.frame, time="t").window(over).aggregate(**aggregates))
        for batch in batches:
            run.add(
                {"t": None if s is None else NOON + timedelta(seconds=s), "v": s} for s in batch
            )
        run.watermark(NOON + timedelta(hours=1))
        counts = counts_of(run)
        in_windows = sum(row["n"] for row in run.rows)
    rows = [second for batch in batches for second in batch]
    timed = [second for second in rows if second is not None]
    assert counts["rows"] == len(rows)
    assert counts["untimed"] == len(rows) - len(timed)
    assert counts["between"] == sum(second % EVERY >= SIZE for second in timed)
    assert in_windows + counts["between"] + counts["late"] + counts["untimed"] == counts["rows"]
