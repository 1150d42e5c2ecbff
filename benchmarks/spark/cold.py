"""How much longer the first query takes with an empty cache of compiled code than the same again.

Each is a process of its own, with a Spark of its own; another query, of `count` alone, has warmed
Spark up before.
"""

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from benchmarks.findings import Experiment, Findings, Table, at_most
from benchmarks.measure import Bench, summary
from benchmarks.numbers import duration

__all__ = ["COLD", "ColdSizes", "run"]

_NINE = "count,sum,mean,min,max,stddev,variance,product,geometric_mean"


@dataclass(frozen=True)
class ColdSizes:
    """How many rows, what is computed in one query, and where."""

    rows: tuple[int, ...]
    aggregates: tuple[str, ...] = ("sum", "stddev", "quantile", "longest_increasing_run", _NINE)
    ways: tuple[str, ...] = ("roll", "batch", "stream")


def run(sizes: ColdSizes, bench: Bench) -> Findings:
    """The first query and the second, of each."""
    measured, rows, extras = [], [], []
    for way in sizes.ways:
        for count in sizes.rows:
            for aggregates in sizes.aggregates:
                case: dict[str, str | int] = {"way": way, "rows": count, "aggregates": aggregates}
                bench.progress.begin(f"{way}, {count} rows, {aggregates}")
                first, second = _fresh(way, count, aggregates)
                bench.progress.end(f"{duration(first)}, again {duration(second)}")
                measured += [summary("first", case, [first]), summary("again", case, [second])]
                extras.append((first - second) / 1e9)
                short = aggregates if aggregates != _NINE else "nine at once"
                rows.append([way, f"{count:,}", short, *map(duration, (first, second))])
    return Findings(
        measured,
        [Table("with an empty cache", ["where", "rows", "aggregates", "first", "again"], rows)],
        [at_most("what a first query waits for the compiler", 3.0, extras, "s")],
        ["Trailing windows of 10 minutes with 10 keys; a stream runs once over what there is."],
    )


def _fresh(way: str, rows: int, aggregates: str) -> tuple[float, float]:
    """Nanoseconds of the first query and the second, in a new process with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        printed = subprocess.run(
            [sys.executable, "-m", "benchmarks.spark.cold_worker", way, str(rows), aggregates],
            env={
                **os.environ,
                "WINDROW_CACHE_DIR": f"{folder}/cache",
                "WINDROW_COMPILE": "when-it-pays",
            },
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout
    first, second = map(float, printed.split())
    return first, second


COLD = Experiment(
    name="cold",
    question="how long a first query waits for the compiler",
    run=run,
    full=ColdSizes(rows=(100, 1_000_000)),
    quick=ColdSizes(rows=(100,), aggregates=("stddev", _NINE)),
)
