"""Two years of a server's memory use, in windows of six aggregates, in memory and in stores."""

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

import windrow as wr
from benchmarks.data import LONGEST_RUN, Floats
from benchmarks.findings import Experiment, Findings, Table, pivot
from benchmarks.measure import (
    Bench,
    Case,
    Measured,
    percentiles,
    require_agreement,
    summary,
    uncollected,
)
from benchmarks.numbers import duration, plain, size
from benchmarks.store.log_mta import LogMtaInStore
from benchmarks.store.places import LOG_MTA, PYTHON, new_log_mta, new_window, stores
from benchmarks.store.ranks import RANKS
from benchmarks.store.warming import warm_up
from windrow import agg, window
from windrow.algebra.aggregate import Aggregate
from windrow.datasets import server_memory
from windrow.paged import PagedAmta
from windrow.paged.stores import Store
from windrow.structures import Aggregator, CompiledAmta, Recompute
from windrow.windows import Policy

__all__ = ["READINGS", "ReadingsPlan", "ReadingsSizes", "run"]

_Columns: TypeAlias = tuple[NDArray[Any], ...]

_BATCH = 512  # readings after which a policy slides


@dataclass(frozen=True)
class ReadingsSizes:
    """How many readings there are, and how many a window holds at most."""

    readings: int
    window: int
    chunk: int  # that it takes at a turn


@dataclass(frozen=True)
class ReadingsPlan:
    """For windows of numbers, of Python's objects, and of the naive way."""

    numbers: ReadingsSizes
    objects: ReadingsSizes
    naive: ReadingsSizes


@dataclass(frozen=True)
class _Question:
    """An aggregate, and a policy if the window slides by content."""

    name: str
    aggregate: Aggregate[Any]
    policy: Policy | None = None

    @property
    def dtypes(self) -> tuple[Any, ...]:
        return (np.float64, np.int64)[: len(self.aggregate.columns)]

    def columns(self, first: int, readings: Floats) -> _Columns:
        """What the aggregate reads: the readings, and their numbers as times if it wants those."""
        numbers = np.arange(first, first + len(readings))
        return (readings, numbers)[: len(self.aggregate.columns)]


def _questions(largest: int) -> Iterator[_Question]:
    yield _Question("sum", agg.sum())
    yield _Question("mean", agg.mean())
    yield _Question("geometric mean", agg.geometric_mean())
    yield _Question("std dev", agg.stddev())
    from_max = window.policy(
        keep=lambda w: w.n <= largest,
        drop=lambda evicted, after, before: evicted.peak <= after.peak,
        using={"n": agg.count(), "peak": agg.max()},
    )
    yield _Question("max", agg.max(), from_max)
    from_run = window.policy(
        keep=lambda w: w.n <= largest,
        drop=lambda evicted, after, before: after.run.start <= before.run.start,
        using={"n": agg.count(), "run": agg.longest_increasing_run()},
    )
    yield _Question(LONGEST_RUN, agg.longest_increasing_run(), from_run)


@dataclass
class _Reader:
    """A window that takes readings chunk by chunk, and the time it needs for each."""

    name: str
    question: _Question
    window: Aggregator | CompiledAmta | PagedAmta
    spent: list[int] = field(default_factory=list)  # nanoseconds of each chunk

    def take(self, columns: _Columns, largest: int) -> None:
        """Take a chunk, until all of it is where it is kept."""
        start = time.perf_counter_ns()
        if isinstance(self.window, Aggregator):
            self._take_one_by_one(self.window, columns, largest)
        elif self.question.policy is None:
            self._slide_by_size(self.window, columns, largest)
        else:
            self._slide_by_content(self.window, columns)
        if isinstance(self.window, PagedAmta | LogMtaInStore):
            self.window.flush()
        self.spent.append(time.perf_counter_ns() - start)

    def _take_one_by_one(self, window: Aggregator, columns: _Columns, largest: int) -> None:
        lists = [column.tolist() for column in columns]
        for place, update in enumerate(lists[0] if len(lists) == 1 else zip(*lists, strict=True)):
            window.insert(update)
            if self.question.policy is None:
                window.evict(max(len(window) - largest, 0))
                window.query()
            elif (place + 1) % _BATCH == 0:
                window.slide()
                window.query()

    def _slide_by_size(
        self, window: CompiledAmta | PagedAmta, columns: _Columns, largest: int
    ) -> None:
        room = largest - len(window)
        if room:
            window.extend(*(column[:room] for column in columns))
        if room < len(columns[0]):
            window.advance(*(column[room:] for column in columns))

    def _slide_by_content(self, window: CompiledAmta | PagedAmta, columns: _Columns) -> None:
        for first in range(0, len(columns[0]), _BATCH):
            window.extend(*(column[first : first + _BATCH] for column in columns))
            window.slide()
            window.query()


def run(plan: ReadingsPlan, bench: Bench) -> Findings:
    """Nanoseconds per reading, and the results in the end."""
    measured: list[Measured] = []
    results: list[list[str]] = []
    ways = ((_of_numbers, plan.numbers), (_of_objects, plan.objects), (_naive, plan.naive))
    with stores() as kept:
        for readers_of, sizes in ways:
            for question in _questions(sizes.window):
                with ExitStack() as stack:
                    readers = list(readers_of(question, kept, stack))
                    bench.progress.begin(f"{question.name}, window {size(sizes.window)}")
                    latest = _read(readers, sizes)
                    found = [_measured(reader, sizes) for reader in readers]
                    told = (f"{m.contender} {duration(m.median)}" for m in found)
                    bench.progress.end(", ".join(told))
                    results.append(_result(readers, latest, sizes))
                    measured += found
    rates = pivot(
        "readings per second",
        measured,
        ["window", "aggregate"],
        cell=lambda m: plain(1e9 / m.median),
    )
    header = ["aggregate", "readings", "readings in the window", "result"]
    return Findings(measured, [rates, Table("in the end", header, results)], notes=_notes(plan))


