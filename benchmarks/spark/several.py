"""Three hopping windows in one pass, beside each of them alone."""

from dataclasses import dataclass
from functools import partial

from pyspark.sql import DataFrame

import windrow as wr
from benchmarks.findings import Experiment, Findings, at_most, chosen
from benchmarks.measure import Bench
from benchmarks.spark.contenders import Build, in_turns
from benchmarks.spark.data import cached, readings
from benchmarks.spark.hopping import ours
from benchmarks.spark.ratios import times_table
from windrow import agg, window

__all__ = ["SEVERAL", "SeveralSizes", "run"]

TOGETHER = "all at once"
_WINDOWS = {
    "short": window.hopping("10 minutes", every="1 minute"),
    "middle": window.hopping("1 hour", every="1 minute"),
    "long": window.hopping("6 hours", every="5 minutes"),
}


@dataclass(frozen=True)
class SeveralSizes:
    """A day of readings."""

    rows: int
    keys: int


def run(sizes: SeveralSizes, bench: Bench) -> Findings:
    """The time of all at once, and of each."""
    with cached(readings(sizes.rows, sizes.keys)) as df:
        alone: dict[str, Build] = {name: partial(ours, df, w) for name, w in _WINDOWS.items()}
        measured = in_turns(
            bench, {"rows": sizes.rows}, {TOGETHER: partial(_together, df), **alone}
        )
    (together,) = chosen(measured, contender=TOGETHER)
    slowest = max(m.median for m in measured if m is not together)
    return Findings(
        measured,
        [times_table(measured, ["rows"])],
        [
            at_most(
                "three hopping windows at once: as long as the slowest alone",
                1.3,
                [together.median / slowest],
                "x",
            )
        ],
        [
            f"{sizes.rows:,} rows, {sizes.keys} keys, a day; max; "
            + ", ".join(f"{name}: {w!r}" for name, w in _WINDOWS.items())
        ],
    )


def _together(df: DataFrame) -> DataFrame:
    query = wr.over(df, time="ts", by="sensor").windows(**_WINDOWS)
    return query.aggregate(peak=agg.max("value"))


SEVERAL = Experiment(
    name="several",
    question="three hopping windows at once",
    run=run,
    full=SeveralSizes(rows=2_000_000, keys=100),
    quick=SeveralSizes(rows=100_000, keys=100),
)
