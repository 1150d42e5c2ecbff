"""A stream's trailing mean, a result for each row, for few keys and many."""

from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta

from pyspark.sql import DataFrame

import windrow as wr
from benchmarks.findings import Bar, Experiment, Findings, at_least, at_most
from benchmarks.measure import Bench, Measured
from benchmarks.spark.data import MINUTE_US
from benchmarks.spark.ratios import rates_table, rows_per_second
from benchmarks.spark.streams import batches, rates
from windrow import agg, window

__all__ = ["NOTE", "SPAN_US", "STREAM_TRAILING", "WIDTH", "StreamTrailingSizes", "ours", "run"]

SPAN_US = 10 * MINUTE_US
WIDTH = timedelta(minutes=1)
NOTE = (
    "Each batch covers 10 minutes; for each row the mean of the last minute; rows may be "
    "10 seconds late.  Rates are those of the batches from the third on."
)


@dataclass(frozen=True)
class StreamTrailingSizes:
    """Batches, the rows in each, and how many keys they have."""

    batches: int
    rows: int
    keys: tuple[int, ...]


def run(sizes: StreamTrailingSizes, bench: Bench) -> Findings:
    """Streams with few keys and with many take turns."""
    with ExitStack() as stack:
        sources = {
            f"{keys:,} keys": stack.enter_context(batches(sizes.batches, sizes.rows, keys, SPAN_US))
            for keys in sizes.keys
        }
        contenders = {name: (ours, source) for name, source in sources.items()}
        measured = rates(bench, {"batch": sizes.rows}, contenders)
    return Findings(
        measured,
        [rates_table(measured, ["batch"])],
        [*_rate_bars(measured), _evenness(measured)],
        [f"{sizes.batches} batches of {sizes.rows:,} rows.  {NOTE}"],
    )


def _rate_bars(measured: list[Measured]) -> list[Bar]:
    return [
        at_least(f"streaming trailing mean, {m.contender}", 800_000, [rows_per_second(m)], "rows/s")
        for m in measured
    ]


def _evenness(measured: list[Measured]) -> Bar:
    medians = [m.median for m in measured]
    return at_most(
        "streaming trailing mean: the slowest number of keys as long as the fastest",
        2,
        [max(medians) / min(medians)],
        "x",
    )


def ours(df: DataFrame) -> DataFrame:
    """Windrow's: rows wait for the watermark, so that the stream equals the batch."""
    query = wr.over(df, time="ts", by="sensor", lateness="10 seconds")
    return query.window(window.trailing(WIDTH)).aggregate(mean=agg.mean("value"))


STREAM_TRAILING = Experiment(
    name="stream-trailing",
    question="a stream's trailing mean for few keys and many",
    run=run,
    full=StreamTrailingSizes(batches=6, rows=1_000_000, keys=(1, 100, 10_000, 200_000)),
    quick=StreamTrailingSizes(batches=3, rows=50_000, keys=(1, 10_000)),
)
