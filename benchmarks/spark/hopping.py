"""Hopping windows beside Spark's own, while Spark's own finish: size/slide 1 and 60."""

from dataclasses import dataclass
from functools import partial

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import windrow as wr
from benchmarks.findings import Experiment, Findings, at_least
from benchmarks.measure import Bench, Measured
from benchmarks.spark.contenders import compared
from benchmarks.spark.data import cached, readings
from benchmarks.spark.ratios import WINDROW, faster, times_table
from windrow import agg, window
from windrow.windows import Hopping

__all__ = ["HOPPING", "NATIVE", "HoppingSizes", "native", "ours", "run"]

NATIVE = "native"
_BARS = {1: 0.9, 60: 8}


@dataclass(frozen=True)
class HoppingSizes:
    """A day of readings."""

    rows: int
    keys: int
    slides: tuple[int, ...] = tuple(_BARS)  # in a window


def run(sizes: HoppingSizes, bench: Bench) -> Findings:
    """Windows that hop by a minute."""
    measured: list[Measured] = []
    with cached(readings(sizes.rows, sizes.keys)) as df:
        for slides in sizes.slides:
            hopping = window.hopping(f"{slides} minutes", every="1 minute")
            queries = {
                WINDROW: partial(ours, df, hopping),
                NATIVE: partial(native, df, slides),
            }
            measured += compared(bench, {"size/slide": slides}, queries)
    return Findings(
        measured,
        [times_table(measured, ["size/slide"])],
        [
            at_least(
                f"hopping, size/slide {slides}: as fast as native",
                bar,
                faster(measured, NATIVE, **{"size/slide": slides}),
                "x",
            )
            for slides, bar in _BARS.items()
        ],
        [f"{sizes.rows:,} rows, {sizes.keys} keys, a day; max; windows hop by a minute."],
    )


def ours(df: DataFrame, hopping: Hopping) -> DataFrame:
    """Windrow's."""
    return wr.over(df, time="ts", by="sensor").window(hopping).aggregate(peak=agg.max("value"))


def native(df: DataFrame, minutes: int) -> DataFrame:
    """Spark's: every row once for each window it is in."""
    hopping = F.window("ts", f"{minutes} minutes", "1 minute").alias("window")
    return df.groupBy(hopping, "sensor").agg(F.max("value").alias("peak"))


HOPPING = Experiment(
    name="hopping",
    question="hopping windows beside Spark's own",
    run=run,
    full=HoppingSizes(rows=2_000_000, keys=100),
    quick=HoppingSizes(rows=100_000, keys=100),
)
