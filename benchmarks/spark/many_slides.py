"""Hopping windows of very many slides, where Spark's own take minutes or do not finish.

They are held against what cannot be left out: aggregating the rows once, by tumbling windows as
long as the slide, and writing the result.  Both are jobs of their own: the first is Spark's own
aggregation, written to `noop`; the second writes windrow's result, computed and held in memory
before.  Windrow has to do all of it, in at most twice the sum of their times.

Results are dropped by `noop`; where they are many more than the rows, they are also written to
files: handing them over is then most of the work of both sides.
"""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from benchmarks.findings import Experiment, Findings, at_most
from benchmarks.measure import Bench, Case, Contender, Measured
from benchmarks.spark.contenders import write as dropped
from benchmarks.spark.data import cached, readings
from benchmarks.spark.hopping import ours
from benchmarks.spark.ratios import WINDROW, slower, times_table
from windrow import window

__all__ = ["MANY_SLIDES", "ManySlidesSizes", "run"]

FLOOR = "tumbling + writing"


@dataclass(frozen=True)
class ManySlidesSizes:
    """A day of readings, windows of so many slides of so many seconds, and where results go."""

    rows: int
    keys: int
    windows: tuple[tuple[int, int, str], ...] = (
        (600, 60, "noop"),
        (3600, 60, "noop"),
        (3600, 1, "noop"),
        (3600, 1, "parquet"),
    )


def run(sizes: ManySlidesSizes, bench: Bench) -> Findings:
    """The time of each, and of its floor."""
    measured: list[Measured] = []
    with cached(readings(sizes.rows, sizes.keys)) as df, tempfile.TemporaryDirectory() as folder:
        for slides, seconds, sink in sizes.windows:
            write = partial(written, sink=sink, folder=folder)
            measured += _measure(df, _case(slides, seconds, sink), slides, seconds, write, bench)
    return Findings(
        measured,
        [times_table(measured, ["size/slide", "slide", "sink"])],
        [
            at_most(
                f"hopping, size/slide {slides}, slide {seconds} s, {sink}: as long as {FLOOR}",
                2,
                slower(measured, FLOOR, **_case(slides, seconds, sink)),
                "x",
            )
            for slides, seconds, sink in sizes.windows
        ],
        [
            f"{sizes.rows:,} rows, {sizes.keys} keys, a day; max.",
            f"{FLOOR}: Spark's tumbling windows of the slide, written to noop; then windrow's "
            "result, held in memory, written to the sink.",
        ],
    )


def _case(slides: int, seconds: int, sink: str) -> dict[str, str | int]:
    return {"size/slide": slides, "slide": f"{seconds} s", "sink": sink}


def written(df: DataFrame, sink: str, folder: str) -> None:
    """Compute all rows of a DataFrame, and write them."""
    df.write.format(sink).mode("overwrite").save(folder)


def _measure(
    df: DataFrame,
    case: Case,
    slides: int,
    seconds: int,
    write: Callable[[DataFrame], None],
    bench: Bench,
) -> list[Measured]:
    hopping = window.hopping(f"{slides * seconds} s", every=f"{seconds} s")
    # Not `cache`: the same query would read the cached rows when it comes again.
    result = ours(df, hopping).localCheckpoint()

    def floor() -> None:
        dropped(_tumbling(df, seconds))
        write(result)

    return bench.side_by_side(
        case,
        [Contender(WINDROW, lambda: write(ours(df, hopping))), Contender(FLOOR, floor)],
    )


def _tumbling(df: DataFrame, seconds: int) -> DataFrame:
    tumbling = F.window("ts", f"{seconds} seconds").alias("window")
    return df.groupBy(tumbling, "sensor").agg(F.max("value").alias("peak"))


MANY_SLIDES = Experiment(
    name="many-slides",
    question="hopping windows of very many slides beside what cannot be left out",
    run=run,
    full=ManySlidesSizes(rows=2_000_000, keys=100),
    quick=ManySlidesSizes(
        rows=100_000, keys=10, windows=((600, 60, "noop"), (3600, 60, "parquet"))
    ),
)
