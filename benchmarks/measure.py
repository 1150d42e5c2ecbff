"""Measuring: contenders take turns, so that what disturbs the machine hits all of them alike."""

import gc
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks.numbers import case_text, duration
from benchmarks.progress import Progress

__all__ = [
    "Bench",
    "Case",
    "Contender",
    "DisagreementError",
    "Measured",
    "percentiles",
    "uncollected",
]

# What tells one measurement from the others: the aggregate, the size of the window, and so on.
Case: TypeAlias = Mapping[str, str | int]

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
class Measured:
    """The nanoseconds per operation of one contender in one case."""

    contender: str
    case: Case
    best: float
    median: float
    repetitions: int
    operations: int  # in each repetition
    percentiles: Mapping[str, float] | None = None  # of single operations


@dataclass(frozen=True)
class Bench:
    """Runs contenders side by side."""

    repetitions: int
    progress: Progress

    def side_by_side(self, case: Case, contenders: Sequence[Contender]) -> list[Measured]:
        """Run all once to warm up and to compare their answers, then measure them in turns."""
        self.progress.begin(case_text(case))
        for contender in contenders:
            _require_agreement(case, contender, contender.run())
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
        self.progress.end(", ".join(f"{m.contender} {duration(m.median)}" for m in measured))
        return measured


def summary(name: str, case: Case, spent: Sequence[float], operations: int = 1) -> Measured:
    """The best and the median of some repetitions."""
    return Measured(name, case, min(spent), statistics.median(spent), len(spent), operations)


def percentiles(nanoseconds: Sequence[float] | NDArray[Any]) -> dict[str, float]:
    """The distribution of the times of single operations."""
    p50, p90, p99, most = np.percentile(np.asarray(nanoseconds), [50, 90, 99, 100]).tolist()
    return {"p50": p50, "p90": p90, "p99": p99, "max": most}


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


def _require_agreement(case: Case, contender: Contender, answer: Any) -> None:
    if contender.expected is None:
        return
    found, expected = np.asarray(answer), np.asarray(contender.expected)
    if found.shape != expected.shape or not np.allclose(
        found, expected, rtol=_TOLERANCE, equal_nan=True
    ):
        raise DisagreementError(
            f"{contender.name} gives other answers for {case_text(case)}: "
            f"{found.ravel()[-3:]} instead of {expected.ravel()[-3:]} at the end"
        )
