"""How long one waits at first: for the import, and for the first column."""

import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from benchmarks.findings import Experiment, Findings, Table
from benchmarks.measure import Bench, Measured, summary
from benchmarks.numbers import duration

__all__ = ["START", "StartSizes", "run"]

_IMPORT = """
import time
start = time.perf_counter_ns()
import {module}
print(time.perf_counter_ns() - start)
"""

_ROLL = """
import time
import numpy as np
import windrow as wr
from windrow import agg, window

values = np.ones(1000)
for call in range(2):
    start = time.perf_counter_ns()
    wr.roll(values, agg.max(), window.trailing(rows=10))
    print(time.perf_counter_ns() - start)
"""


@dataclass(frozen=True)
class StartSizes:
    """How many processes are started for each."""

    imports: int
    rolls: int
    modules: tuple[str, ...] = ("windrow", "numpy", "polars", "pandas")


def run(sizes: StartSizes, bench: Bench) -> Findings:
    """Wall time in fresh processes."""
    measured = [*_imports(sizes, bench), *_rolls(sizes, bench)]
    rows = [[m.contender, duration(m.median), duration(m.best)] for m in measured]
    return Findings(
        measured,
        [Table("in a fresh process", ["what", "median", "best"], rows)],
        notes=[
            "A first roll imports Arrow; one that compiles or loads its kernel, the compiler too."
        ],
    )


def _imports(sizes: StartSizes, bench: Bench) -> list[Measured]:
    spent: dict[str, list[float]] = {f"import {module}": [] for module in sizes.modules}
    bench.progress.begin("imports")
    for turn in range(sizes.imports + 1):
        for module in sizes.modules:
            (nanoseconds,) = _fresh(_IMPORT.format(module=module), {})
            if turn:  # before that, files may have to come from disk
                spent[f"import {module}"].append(nanoseconds)
    return _summaries(spent, bench)


def _rolls(sizes: StartSizes, bench: Bench) -> list[Measured]:
    names = (
        "first roll",
        "first roll, compiled at once, cold cache",
        "first roll, compiled at once, warm cache",
        "second roll",
    )
    spent: dict[str, list[float]] = {name: [] for name in names}
    bench.progress.begin("first rolls")
    for _ in range(sizes.rolls):
        with tempfile.TemporaryDirectory() as folder:
            here = {"WINDROW_CACHE_DIR": folder}
            plain, _ = _fresh(_ROLL, here | {"WINDROW_COMPILE": "when-it-pays"})
            cold, _ = _fresh(_ROLL, here | {"WINDROW_COMPILE": "always"})
            warm, second = _fresh(_ROLL, here | {"WINDROW_COMPILE": "always"})
        for name, nanoseconds in zip(names, (plain, cold, warm, second), strict=True):
            spent[name].append(nanoseconds)
    return _summaries(spent, bench)


def _fresh(code: str, environment: dict[str, str]) -> list[int]:
    """The numbers that some code prints in a process of its own."""
    printed = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    return [int(line) for line in printed.split()]


def _summaries(spent: dict[str, list[float]], bench: Bench) -> list[Measured]:
    bench.progress.end(
        ", ".join(f"{name} {duration(statistics.median(times))}" for name, times in spent.items())
    )
    return [summary(name, {}, times) for name, times in spent.items()]


START = Experiment(
    name="start",
    question="how long one waits at first",
    run=run,
    full=StartSizes(imports=7, rolls=3),
    quick=StartSizes(imports=3, rolls=1),
)
