"""Measuring: contenders take turns, so that what disturbs the machine hits all of them alike."""

import gc
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks.numbers import case_text, duration
from benchmarks.progress import Progress

__all__ = [
    "RANKS",
    "Bench",
    "Case",
    "Contender",
    "DisagreementError",
    "Measured",
    "Timer",
    "percentiles",
    "require_agreement",
    "summary",
    "timed",
    "uncollected",
]

# What tells one measurement from the others: the aggregate, the size of the window, and so on.
Case: TypeAlias = Mapping[str, str | int]

RANKS = (50, 90, 99, 100)  # the last is the longest of all

_TOLERANCE = 1e-6  # of floats that others sum up by subtraction


class DisagreementError(Exception):
    """Two contenders do not compute the same: their times cannot be compared."""


@dataclass(frozen=True)
class Contender:
    """Something to run, how many operations a run has, and the answers that it must give."""

    name: str
    run: Callable[[], Any]
    operations: int = 1
    expected: Any = None  # None for the one that the others are compared with


@dataclass(frozen=True)
class Timer:
    """Something whose single operations are timed, some of them at each of its turns."""

    name: str
    turn: Callable[[], Sequence[float] | NDArray[Any]]  # the nanoseconds of each operation


@dataclass(frozen=True)
class Measured:
    """What one contender takes in one case: nanoseconds per operation, unless the unit differs."""

    contender: str
    case: Case
    best: float
    median: float
    repetitions: int
    operations: int  # in each repetition
    percentiles: Mapping[str, float] | None = None  # of single operations
    unit: str = "ns"

    def at(self, rank: str) -> float:
        """One of the percentiles, where there are any."""
        assert self.percentiles is not None
        return self.percentiles[rank]


@dataclass(frozen=True)
class Bench:
    """Runs contenders side by side."""

    repetitions: int
    progress: Progress
    warms_up: bool = True  # not needed where contenders have run already

    def side_by_side(self, case: Case, contenders: Sequence[Contender]) -> list[Measured]:
        """Run all once to warm up and to compare their answers, then measure them in turns."""
        self.progress.begin(case_text(case))
        for contender in contenders if self.warms_up else ():
            require_agreement(case, contender.name, contender.run(), contender.expected)
        spent: dict[str, list[float]] = {contender.name: [] for contender in contenders}
        with uncollected():
            for _ in range(self.repetitions):
                for contender in contenders:
                    start = time.perf_counter_ns()
                    answer = contender.run()
                    end = time.perf_counter_ns()
                    del answer  # the next one shall not pay for its memory
                    spent[contender.name].append((end - start) / contender.operations)
        measured = [
            summary(contender.name, case, spent[contender.name], contender.operations)
            for contender in contenders
        ]
        self._end(measured)
        return measured

    def singles(
        self, case: Case, timers: Sequence[Timer], ranks: Sequence[float] = RANKS
    ) -> list[Measured]:
        """The single operations of all, in turns, with their percentiles; warm them up before."""
        self.progress.begin(case_text(case))
        spent: dict[str, list[float]] = {timer.name: [] for timer in timers}
        for _ in range(self.repetitions):
            for timer in timers:
                spent[timer.name] += np.asarray(timer.turn()).tolist()
        measured = [
            replace(summary(name, case, own), percentiles=percentiles(own, ranks))
            for name, own in spent.items()
        ]
        self._end(measured)
        return measured

    def _end(self, measured: Sequence[Measured]) -> None:
        self.progress.end(", ".join(f"{m.contender} {duration(m.median)}" for m in measured))


def summary(name: str, case: Case, spent: Sequence[float], operations: int = 1) -> Measured:
    """The best and the median of some repetitions."""
    return Measured(name, case, min(spent), statistics.median(spent), len(spent), operations)


def percentiles(
    nanoseconds: Sequence[float] | NDArray[Any], ranks: Sequence[float] = RANKS
) -> dict[str, float]:
    """The distribution of the times of single operations."""
    found = np.percentile(np.asarray(nanoseconds), list(ranks)).tolist()
    names = ["max" if rank == 100 else f"p{rank:g}" for rank in ranks]
    return dict(zip(names, found, strict=True))


def timed(step: Callable[[Any], Any], updates: Iterable[Any]) -> list[int]:
    """The nanoseconds of each step."""
    spent, clock = [], time.perf_counter_ns
    for update in updates:
        start = clock()
        step(update)
        spent.append(clock() - start)
    return spent


@contextmanager
def uncollected() -> Iterator[None]:
    """Garbage is not collected: it would be counted against whoever happens to run."""
    enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def require_agreement(case: Case, name: str, answer: Any, expected: Any) -> None:
    """Refuse answers that differ from those expected, if any are."""
    if expected is None:
        return
    found, wanted = np.asarray(answer), np.asarray(expected)
    if found.shape != wanted.shape or not np.allclose(
        found, wanted, rtol=_TOLERANCE, equal_nan=True
    ):
        raise DisagreementError(
            f"{name} gives other answers for {case_text(case)}: "
            f"{found.ravel()[-3:]} instead of {wanted.ravel()[-3:]} at the end"
        )
