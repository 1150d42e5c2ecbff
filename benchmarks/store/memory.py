"""The memory that a window takes in its process, by its size, and what fits into some memory.

Processes run beside each other, one for each core: they are not timed, and memory is their own.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import takewhile

from benchmarks.findings import Experiment, Findings, at_most, chosen, pivot
from benchmarks.measure import Bench, Case, Measured
from benchmarks.numbers import memory, size
from benchmarks.store.memory_worker import CHUNK, KINDS, OF_OBJECTS
from benchmarks.store.places import ROCKS

__all__ = ["MEMORY", "MemorySizes", "run"]

_MB = 1_000_000
_PAGE = 4096
_AT_BAR = 1 << 25


@dataclass(frozen=True)
class MemorySizes:
    """How large windows are, and how much memory they may take."""

    windows: tuple[int, ...]
    python_window: int  # the largest of Python's objects
    budgets: tuple[int, ...]  # in megabytes
    largest: int  # where windows that still fit stop,
    python_largest: int  # and those of Python's objects

    def largest_of(self, kind: str) -> int:
        """Where windows of a kind stop."""
        return self.python_largest if kind in OF_OBJECTS else self.largest


def run(sizes: MemorySizes, bench: Bench) -> Findings:
    """Bytes by windows, and windows by bytes."""
    taken = _taken(sizes, bench)
    fitting = _fitting(sizes, bench)
    return Findings(
        [*taken, *fitting],
        [
            pivot("memory taken", taken, ["window"], cell=lambda m: memory(m.median)),
            pivot(
                "largest window",
                fitting,
                ["memory"],
                cell=lambda m: _fits(int(m.median), sizes.largest_of(m.contender)),
            ),
        ],
        [
            at_most(
                f"{ROCKS}: memory that a window of {size(_AT_BAR)} takes",
                100,
                [m.median / _MB for m in chosen(taken, contender=ROCKS, window=_AT_BAR)],
                "MB",
            )
        ],
        [
            "Each figure is of a process of its own: its resident memory, less what it had when "
            "all code was loaded and no window or store was there; the most of what was seen "
            f"after each {CHUNK:,} updates, while it was filled, and slid by as many.",
            f"Windows of Python's objects stop at {size(sizes.python_window)}; for "
            f"the largest windows, they stop at {size(sizes.python_largest)} and all others at "
            f"{size(sizes.largest)}, which still fit.",
        ],
    )


def _taken(sizes: MemorySizes, bench: Bench) -> list[Measured]:
    measured = []
    for held in sizes.windows:
        bench.progress.begin(f"window {size(held)}")
        kinds = [k for k in KINDS if k not in OF_OBJECTS or held <= sizes.python_window]
        told = _told([_Asked(kind, held) for kind in kinds])
        found = [
            _measured(kind, {"window": held}, _most(lines), "B")
            for kind, lines in zip(kinds, told, strict=True)
        ]
        bench.progress.end(", ".join(f"{m.contender} {memory(m.median)}" for m in found))
        measured += found
    return measured


def _fitting(sizes: MemorySizes, bench: Bench) -> list[Measured]:
    bench.progress.begin("largest windows")
    most = max(sizes.budgets) * _MB
    asked = [_Asked(kind, sizes.largest_of(kind), most) for kind in KINDS]
    measured = [
        _measured(own.kind, {"memory": f"{mb} MB"}, _largest(lines, mb * _MB), "updates")
        for own, lines in zip(asked, _told(asked), strict=True)
        for mb in sizes.budgets
    ]
    bench.progress.end(", ".join(f"{m.contender} {m.median:,}" for m in measured))
    return measured


def _largest(told: Sequence[tuple[int, int]], most: int) -> int:
    """How many updates there were before it was too much for the first time."""
    within = takewhile(lambda line: line[1] <= most, told)
    return max((held for held, _ in within), default=0)


def _most(told: Sequence[tuple[int, int]]) -> int:
    # Less than a page of memory cannot be told from none.
    return max(_PAGE, *(taken for _, taken in told))


@dataclass(frozen=True)
class _Asked:
    """What a process is asked for."""

    kind: str
    held: int
    most: int | None = None  # bytes at which it stops

    def told(self) -> Sequence[tuple[int, int]]:
        """How many updates a window had, and the bytes that it took until then."""
        command = [sys.executable, "-m", "benchmarks.store.memory_worker"]
        command += ["--kind", self.kind, "--window", str(self.held)]
        if self.most is not None:
            command += ["--most", str(self.most)]
        printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        lines = [line.split() for line in printed.stdout.splitlines()]
        return [(int(updates), int(taken)) for updates, taken in lines]


def _told(asked: Sequence[_Asked]) -> list[Sequence[tuple[int, int]]]:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(_Asked.told, asked))


def _measured(kind: str, case: Case, figure: int, unit: str) -> Measured:
    return Measured(kind, case, figure, figure, 1, 1, unit=unit)


def _fits(held: int, largest: int) -> str:
    return f"{held:,} or more" if held == largest else f"{held:,}"


MEMORY = Experiment(
    name="memory",
    question="the memory that a window takes in its process",
    run=run,
    full=MemorySizes(
        windows=tuple(1 << power for power in (10, 15, 20, 23, 25)),
        python_window=1 << 20,
        budgets=(64, 128, 256, 512, 1_000),
        largest=1 << 26,
        python_largest=1 << 23,
    ),
    quick=MemorySizes(
        windows=(1 << 14,),
        python_window=1 << 14,
        budgets=(4, 16),
        largest=1 << 17,
        python_largest=1 << 14,
    ),
)
