"""Whatever keeps one window from Python, step by step: our structures, and river's statistics."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.others import RIVER
from benchmarks.streams import Stream
from windrow.algebra.monoid import Group
from windrow.paged import PagedAmta
from windrow.structures import (
    Aggregator,
    Amta,
    Daba,
    FlatFat,
    LogMta,
    Recompute,
    SubtractOnEvict,
    TwoStacks,
)
from windrow.structures.compiled_amta import CompiledAmta

__all__ = ["Keeper", "compiled", "filled", "keeper", "keepers"]

_RECOMPUTE_UP_TO = 1 << 10
_RIVER_UP_TO = 1 << 16


@dataclass(frozen=True)
class Keeper:
    """A full window; a step takes the oldest out, an update in, and gives the result."""

    name: str
    step: Callable[[Any], Any]
    slowness: int = 1  # so many times fewer steps are measured


def keepers(stream: Stream) -> Iterator[Keeper]:
    """All that can keep the window of a stream, filled."""
    if stream.held <= _RECOMPUTE_UP_TO:
        yield keeper(filled(Recompute, stream), slowness=1 + stream.held // 50)
    if isinstance(stream.aggregate.monoid, Group):
        yield keeper(filled(SubtractOnEvict, stream))
    for structure in (TwoStacks, Daba, FlatFat, LogMta, Amta):
        yield keeper(filled(structure, stream))
    yield keeper(compiled(stream))
    if stream.name in RIVER and stream.held <= _RIVER_UP_TO:
        statistic = RIVER[stream.name](stream.held)
        for update in stream.filling():
            statistic.step(update)
        yield Keeper("river", statistic.step)


def filled(structure: Callable[..., Aggregator], stream: Stream) -> Aggregator:
    """A structure with the first updates of a stream in it."""
    window = structure(stream.aggregate)
    for update in stream.filling():
        window.insert(update)
    return window


def compiled(stream: Stream) -> CompiledAmta:
    """A compiled window with the first updates of a stream in it, and its code loaded."""
    window = CompiledAmta(stream.aggregate, dtypes=stream.dtypes)
    window.insert(next(stream.filling()))
    window.evict()
    window.query()
    window.extend(*stream.rows(0, stream.held))
    return window


def keeper(window: Aggregator | CompiledAmta | PagedAmta, slowness: int = 1) -> Keeper:
    """A full window of ours, whatever keeps it."""
    insert, evict, query = window.insert, window.evict, window.query

    def step(update: Any) -> Any:
        evict()  # first, so that a window filled to a power of two need not grow
        insert(update)
        return query()

    return Keeper(type(window).__name__, step, slowness)
