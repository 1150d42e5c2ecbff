"""Evicting many updates at once, from windows in memory and in stores."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from benchmarks.data import Floats, positive
from benchmarks.findings import Bar, Experiment, Findings, at_most, chosen
from benchmarks.keepers import compiled, filled
from benchmarks.measure import Bench, Measured, Timer, require_agreement, uncollected
from benchmarks.numbers import size
from benchmarks.store.places import LOG_MTA, PYTHON, REDIS, ROCKS, new_log_mta, stores
from benchmarks.store.ranks import RANKS, by_rank
from benchmarks.store.returning import InMemory, InStore, Returning
from benchmarks.store.warming import warm_up
from benchmarks.streams import Stream
from windrow.paged import PagedAmta
from windrow.paged.stores import Store
from windrow.structures import Recompute

__all__ = ["EVICTION", "EvictionSizes", "run"]

_AGGREGATE = "sum"
_MOST_BETWEEN = 1 << 12  # updates that come between two evictions, so that each cuts elsewhere
_AT_BAR = {"window": 1 << 23, "evicted": 1 << 22}
_BLOCK = 1 << 16


@dataclass(frozen=True)
class EvictionSizes:
    """How large windows are, and how often each number of updates leaves them."""

    held: int
    times: int
    python_held: int  # by Python's structures
    memory_times: int  # in memory, where coming back takes long
    every: int = 1  # so many powers of two are apart
    python_every: int = 4


def run(sizes: EvictionSizes, bench: Bench) -> Findings:
    """The latencies of single evictions."""
    values = positive(sizes.held + sizes.held // 2)
    python = replace(sizes, every=sizes.python_every)
    measured: list[Measured] = []
    stream = Stream(_AGGREGATE, values, sizes.held)
    warm_up(stream.aggregate)
    with stores() as kept, ExitStack() as stack, uncollected():
        windows = list(_fast(stream, kept, stack))
        measured += _measured(stream, windows, sizes, bench)
    with uncollected():  # structures are full of objects, none of which is garbage
        stream = Stream(_AGGREGATE, values, sizes.python_held)
        for structure in (Recompute, *PYTHON):  # one after the other: each takes much memory
            window = InMemory(filled(structure, stream))
            measured += _measured(stream, [window], python, bench)
        with stores() as kept:
            for name, store in kept.items():
                with new_log_mta(store, stream.aggregate) as opened:
                    held = filled(lambda _, ready=opened: ready, stream)
                    measured += _measured(stream, [InMemory(held, LOG_MTA[name])], python, bench)
    return Findings(
        measured,
        by_rank("one eviction", measured, ["window", "evicted"], columns="contender"),
        _bars(measured),
        _notes(sizes),
    )


def _fast(stream: Stream, kept: Mapping[str, Store], stack: ExitStack) -> Iterator[Returning]:
    """The windows of numbers, filled."""
    yield InMemory(compiled(stream))
    for name, store in kept.items():
        opened = partial(PagedAmta, stream.aggregate, store, name, dtypes=stream.dtypes)
        with opened() as window:
            for first in range(0, stream.held, _BLOCK):
                window.extend(*stream.rows(first, min(first + _BLOCK, stream.held)))
        stack.callback(store.delete, name)
        yield InStore(name, opened)


def _measured(
    stream: Stream, windows: Sequence[Returning], sizes: EvictionSizes, bench: Bench
) -> list[Measured]:
    sliding = [_Sliding(window, stream) for window in windows]
    measured: list[Measured] = []
    for count in _counts(stream.held, sizes.every):
        for own in sliding:
            own.check(count)  # and warm up
        timers = [Timer(own.name, _turn(own, count, sizes, bench)) for own in sliding]
        measured += bench.singles({"window": stream.held, "evicted": count}, timers, RANKS)
    for own in sliding:
        own.require_all()
    return measured


def _counts(held: int, every: int) -> list[int]:
    """Powers of two below, and all but one."""
    return [*(1 << power for power in range(0, (held - 1).bit_length(), every)), held - 1]


def _turn(
    sliding: "_Sliding", count: int, sizes: EvictionSizes, bench: Bench
) -> Callable[[], list[int]]:
    times = sizes.times if isinstance(sliding.window, InStore) else sizes.memory_times
    share = -(-times // bench.repetitions)
    return lambda: [sliding.evict(count) for _ in range(share)]


class _Sliding:
    """A window that slides a little before each eviction, over values that come again and again."""

    def __init__(self, window: Returning, stream: Stream) -> None:
        self.name = window.name
        self.window = window
        self._values: Floats = stream.columns[0]
        self._held = stream.held
        self._inserted = stream.held
        self._rng = np.random.default_rng(0)
        # Half of it was in the window when the front was made, half came after.
        while self._inserted < stream.held + stream.held // 2:
            window.slide(self._coming(min(_BLOCK, stream.held // 2)))

    def evict(self, count: int) -> int:
        """The nanoseconds of one eviction."""
        return self.window.evict(self._some(), count)

    def check(self, count: int) -> None:
        """Compare the result after an eviction with that of what must be left."""
        found: list[float] = []
        self.window.evict(self._some(), count, lambda window: found.append(window.query()))
        left = self._updates(self._inserted - self._held + count, self._held - count)
        require_agreement({"evicted": count}, self.name, found, [left.sum()])

    def require_all(self) -> None:
        """All that was evicted must be back: windows of other sizes would be measured."""
        held = self.window.slide(self._coming(1))
        require_agreement({"window": self._held}, self.name, held, self._held)

    def _some(self) -> Floats:
        return self._coming(int(self._rng.integers(1, min(_MOST_BETWEEN, self._held))))

    def _coming(self, count: int) -> Floats:
        self._inserted += count
        return self._updates(self._inserted - count, count)

    def _updates(self, first: int, count: int) -> Floats:
        return self._values.take(np.arange(first, first + count), mode="wrap")


def _bars(measured: Sequence[Measured]) -> list[Bar]:
    return [
        at_most(
            f"{name}: evicting {size(_AT_BAR['evicted'])} of {size(_AT_BAR['window'])}, p99",
            limit,
            [m.at("p99") / 1e6 for m in chosen(measured, contender=name, **_AT_BAR)],
            "ms",
        )
        for name, limit in ((ROCKS, 5), (REDIS, 20))
    ]


def _notes(sizes: EvictionSizes) -> list[str]:
    return [
        f"{sizes.times} evictions each in stores and {sizes.memory_times} in memory.  Python's "
        f"structures hold {size(sizes.python_held)}: larger ones take longer to fill than to "
        "measure.",
        "Before each eviction the window slides on by up to "
        f"{_MOST_BETWEEN:,} updates, so that it cuts elsewhere.  After it, a window in memory "
        "comes back from a snapshot; one in a store is left as after a crash, and opened again "
        "where it was written last.",
        "LogMta on a store is the benchmark's own; what it has at hand comes back from a snapshot.",
        "Of fewer than a thousand evictions, p99.9 is close to the longest; of fewer than a "
        "hundred, p99 too.",
    ]


EVICTION = Experiment(
    name="eviction",
    question="what it costs to evict many at once, in memory and in stores",
    run=run,
    full=EvictionSizes(held=1 << 23, times=300, python_held=1 << 20, memory_times=5, every=2),
    quick=EvictionSizes(held=1 << 14, times=6, python_held=1 << 10, memory_times=6, every=4),
)
