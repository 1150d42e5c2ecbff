"""Windows of buckets as objects: where Python has what `forest_window` works with, in a list."""

from collections.abc import Sequence
from operator import getitem, setitem
from typing import Any

from windrow.approximate.buckets import Buckets
from windrow.approximate.footprint import Even
from windrow.approximate.forest_window import (
    BucketForestCode,
    MemoryCode,
    MethodCode,
    WindowCode,
    window_code,
)
from windrow.approximate.layout import Bucket, Layout
from windrow.approximate.method import Grouper, Window

__all__ = ["new_window", "object_code", "object_methods"]

# Counters, the buckets at both ends, and all behind the oldest, if it is known: of which middle,
# of which newest bucket, and both as one.
BEHIND, LEAST, MOST, OLDEST, NEWEST, REST = range(6)


def new_window(layout: Layout) -> list[Any]:
    """A window without any update."""
    nothing = layout.nothing
    return [0, 0, 0, nothing, nothing, (nothing, nothing, nothing)]


def object_code(layout: Layout, methods: MethodCode) -> WindowCode:
    """What may be done to a window, a list, and its forest, which is `Buckets`."""
    combine = layout.combine

    def size(window: list[Any], place: int) -> Any:
        return window[place][0]

    def middle_size(window: list[Any], forest: Buckets) -> int:
        return forest.total().size

    def ends(window: list[Any], forest: Buckets) -> tuple[Bucket, Bucket]:
        middle, newest, rest = window[REST]
        # States are values: the same ones make the same.
        if newest is not window[NEWEST] or middle is not forest.total():
            middle, newest = forest.total(), window[NEWEST]
            rest = combine(middle, newest)
            window[REST] = middle, newest, rest
        return window[OLDEST], rest

    memory = MemoryCode(
        counters=(BEHIND, LEAST, MOST),
        read=getitem,
        write=setitem,
        places=(OLDEST, NEWEST),
        load=getitem,
        store=setitem,
        size=size,
        begun=_ignore,
        changed=_ignore,  # the forest itself knows
        middle_size=middle_size,
        ends=ends,
    )
    return window_code(layout.nothing, combine, memory, _FOREST, methods)


def _ignore(*arguments: Any) -> None:
    """Nobody needs to know."""


_FOREST = BucketForestCode(
    reset=lambda forest: forest.empty(),  # which is another one in pages
    insert=Buckets.add,
    size=len,
    is_odd=Buckets.is_odd,
    pop=Buckets.pop,
    evict_all=Buckets.evict_all,
    evict_updates=Buckets.evict_updates,
    take_updates=Buckets.take_updates,
    parted=Buckets.parted,
    halve=Buckets.halve,
)


def object_methods(groupers: Sequence[Grouper], limit: Even | None, known: Window) -> MethodCode:
    """What methods say; all are asked, since some remember what came."""

    def joins(window: list[Any], fresh: Bucket, joined: Bucket, held: int) -> bool:
        asked = [grouper.joins(fresh, joined, held) for grouper in groupers]
        return any(asked)

    def inserted(window: list[Any], forest: Buckets, fresh: Bucket, held: int, began: Any) -> None:
        for grouper in groupers:
            grouper.inserted(fresh, held, known, began=began)

    def evicted(window: list[Any], count: int, held: int) -> None:
        for grouper in groupers:
            grouper.evicted(count, held)

    def limit_of(window: list[Any]) -> int:
        assert limit is not None
        return limit.limit

    def reached(window: list[Any]) -> None:
        assert limit is not None
        limit.was_reached = True

    return MethodCode(joins, inserted, evicted, limit is not None, limit_of, reached)
