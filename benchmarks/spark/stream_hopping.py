"""A stream's hopping windows beside Spark's own."""

import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pyspark.sql import DataFrame

from benchmarks.findings import Experiment, Findings, at_least
from benchmarks.measure import Bench, Case
from benchmarks.spark import hopping
from benchmarks.spark.contenders import Build, require_same
from benchmarks.spark.data import HOUR_US
from benchmarks.spark.ratios import WINDROW, faster, rates_table
from benchmarks.spark.streams import Batches, Start, batches, finished, rates
from windrow import window

__all__ = ["STREAM_HOPPING", "StreamHoppingSizes", "run"]

_SLIDES = 60
_LATENESS = "10 seconds"


@dataclass(frozen=True)
class StreamHoppingSizes:
    """Batches, the rows in each, and how many keys they have."""

    batches: int
    rows: int
    keys: int


def run(sizes: StreamHoppingSizes, bench: Bench) -> Findings:
    """Windows of an hour that hop by a minute."""
    case = {"batch": sizes.rows, "keys": sizes.keys, "size/slide": _SLIDES}
    starts: dict[str, Start] = {WINDROW: _ours, hopping.NATIVE: _native}
    with batches(sizes.batches, sizes.rows, sizes.keys, HOUR_US) as source:
        _require_same(case, starts, source)
        contenders = {name: (start, source) for name, start in starts.items()}
        measured = rates(bench, case, contenders)
    return Findings(
        measured,
        [rates_table(measured, list(case))],
        [
            at_least(
                f"streaming hopping, size/slide {_SLIDES}: as fast as native",
                4,
                faster(measured, hopping.NATIVE),
                "x",
            )
        ],
        [
            f"{sizes.batches} batches of {sizes.rows:,} rows, {sizes.keys} keys, an hour in each; "
            f"max; rows may be {_LATENESS} late.  Rates are those of the batches from the third on."
        ],
    )


def _ours(df: DataFrame) -> DataFrame:
    every_minute = window.hopping(f"{_SLIDES} minutes", every="1 minute")
    return hopping.ours(df.withWatermark("ts", _LATENESS), every_minute)


def _native(df: DataFrame) -> DataFrame:
    return hopping.native(df.withWatermark("ts", _LATENESS), _SLIDES)


def _require_same(case: Case, starts: dict[str, Start], source: Batches) -> None:
    with tempfile.TemporaryDirectory() as folder:

        def results(name: str) -> DataFrame:
            return finished(starts[name](source.stream()), Path(folder) / name)

        queries: dict[str, Build] = {name: partial(results, name) for name in starts}
        require_same(case, queries)


STREAM_HOPPING = Experiment(
    name="stream-hopping",
    question="a stream's hopping windows beside Spark's own",
    run=run,
    full=StreamHoppingSizes(batches=5, rows=1_000_000, keys=100),
    quick=StreamHoppingSizes(batches=3, rows=20_000, keys=100),
)
