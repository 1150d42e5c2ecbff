"""Counting combines: windows of many sizes, aggregates of every kind, and a window under watch."""

from math import log2
from typing import Any

from tests.structures.support import counted
from windrow import agg
from windrow.algebra.monoid import Kind, Monoid
from windrow.structures import Aggregator

SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 127, 128, 129, 1000, 1023, 1024, 1025, 4097]

NOTHING: Monoid[None, None] = Monoid(
    name="nothing",
    lift=lambda value: None,
    combine=lambda older, newer: None,
    lower=lambda state: None,
    identity=None,
)

# A sketch in small: the ten least hashes stand for the set.
SKETCH: Monoid[frozenset[int], int] = Monoid(
    name="least hashes",
    lift=lambda value: frozenset([value * 2654435761 % 2**32]),
    combine=lambda older, newer: frozenset(sorted(older | newer)[:10]),
    lower=len,
    identity=frozenset(),
    kind=Kind.SKETCH,
    commutative=True,
)

KINDS: dict[str, Any] = {
    "distributive": agg.sum(),
    "algebraic": agg.variance(),
    "holistic": agg.collect(),
    "sketch": SKETCH,
}


def logarithm(size: int) -> float:
    return log2(max(size, 1))


class Watched:
    """A window, and how many combines each of its operations took."""

    def __init__(self, structure: type[Aggregator], aggregate: Any = NOTHING) -> None:
        monoid, self.combines = counted(aggregate)
        self.window = structure(monoid)
        self.inserted = 0

    def insert(self) -> int:
        self.inserted += 1
        return self.combines.since(lambda: self.window.insert(self.inserted))

    def evict(self, count: int = 1) -> int:
        return self.combines.since(lambda: self.window.evict(count))

    def query(self) -> int:
        # The state alone: what `lower` does with it is the aggregate's affair.
        return self.combines.since(self.window._total)

    def fill(self, size: int) -> None:
        while len(self.window) < size:
            self.inserted += 1
            self.window.insert(self.inserted)

    def steps(self, size: int, repeat: int) -> list[int]:
        """Combines of insert + evict + query, each at a window of `size`."""
        self.fill(size)
        return [self.insert() + self.evict() + self.query() for _ in range(repeat)]
