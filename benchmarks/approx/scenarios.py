"""The three scenarios: what a window does with readings, and the exact results beside."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Floats
from windrow import agg, window
from windrow.approximate import CompiledApproximateAmta
from windrow.approximate.interval import Intervals
from windrow.structures import CompiledAmta

__all__ = ["HopScenario", "MaxScenario", "MeanScenario", "Scenario"]


class Piece(NamedTuple):
    """Consecutive updates: where they are in a chunk, and how many to evict before them."""

    start: int
    end: int
    evicted: int = 0


class Scenario(Protocol):
    """Windows over readings that come in chunks; first `see` a chunk, then `roll` windows."""

    def see(self, readings: Floats) -> Floats:
        """The exact results of a chunk."""

    def new(self, methods: Sequence[Any]) -> CompiledApproximateAmta:
        """An empty window."""

    def roll(self, held: CompiledApproximateAmta, readings: Floats) -> Intervals:
        """The results of the chunk that was seen last."""


class MeanScenario:
    """The mean of the last so many readings."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._sums = _Sums(size)

    def see(self, readings: Floats) -> Floats:
        """Sums of readings are exact, and so are their differences."""
        upto = self._sums.add(readings)
        numbers = np.arange(upto - len(readings) + 1, upto + 1)
        first = np.maximum(numbers - self._size, 0)
        return (self._sums.at(numbers) - self._sums.at(first)) / (numbers - first)

    def new(self, methods: Sequence[Any]) -> CompiledApproximateAmta:
        """A window of means."""
        return CompiledApproximateAmta(agg.mean(), *methods)

    def roll(self, held: CompiledApproximateAmta, readings: Floats) -> Intervals:
        """One in, one out."""
        rolled: Intervals = held.roll(readings, at_most=self._size)
        return rolled


class MaxScenario:
    """The maximum of the last so many readings, where all before it is evicted."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._filled = 0
        self._highest = -np.inf
        self._exact = CompiledAmta(agg.max())

    def see(self, readings: Floats) -> Floats:
        """What is older than the maximum never matters: the same as without the policy."""
        found = np.empty(len(readings))
        growing = min(max(self._size - self._filled, 0), len(readings))
        if growing:
            found[:growing] = np.maximum(np.maximum.accumulate(readings[:growing]), self._highest)
            self._highest = found[growing - 1]
            self._exact.extend(readings[:growing])
        found[growing:] = self._exact.advance(readings[growing:])
        self._filled += len(readings)
        return found

    def new(self, methods: Sequence[Any]) -> CompiledApproximateAmta:
        """A window that begins with its maximum."""
        return CompiledApproximateAmta(agg.max(), *methods, policy=_since_the_maximum)

    def roll(self, held: CompiledApproximateAmta, readings: Floats) -> Intervals:
        """One in; what is older than the maximum goes, and what is too old."""
        rolled: Intervals = held.roll(readings, at_most=self._size)
        return rolled


_since_the_maximum = window.policy(
    drop=lambda evicted, after, before: evicted.peak <= after.peak, using={"peak": agg.max()}
)


class HopScenario:
    """The mean of readings that leave by a third of a window at a time, or about."""

    def __init__(self, size: int, seed: int = 3) -> None:
        self._size = size
        self._sums = _Sums(size)
        self._rng = np.random.default_rng(seed)
        self._first = 0  # the oldest reading in the window
        self._seen = 0
        self._pieces: list[Piece] = []

    def see(self, readings: Floats) -> Floats:
        """Where windows begin changes from piece to piece."""
        self._sums.add(readings)
        self._pieces = list(self._cut(len(readings)))
        numbers = np.arange(self._seen - len(readings) + 1, self._seen + 1)
        found = []
        for piece in self._pieces:
            self._first += piece.evicted
            own = numbers[piece.start : piece.end]
            totals = self._sums.at(own) - self._sums.at(np.array([self._first]))
            found.append(totals / (own - self._first))
        return np.concatenate(found)

    def _cut(self, length: int) -> Iterator[Piece]:
        place, evicted, first = 0, 0, self._first
        while place < length:
            room = self._size - (self._seen - first)
            if not room:
                evicted = round(self._rng.normal(self._size / 3, 100 * self._size / 2_592_000))
                first += evicted
                continue
            end = min(place + room, length)
            yield Piece(place, end, evicted)
            self._seen += end - place
            place, evicted = end, 0

    def new(self, methods: Sequence[Any]) -> CompiledApproximateAmta:
        """A window of means."""
        return CompiledApproximateAmta(agg.mean(), *methods)

    def roll(self, held: CompiledApproximateAmta, readings: Floats) -> Intervals:
        """A third leaves before a piece."""
        found: list[Intervals] = []
        for piece in self._pieces:
            if piece.evicted:
                held.evict(piece.evicted)
            found.append(held.roll(readings[piece.start : piece.end]))
        together: Any = np.ma.concatenate  # of which numpy tells no types
        return Intervals(*(together(parts) for parts in zip(*found, strict=True)))


class _Sums:
    """The sums of all readings up to each, of those that windows may still need."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: NDArray[np.float64] = np.zeros(1)
        self._first = 0  # the number of the first one kept

    def add(self, readings: Floats) -> int:
        """More readings; how many there were by now."""
        keep = max(len(self._kept) - self._size - 1, 0)
        more = self._kept[-1] + np.cumsum(readings)
        self._kept = np.concatenate([self._kept[keep:], more])
        self._first += keep
        return self._first + len(self._kept) - 1

    def at(self, numbers: NDArray[np.int64]) -> Floats:
        """The sums of so many readings."""
        found: Floats = self._kept[numbers - self._first]
        return found
