"""Three windows of one shape in one pass, beside each of them alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from pyspark.sql import DataFrame

import windrow as wr
from benchmarks.findings import Bar, Experiment, Findings, at_most, chosen
from benchmarks.measure import Bench, Measured
from benchmarks.spark.contenders import Build, in_turns
from benchmarks.spark.data import cached, readings
from benchmarks.spark.ratios import times_table
from windrow import agg, window
from windrow.windows import Window

__all__ = ["SEVERAL", "SeveralSizes", "run"]

TOGETHER = "all at once"
_SHAPES: dict[str, dict[str, Window]] = {
    "hopping windows": {
        "short": window.hopping("10 minutes", every="1 minute"),
        "middle": window.hopping("1 hour", every="1 minute"),
        "long": window.hopping("6 hours", every="5 minutes"),
    },
    "trailing windows": {
        "short": window.trailing("10 minutes"),
        "middle": window.trailing(rows=1_000),
        "long": window.trailing("6 hours"),
    },
    "sessions": {
        "short": window.session("5 seconds"),
        "middle": window.session("10 seconds"),
        "long": window.session("20 seconds"),
    },
}
_BARS = {"hopping windows": 1.3, "trailing windows": 1.4, "sessions": 1.4}


@dataclass(frozen=True)
class SeveralSizes:
    """A day of readings."""

    rows: int
    keys: int


def run(sizes: SeveralSizes, bench: Bench) -> Findings:
    """The time of all at once, and of each, shape by shape."""
    measured: list[Measured] = []
    with cached(readings(sizes.rows, sizes.keys)) as df:
        for shape, windows in _SHAPES.items():
            queries: dict[str, Build] = {TOGETHER: partial(_together, df, windows)}
            queries |= {name: partial(_alone, df, one) for name, one in windows.items()}
            measured += in_turns(bench, {"windows": shape}, queries)
    return Findings(
        measured,
        [times_table(measured, ["windows"])],
        [_as_long_as_the_slowest(measured, shape) for shape in _SHAPES],
        [
            f"{sizes.rows:,} rows, {sizes.keys} keys, a day; max.",
            *(
                f"{shape}: " + ", ".join(f"{name}: {w!r}" for name, w in windows.items())
                for shape, windows in _SHAPES.items()
            ),
        ],
    )


def _as_long_as_the_slowest(measured: list[Measured], shape: str) -> Bar:
    own = chosen(measured, windows=shape)
    (together,) = chosen(own, contender=TOGETHER)
    slowest = max(m.median for m in own if m is not together)
    what = f"three {shape} at once: as long as the slowest alone"
    return at_most(what, _BARS[shape], [together.median / slowest], "x")


def _together(df: DataFrame, windows: Mapping[str, Window]) -> DataFrame:
    query = wr.over(df, time="ts", by="sensor").windows(**windows)
    return query.aggregate(peak=agg.max("value"))


def _alone(df: DataFrame, one: Window) -> DataFrame:
    return wr.over(df, time="ts", by="sensor").window(one).aggregate(peak=agg.max("value"))


SEVERAL = Experiment(
    name="several",
    question="three windows of one shape at once",
    run=run,
    full=SeveralSizes(rows=2_000_000, keys=100),
    quick=SeveralSizes(rows=100_000, keys=100),
)
