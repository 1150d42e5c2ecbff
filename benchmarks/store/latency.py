"""What an update costs in windows of many sizes: one by one and in batches, by percentiles."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from benchmarks.data import AGGREGATES, positive
from benchmarks.findings import Bar, Experiment, Findings, Table, at_least, at_most, chosen, pivot
from benchmarks.keepers import compiled, filled, keeper
from benchmarks.measure import Bench, Case, Contender, Measured, percentiles, timed, uncollected
from benchmarks.numbers import size
from benchmarks.store.log_mta import LogMtaInStore
from benchmarks.store.places import LOG_MTA, PYTHON, ROCKS, new_log_mta, new_window, stores
from benchmarks.store.ranks import RANKS, by_rank
from benchmarks.store.warming import warm_up
from benchmarks.streams import Stream
from windrow.paged import PagedAmta
from windrow.paged.stores import Store
from windrow.structures import CompiledAmta, Recompute

__all__ = ["LATENCY", "LatencySizes", "run"]

_AGGREGATE = "sum"
_BATCH = 512
_SINGLY, _IN_BATCHES = "one by one", f"in batches of {_BATCH}"
_BLOCK = 1 << 16  # updates that fill a window at a time
_AT_BAR, _SMALL = 1 << 25, 1 << 15


@dataclass(frozen=True)
class LatencySizes:
    """How large windows are, and how many updates each repetition has."""

    windows: tuple[int, ...]
    naive_window: int  # the largest that is computed anew with each update,
    python_window: int  # and the largest of Python's objects
    updates: int
    batches: int


def run(sizes: LatencySizes, bench: Bench) -> Findings:
    """Nanoseconds per update: insert, evict and query of a full window."""
    turns = 1 + bench.repetitions  # one to warm up
    coming = turns * max(sizes.updates, sizes.batches * _BATCH)
    values = positive(max(sizes.windows) + coming)
    measured: list[Measured] = []
    warm_up(AGGREGATES[_AGGREGATE])
    with stores() as kept:
        for held in sizes.windows:
            stream = Stream(_AGGREGATE, values[: held + coming], held)
            with uncollected():  # structures are full of objects, none of which is garbage
                measured += _singly(stream, sizes, kept, bench)
                measured += _in_batches(stream, sizes, kept, bench)
    return Findings(measured, _tables(measured), _bars(measured), _notes(sizes))


def _singly(
    stream: Stream, sizes: LatencySizes, kept: Mapping[str, Store], bench: Bench
) -> list[Measured]:
    with ExitStack() as stack:
        turns = [
            _Turns(name, window, keeper(window).step, stream.coming(), sizes.updates)
            for name, window in _windows(stream, sizes, kept, stack)
        ]
        return _measured(_SINGLY, stream, turns, sizes.updates, bench)


def _in_batches(
    stream: Stream, sizes: LatencySizes, kept: Mapping[str, Store], bench: Bench
) -> list[Measured]:
    with ExitStack() as stack:
        turns = [
            _Turns(name, window, _advance_of(window), _batches(stream), sizes.batches)
            for name, window in _compiled(stream, kept, stack)
        ]
        return _measured(_IN_BATCHES, stream, turns, sizes.batches * _BATCH, bench)


def _windows(
    stream: Stream, sizes: LatencySizes, kept: Mapping[str, Store], stack: ExitStack
) -> Iterator[tuple[str, Any]]:
    """All that can keep a window of this size, filled."""
    if stream.held <= sizes.naive_window:
        yield Recompute.__name__, filled(Recompute, stream)
    if stream.held <= sizes.python_window:
        for structure in PYTHON:
            yield structure.__name__, filled(structure, stream)
        for name, store in kept.items():
            opened = stack.enter_context(new_log_mta(store, stream.aggregate))
            yield LOG_MTA[name], filled(lambda _, ready=opened: ready, stream)
    yield from _compiled(stream, kept, stack)


def _compiled(
    stream: Stream, kept: Mapping[str, Store], stack: ExitStack
) -> Iterator[tuple[str, CompiledAmta | PagedAmta]]:
    yield CompiledAmta.__name__, compiled(stream)
    for name, store in kept.items():
        window = stack.enter_context(new_window(store, stream.aggregate, dtypes=stream.dtypes))
        for first in range(0, stream.held, _BLOCK):
            window.extend(*stream.rows(first, min(first + _BLOCK, stream.held)))
        window.flush()
        yield name, window


def _batches(stream: Stream) -> Iterator[tuple[Any, ...]]:
    for first in range(stream.held, len(stream.columns[0]), _BATCH):
        yield stream.rows(first, first + _BATCH)


def _advance_of(window: CompiledAmta | PagedAmta) -> Callable[[Any], Any]:
    return lambda columns: window.advance(*columns)


class _Turns:
    """Steps of one window, some at each turn, which ends when all is where it is kept."""

    def __init__(
        self,
        name: str,
        window: Any,
        step: Callable[[Any], Any],
        coming: Iterator[Any],
        steps: int,
    ) -> None:
        self.name = name
        self.spent: list[int] = []  # by each step, from the very first
        self._window, self._step, self._coming, self._steps = window, step, coming, steps

    def take(self) -> Any:
        """The result after the last step."""
        self.spent += timed(self._step, islice(self._coming, self._steps))
        if isinstance(self._window, PagedAmta | LogMtaInStore):
            self._window.flush()
        return self._window.query()


def _measured(
    by: str, stream: Stream, turns: Sequence[_Turns], updates: int, bench: Bench
) -> list[Measured]:
    case: Case = {"by": by, "window": stream.held}
    expected = stream.answer(updates)
    contenders = [Contender(own.name, own.take, updates, expected) for own in turns]
    each = _BATCH if by == _IN_BATCHES else 1
    spent = {own.name: own for own in turns}
    return [
        replace(m, percentiles=_per_update(spent[m.contender].spent, each))
        for m in bench.side_by_side(case, contenders)
    ]


def _per_update(spent: Sequence[int], each: int) -> dict[str, float]:
    return {name: time / each for name, time in percentiles(spent, RANKS).items()}


def _tables(measured: Sequence[Measured]) -> list[Table]:
    tables = []
    for by in (_SINGLY, _IN_BATCHES):
        own = chosen(measured, by=by)
        tables += by_rank(f"{by}: time per update", own, ["contender"], columns="window")
        tables.append(
            pivot(
                f"{by}: updates per second, all in the store",
                own,
                ["contender"],
                columns="window",
                cell=lambda m: f"{1e9 / m.median:,.0f}",
            )
        )
    return tables


def _bars(measured: Sequence[Measured]) -> list[Bar]:
    at_bar = chosen(measured, by=_IN_BATCHES, window=_AT_BAR)
    ours, small, local = (
        chosen(at_bar, contender=ROCKS),
        chosen(measured, by=_IN_BATCHES, window=_SMALL, contender=ROCKS),
        chosen(at_bar, contender=CompiledAmta.__name__),
    )
    return [
        at_least(
            f"RocksDB, in batches: throughput at {size(_AT_BAR)} of that at {size(_SMALL)}",
            0.5,
            [s.median / m.median for m in ours for s in small],
            "x",
        ),
        at_most(
            f"RocksDB, in batches: p50 at {size(_AT_BAR)} of that in memory",
            2,
            [m.at("p50") / other.at("p50") for m in ours for other in local],
            "x",
        ),
    ]


def _notes(sizes: LatencySizes) -> list[str]:
    return [
        "An update is insert + evict + query of a full window of sums.  In each repetition there "
        f"are {sizes.updates:,} one by one and {sizes.batches:,} batches, timed from the very "
        "first after filling; in a batch, the time of the batch counts in equal shares.",
        f"Recompute, the naive way, stops at {size(sizes.naive_window)}, since an update takes as "
        f"long as the window; Python's structures stop at {size(sizes.python_window)}: filling "
        "larger ones takes longer than measuring them.",
        "LogMta on a store is the benchmark's own: Python's objects in pages, written as they "
        "fill, without recovery and without deleting.  The pages with its oldest nodes, which "
        "every eviction changes, stay at hand.",
        "A turn of a window in a store ends when everything is in the store: updates per second "
        "count that, percentiles do not.",
    ]


LATENCY = Experiment(
    name="latency",
    question="what an update costs, by the size of the window",
    run=run,
    full=LatencySizes(
        windows=tuple(1 << power for power in (0, 3, 5, 8, 10, 13, 15, 18, 20, 23, 25)),
        naive_window=1 << 13,
        python_window=1 << 20,
        updates=5_000,
        batches=1 << 11,
    ),
    quick=LatencySizes(
        windows=(1, 1 << 8, 1 << 15),
        naive_window=1 << 8,
        python_window=1 << 15,
        updates=200,
        batches=1 << 5,
    ),
)
