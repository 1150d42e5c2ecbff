"""Windows of one key on a cluster of two executors, each a process with one core.

Rows must be in order for these windows, so they are not folded before they are sent.
"""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.findings import Experiment, Findings, Table, at_most
from benchmarks.measure import Bench, Measured

__all__ = ["CLUSTER", "ClusterSizes", "run"]

_MASTER = "local-cluster[2,1,2048]"


@dataclass(frozen=True)
class ClusterSizes:
    """A day of readings that all belong together."""

    rows: int


def run(sizes: ClusterSizes, bench: Bench) -> Findings:
    """What each method sends, and how evenly it loads tasks."""
    told = _told(sizes)
    measured = [_measured(one) for one in told]
    by_time = next(one for one in told if one["method"] == "time")
    bars = [
        at_most(
            "blocks of time on two executors: longest task, of the mean",
            1.2,
            [by_time["longest"] / by_time["mean"]],
            "x",
        )
    ]
    notes = [f"{sizes.rows:,} rows without a key, a day, on {_MASTER}; one run each, after one."]
    return Findings(measured, [_table(told)], bars, notes)


def _measured(one: Mapping[str, Any]) -> Measured:
    ns = one["seconds"] * 1e9
    return Measured(one["method"], {"query": "hopping"}, ns, ns, repetitions=1, operations=1)


def _told(sizes: ClusterSizes) -> list[Mapping[str, Any]]:
    """A process has one Spark, so this one is in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.spark.cluster_worker", "--master", _MASTER]
    done = subprocess.run(
        [*command, "--rows", str(sizes.rows)], stdout=subprocess.PIPE, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def _table(told: Sequence[Mapping[str, Any]]) -> Table:
    header = ["method", "seconds", "shuffled", "tasks", "longest task", "of the mean"]
    rows = [
        [
            one["method"],
            f"{one['seconds']:.2f}",
            f"{one['shuffled'] / 1e6:,.1f} MB",
            str(one["tasks"]),
            f"{one['longest']:.2f} s",
            f"{one['longest'] / one['mean']:.2f} ×",
        ]
        for one in told
    ]
    return Table("hopping windows of one key, in order", header, rows)


CLUSTER = Experiment(
    name="cluster",
    question="one key on two executors: bytes and busiest task",
    run=run,
    full=ClusterSizes(rows=4_000_000),
    quick=ClusterSizes(rows=400_000),
)