_Readers: TypeAlias = Iterator[_Reader]


def _of_numbers(question: _Question, kept: Mapping[str, Store], stack: ExitStack) -> _Readers:
    warm_up(question.aggregate, question.policy, question.dtypes)
    asked = (question.policy, question.dtypes)
    yield _Reader(CompiledAmta.__name__, question, CompiledAmta(question.aggregate, *asked))
    for name, store in kept.items():
        opened = stack.enter_context(new_window(store, question.aggregate, *asked))
        yield _Reader(name, question, opened)


def _of_objects(question: _Question, kept: Mapping[str, Store], stack: ExitStack) -> _Readers:
    for structure in PYTHON:
        made = structure(question.aggregate, question.policy)
        yield _Reader(structure.__name__, question, made)
    for name, store in kept.items():
        opened = new_log_mta(store, question.aggregate, question.policy)
        yield _Reader(LOG_MTA[name], question, stack.enter_context(opened))


def _naive(question: _Question, kept: Mapping[str, Store], stack: ExitStack) -> _Readers:
    yield _Reader(Recompute.__name__, question, Recompute(question.aggregate, question.policy))


def _read(readers: Sequence[_Reader], sizes: ReadingsSizes) -> Floats:
    """Have all take turns at each chunk; the readings that a window may hold in the end."""
    latest: deque[Floats] = deque(maxlen=sizes.window // sizes.chunk + 2)
    first = 0
    with uncollected():
        for readings in server_memory(sizes.readings, chunk=sizes.chunk):
            for reader in readers:
                reader.take(reader.question.columns(first, readings), sizes.window)
            first += len(readings)
            latest.append(readings)
    return np.concatenate(latest)[-sizes.window :]


def _measured(reader: _Reader, sizes: ReadingsSizes) -> Measured:
    case: Case = {"aggregate": reader.question.name, "window": sizes.window}
    overall = summary(reader.name, case, [sum(reader.spent) / sizes.readings], sizes.readings)
    full = reader.spent[: sizes.readings // sizes.chunk]
    return replace(overall, percentiles=percentiles(np.array(full) / sizes.chunk, RANKS))


def _result(readers: Sequence[_Reader], latest: Floats, sizes: ReadingsSizes) -> list[str]:
    """What all windows say, and what the readings say."""
    question, *_ = {reader.question.name: reader.question for reader in readers}.values()
    values, *times = question.columns(sizes.readings - len(latest), latest)
    rolled = wr.roll(
        values,
        question.aggregate,
        window.trailing(rows=sizes.window),
        times=times[0] if times else None,
    )
    for reader in readers:
        case = {"aggregate": question.name}
        require_agreement(case, reader.name, reader.window.query(), rolled[-1].item())
        require_agreement(case, reader.name, len(reader.window), len(readers[0].window))
    answer = rolled[-1].item()
    shown = f"{answer[-1]} readings" if isinstance(answer, tuple) else f"{answer:.6f} GB"
    return [question.name, f"{sizes.readings:,}", f"{len(readers[0].window):,}", shown]


def _notes(plan: ReadingsPlan) -> list[str]:
    sizes, objects, naive = plan.numbers, plan.objects, plan.naive
    return [
        f"{sizes.readings:,} readings of a server's memory use, one per second; windows hold at "
        f"most {size(sizes.window)}.  Windows take turns at chunks of {size(sizes.chunk)}, each "
        "until all is in its store; percentiles are of chunks.",
        f"Structures of Python's objects take the first {objects.readings:,} in windows of "
        f"{size(objects.window)}, one by one; Recompute, the naive way, the first "
        f"{naive.readings:,} in windows of {size(naive.window)}: more would take hours.  Their "
        f"chunks have {size(objects.chunk)} and {size(naive.chunk)}.",
        "Sum, means and std dev give a result for each reading.  The window of max loses what is "
        f"older than the maximum, that of the {LONGEST_RUN} what is older than the run: they "
        f"slide, and give a result, after each {_BATCH} readings.",
        "All results in the end are compared with those of windrow.roll over the latest readings.",
    ]


READINGS = Experiment(
    name="readings",
    question="a server's memory use, second by second for two years",
    run=run,
    full=ReadingsPlan(
        numbers=ReadingsSizes(readings=62_208_000, window=1 << 20, chunk=1 << 16),
        objects=ReadingsSizes(readings=1 << 17, window=1 << 16, chunk=1 << 11),
        naive=ReadingsSizes(readings=1 << 13, window=1 << 10, chunk=1 << 9),
    ),
    quick=ReadingsPlan(
        numbers=ReadingsSizes(readings=3 << 15, window=1 << 14, chunk=1 << 14),
        objects=ReadingsSizes(readings=1 << 11, window=1 << 9, chunk=1 << 9),
        naive=ReadingsSizes(readings=1 << 11, window=1 << 6, chunk=1 << 9),
    ),
)
