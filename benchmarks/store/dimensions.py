"""Many aggregates of one stream: in one window that they share, and in a window each."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any, TypeAlias

import numpy as np

from benchmarks.data import Floats, positive
from benchmarks.findings import Experiment, Findings, pivot
from benchmarks.keepers import keeper
from benchmarks.measure import Bench, Case, Contender, Measured, uncollected
from benchmarks.numbers import duration, size
from benchmarks.store.log_mta import LogMtaInStore
from benchmarks.store.places import LOG_MTA, PYTHON, new_log_mta, new_window, stores
from benchmarks.store.warming import warm_up
from windrow import agg
from windrow.algebra.aggregate import Aggregate, Aggregation, Product, several
from windrow.paged import PagedAmta
from windrow.paged.stores import Store
from windrow.structures import Aggregator, CompiledAmta

__all__ = ["DIMENSIONS", "DimensionSizes", "run"]

_Window: TypeAlias = Aggregator | CompiledAmta | PagedAmta

_IN_MEMORY = (*PYTHON, CompiledAmta)
_STRUCTURES = (*(kind.__name__ for kind in _IN_MEMORY), *LOG_MTA.values(), *LOG_MTA)
_BATCH = 512
_SHARED, _EACH = "one window", "a window each"
# Aggregates, and what says the same of an array.
_KINDS: tuple[tuple[Aggregate[Any], Any], ...] = (
    (agg.sum(), np.sum),
    (agg.max(), np.max),
    (agg.min(), np.min),
)


@dataclass(frozen=True)
class DimensionSizes:
    """How many dimensions there are, how long windows are, and how many updates are measured.

    Filling 50 windows of Python's objects takes longer than all that is measured: they are shorter.
    """

    dimensions: tuple[int, ...]
    window: int
    python_window: int
    updates: int
    batches: int


def run(sizes: DimensionSizes, bench: Bench) -> Findings:
    """Nanoseconds per update of all dimensions: insert, evict and query."""
    measured: list[Measured] = []
    for aggregate, _ in _KINDS:
        warm_up(aggregate)
    with stores() as kept:
        for number in sizes.dimensions:
            warm_up(_product(number))
            for structure in _STRUCTURES:
                case: Case = {"structure": structure, "dimensions": number}
                with ExitStack() as stack, uncollected():
                    make = _maker(structure, kept, stack)
                    contenders = list(_contenders(number, make, sizes))
                    measured += bench.side_by_side(case, contenders)
    return Findings(
        measured,
        [
            pivot(
                "time per update of all dimensions, median",
                measured,
                ["structure", "dimensions"],
                cell=lambda m: duration(m.median),
            )
        ],
        notes=[
            f"Windows of {size(sizes.window)}, of Python's objects {size(sizes.python_window)}; "
            "dimensions are sums, maxima and minima in turn, all of the same number.",
            f"Structures of Python's objects take {sizes.updates:,} updates one by one in each "
            f"repetition, the others {sizes.batches:,} batches of {_BATCH}, until all full pages "
            "are in the store.  The naive way is left out: it takes as long as the window.",
        ],
    )


def _kinds(number: int) -> Iterator[tuple[Aggregate[Any], Any]]:
    return islice(cycle(_KINDS), number)


def _product(number: int) -> Product:
    return several(**{f"d{k}": aggregate for k, (aggregate, _) in enumerate(_kinds(number))})


def _maker(
    structure: str, kept: Mapping[str, Store], stack: ExitStack
) -> Callable[[Aggregation], _Window]:
    """How to make an empty window, gone when the stack is left."""
    for place, store in kept.items():
        if structure == place:
            return lambda asked: stack.enter_context(new_window(store, asked))
        if structure == LOG_MTA[place]:
            return lambda asked: stack.enter_context(new_log_mta(store, asked))
    return next(kind for kind in _IN_MEMORY if kind.__name__ == structure)


def _contenders(
    number: int, make: Callable[[Aggregation], _Window], sizes: DimensionSizes
) -> Iterator[Contender]:
    shared = [make(_product(number))]
    each = [make(aggregate) for aggregate, _ in _kinds(number)]
    singly = isinstance(shared[0], Aggregator)
    updates = sizes.updates if singly else sizes.batches * _BATCH
    held = sizes.python_window if singly else sizes.window
    filling, coming = positive(held), positive(updates)
    left = np.concatenate([filling, coming])[-held:]
    expected = [compute(left) for _, compute in _kinds(number)]
    for name, windows in ((_SHARED, shared), (_EACH, each)):
        for window in windows:
            _fill(window, filling)
        yield Contender(name, _turn(windows, coming), updates, expected)


def _fill(window: _Window, updates: Floats) -> None:
    if isinstance(window, Aggregator):
        for update in updates.tolist():
            window.insert(update)
    else:
        window.extend(updates)


def _turn(windows: Sequence[_Window], coming: Floats) -> Callable[[], list[Any]]:
    """What gives the results of all dimensions after the last update."""

    def run() -> list[Any]:
        if isinstance(windows[0], Aggregator):
            _one_by_one(windows, coming)
        else:
            _in_batches(windows, coming)
        return [value for window in windows for value in _values(window.query())]

    return run


def _one_by_one(windows: Sequence[_Window], coming: Floats) -> None:
    steps = [keeper(window).step for window in windows]
    for update in coming.tolist():
        for step in steps:
            step(update)
    for window in windows:
        if isinstance(window, LogMtaInStore):
            window.flush()


def _in_batches(windows: Sequence[Any], coming: Floats) -> None:
    for first in range(0, len(coming), _BATCH):
        for window in windows:
            window.advance(coming[first : first + _BATCH])
    for window in windows:
        if isinstance(window, PagedAmta):
            window.flush()


def _values(answer: Any) -> list[Any]:
    return list(answer.values()) if isinstance(answer, dict) else [answer]


DIMENSIONS = Experiment(
    name="dimensions",
    question="many aggregates in one window, and in a window each",
    run=run,
    full=DimensionSizes(
        dimensions=(1, 2, 5, 10, 20, 50),
        window=1 << 15,
        python_window=1 << 12,
        updates=1_000,
        batches=1 << 7,
    ),
    quick=DimensionSizes(
        dimensions=(1, 3), window=1 << 10, python_window=1 << 8, updates=200, batches=1 << 3
    ),
)
