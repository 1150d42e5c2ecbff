"""A stream of which one key has nearly all rows, beside one whose rows are spread evenly."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import windrow as wr
from benchmarks.findings import Experiment, Findings, at_least, chosen
from benchmarks.measure import Bench, Measured
from benchmarks.spark.data import MINUTE_US, readings
from benchmarks.spark.ratios import rates_table
from benchmarks.spark.streams import Batches, Start, batches, rates, write_batches
from windrow import agg, window
from windrow.windows import Window

__all__ = ["STREAM_HOT", "StreamHotSizes", "run"]

_EVEN, _HOT = "even keys", "one key with 95 %"
_KEYS = 100
_SPAN_US = 20 * MINUTE_US

_HOPPING = window.hopping("1 hour", every="1 minute")
_QUERIES: Mapping[str, tuple[Window, Any]] = {
    "hopping max": (_HOPPING, agg.max("value")),
    "hopping last": (_HOPPING, agg.last("value")),
    "hopping quantile sketch": (_HOPPING, agg.quantile_sketch(0.5, "value")),
    "hopping median": (_HOPPING, agg.median("value")),
    "trailing mean": (window.trailing("10 minutes"), agg.mean("value")),
    "session max": (window.session("1 second"), agg.max("value")),
}


@dataclass(frozen=True)
class StreamHotSizes:
    """Batches, and the rows in each."""

    batches: int
    rows: int


def run(sizes: StreamHotSizes, bench: Bench) -> Findings:
    """Both streams take turns, query by query."""
    measured: list[Measured] = []
    with (
        batches(sizes.batches, sizes.rows, _KEYS, _SPAN_US) as even,
        _hot_batches(sizes) as hot,
    ):
        for name in _QUERIES:
            start = _start(name)
            measured += rates(bench, {"query": name}, {_EVEN: (start, even), _HOT: (start, hot)})
    what = "a stream with a hot key, {}: as fast as with even keys"
    bars = [at_least(what.format(name), 0.9, _ratio(measured, name), "x") for name in _QUERIES]
    notes = [f"{sizes.batches} batches of {sizes.rows:,} rows, {_KEYS} keys, 20 minutes in each."]
    return Findings(measured, [rates_table(measured, ["query"])], bars, notes)


def _start(name: str) -> Start:
    over, aggregate = _QUERIES[name]

    def begun(df: DataFrame) -> DataFrame:
        query = wr.over(df, time="ts", by="sensor", lateness="10 seconds").window(over)
        return query.aggregate(found=aggregate)

    return begun


def _ratio(measured: list[Measured], name: str) -> list[float]:
    [even] = chosen(measured, contender=_EVEN, query=name)
    [hot] = chosen(measured, contender=_HOT, query=name)
    return [even.median / hot.median]


@contextmanager
def _hot_batches(sizes: StreamHotSizes) -> Iterator[Batches]:
    """The same readings, but 95 in a hundred are of one sensor."""
    of_one = F.pmod(F.xxhash64("ts"), F.lit(100)) < 95
    with TemporaryDirectory() as name:
        folder = Path(name) / "batches"
        starts = range(0, sizes.batches * sizes.rows, sizes.rows)
        write_batches(
            folder,
            (
                readings(sizes.rows, _KEYS, _SPAN_US, before=start).withColumn(
                    "sensor", F.when(of_one, F.lit(0).cast("long")).otherwise(F.col("sensor"))
                )
                for start in starts
            ),
        )
        yield Batches(folder, sizes.rows)


STREAM_HOT = Experiment(
    name="stream-hot",
    question="a stream of which one key has 95 % of the rows",
    run=run,
    full=StreamHotSizes(batches=8, rows=500_000),
    quick=StreamHotSizes(batches=3, rows=20_000),
)
