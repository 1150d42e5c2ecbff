"""A trailing window without a key on two cores and on one: each a Spark in a process of its own.

All processes wait for their turns.  Python's workers run beside Spark's one thread, so `local[1]`
keeps more than one core busy, as is told: the third contender is bound to one.
"""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from statistics import median
from typing import IO

from benchmarks.findings import Experiment, Findings, at_least
from benchmarks.measure import Bench, Contender, Measured
from benchmarks.spark.machine import gain_of_two_cores
from benchmarks.spark.ratios import times_table

__all__ = ["CORES", "CoresSizes", "run"]

_TWO, _ONE, _BOUND = "local[2]", "local[1]", "local[1], bound to one core"
_ARGUMENTS = {
    _TWO: ["--cores", "2"],
    _ONE: ["--cores", "1"],
    _BOUND: ["--cores", "1", "--bound"],
}
_KINDS = ("rows", "time")
# Java goes on compiling for some ten queries, beside them where a core is free: two cores are not
# measured before it is as good as done.
_WARM_UPS = 4


@dataclass(frozen=True)
class CoresSizes:
    """A day of readings, and about how many of them a window holds."""

    rows: int
    frame: int


def run(sizes: CoresSizes, bench: Bench) -> Findings:
    """The time on each."""
    measured: list[Measured] = []
    gains = [gain_of_two_cores()]
    with ExitStack() as stack:
        workers = {
            name: stack.enter_context(_worker(sizes, arguments))
            for name, arguments in _ARGUMENTS.items()
        }
        for worker in workers.values():
            for kind in _KINDS * _WARM_UPS:
                worker.ask(kind)
            worker.busy.clear()
        for kind in _KINDS:
            turns = [Contender(name, partial(own.ask, kind)) for name, own in workers.items()]
            measured += bench.side_by_side({"window by": kind}, turns)
    gains.append(gain_of_two_cores())
    return Findings(
        measured,
        [times_table(measured, ["window by"])],
        [
            at_least(
                f"global trailing window on 2 cores: as fast as {one}",
                1.5,
                _gains(measured, one),
                "x",
            )
            for one in (_ONE, _BOUND)
        ],
        [
            f"{sizes.rows:,} rows, no key, a day; max over {sizes.frame:,} rows or as much time.",
            "Two processes that share nothing were "
            + " and ".join(f"{gain:.2f}" for gain in gains)
            + " times as fast as one, before and after.",
            "Cores that were kept busy: "
            + ", ".join(f"{own.cores_busy:.2f} by {name}" for name, own in workers.items())
            + ".",
        ],
    )


def _gains(measured: list[Measured], one: str) -> list[float]:
    medians = {(m.contender, m.case["window by"]): m.median for m in measured}
    return [medians[one, kind] / medians[_TWO, kind] for kind in _KINDS]


@dataclass
class _Worker:
    """A process that runs the kind of window it is asked for, and says when it is done."""

    asked: IO[str]
    answers: IO[str]
    called: str
    busy: list[float] = field(default_factory=list)  # cores, in each run

    def ask(self, kind: str) -> None:
        """Wait until it has run."""
        start = time.perf_counter()
        print(kind, file=self.asked, flush=True)
        answer = self.answers.readline().split()
        if answer[:1] != [kind]:
            raise RuntimeError(f"{self.called}: the process failed, as told above")
        self.busy.append(float(answer[1]) / (time.perf_counter() - start))

    @property
    def cores_busy(self) -> float:
        """How many cores it has kept busy, mostly."""
        return median(self.busy)


@contextmanager
def _worker(sizes: CoresSizes, arguments: list[str]) -> Iterator[_Worker]:
    command = [sys.executable, "-m", "benchmarks.spark.cores_worker", *arguments]
    size = ["--rows", str(sizes.rows), "--frame", str(sizes.frame)]
    with subprocess.Popen(
        [*command, *size], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield _Worker(process.stdin, process.stdout, " ".join(arguments))
        # the end of its input ends it


CORES = Experiment(
    name="cores",
    question="a trailing window without a key on two cores and on one",
    run=run,
    full=CoresSizes(rows=10_000_000, frame=10_000),
    quick=CoresSizes(rows=200_000, frame=1_000),
)
