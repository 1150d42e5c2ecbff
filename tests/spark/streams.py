"""Streams for the tests: rows that arrive late, but not too late, in drawn micro-batches."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta

from hypothesis import strategies as st
from pyspark.sql import SparkSession

from tests.spark.support import ORIGINS, SCHEMA, Asked, Row, rows_from
from windrow.testing import Feed, Run
from windrow.windows import Emit

LATENESS = timedelta(seconds=20)

# Spark's watermark starts in 1970 and never moves back: streams of earlier times never close.
_ORIGINS = [origin for origin in ORIGINS if origin.year > 1970]

Batches = list[list[Row]]


def arrivals() -> st.SearchStrategy[Batches]:
    """Two or three micro-batches of rows, none of which is behind the watermark when it arrives.

    Spark follows each by one without rows, and the end by two more: a third is for what must go on
    after it went on once.
    """
    rows = st.sampled_from(_ORIGINS).flatmap(lambda origin: rows_from(origin, min_size=15))
    return rows.filter(_varied).flatmap(_arranged)


def _varied(rows: list[Row]) -> bool:
    # Hypothesis begins with the simplest example, and a stream may have one example only.
    return len({row["t"] for row in rows}) > 5


def _arranged(rows: list[Row]) -> st.SearchStrategy[Batches]:
    # A row sorted by a time less than the lateness after its own comes before any row that is so
    # much later that the watermark passes it.
    delays = st.lists(
        st.integers(0, LATENESS // timedelta(seconds=1) - 1),
        min_size=len(rows),
        max_size=len(rows),
    )
    cuts = st.lists(st.integers(0, len(rows)), min_size=1, max_size=2).map(sorted)
    return st.builds(lambda late, at: _cut(_delayed(rows, late), at), delays, cuts)


def _delayed(rows: list[Row], seconds: list[int]) -> list[Row]:
    arriving = [row["t"] + timedelta(seconds=s) for row, s in zip(rows, seconds, strict=True)]
    return [rows[place] for place in sorted(range(len(rows)), key=arriving.__getitem__)]


def _cut(rows: list[Row], cuts: list[int]) -> Batches:
    return [rows[a:b] for a, b in zip([0, *cuts], [*cuts, len(rows)], strict=True)]


def joined(batches: Iterable[Sequence[Row]]) -> list[Row]:
    """All rows in order of arrival."""
    return [row for batch in batches for row in batch]


def end_of(rows: Sequence[Row]) -> datetime:
    """A moment at which every window of the tests is over."""
    return max((row["t"] for row in rows), default=_ORIGINS[0]) + timedelta(days=800)


@contextmanager
def stream(spark: SparkSession, asked: Asked) -> Iterator[Run]:
    """The query over a stream of rows like SCHEMA."""
    with Feed(spark, SCHEMA, time="t", lateness=LATENESS) as feed:
        mode = "append" if asked.emit is Emit.ON_CLOSE else "update"
        yield feed.start(asked.of(feed.frame), mode=mode)


def fed(run: Run, batches: Batches) -> list[Row]:
    """All that the stream answers, first to last, until every window is over."""
    for batch in batches:
        run.add(batch)
    run.watermark(end_of(joined(batches)))
    return run.rows
