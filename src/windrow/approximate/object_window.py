"""Windows of buckets as objects: where Python has what `forest_window` works with, in a list."""

from collections.abc import Sequence
from math import inf
from operator import attrgetter, getitem, setitem
from typing import Any

from windrow.algebra.optional import same
from windrow.approximate.buckets import Buckets
from windrow.approximate.forest_window import (
    BucketForestCode,
    MemoryCode,
    WindowCode,
    window_code,
)
from windrow.approximate.layout import Bucket, Layout, Part
from windrow.approximate.max_like import deciding_number
from windrow.approximate.method import LIMIT, MethodCells
from windrow.approximate.method_code import CellAccess, Told, method_code
from windrow.approximate.sliding import PolicyCode, slide_code
from windrow.structures.contents import Judge

__all__ = ["limit_of", "new_window", "object_code"]

# Counters; the buckets at both ends; all behind the oldest as it was computed last: from which
# middle and which newest bucket, and both as one; for how many buckets there is room; and, from
# there on, what methods have.
BEHIND, LEAST, MOST, OLDEST, NEWEST, REST, ROOM, METHODS = range(8)


def new_window(layout: Layout, numbers: Sequence[float]) -> list[Any]:
    """A window without any update, whose methods have these cells."""
    nothing = layout.nothing
    return [0, 0, 0, nothing, nothing, (nothing, nothing, nothing), inf, *numbers]


def limit_of(window: list[Any]) -> Any:
    """How many buckets there may be: as many as were asked for, if there is room."""
    return min(window[METHODS + LIMIT], window[ROOM])


def object_code(layout: Layout, cells: MethodCells, judge: Judge | None) -> tuple[WindowCode, Any]:
    """What may be done to a window, a list, and its forest, which is `Buckets`.

    And what enforces a policy, if there is one.
    """
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
    told = [_told(number, part, ends) for number, part in enumerate(layout.parts)]
    methods = method_code(cells.kinds, told, _CELLS, METHODS, limit_of)
    code = window_code(layout.nothing, combine, memory, _FOREST, methods)
    if judge is None:
        return code, None
    policy = _policy_code(layout, judge)
    return code, slide_code(layout.nothing, combine, memory, _FOREST, methods, code, policy, same)


def _ignore(*arguments: Any) -> None:
    """Nobody needs to know."""


_FOREST = BucketForestCode(
    reset=lambda forest: forest.empty(),  # which is another one in pages
    insert=Buckets.add,
    start=attrgetter("start"),
    end=attrgetter("end"),
    node=Buckets.node,
    evict_to=Buckets.evict_to,
    halve=Buckets.halve,
)


def _ordered(window: list[Any], cell: int, count: int) -> list[Any]:
    return sorted(window[cell : cell + count])


_CELLS = CellAccess(getitem, getitem, setitem, setitem, _ordered)


def _told(number: int, part: Part, ends: Any) -> Told:
    name = part.aggregate.monoid.name

    def worst(bucket: Bucket) -> Any:
        return bucket.traces[number].worst

    def total(window: list[Any], forest: Buckets, held: int) -> float:
        totals = [bucket.traces[number].total for bucket in ends(window, forest) if bucket.size]
        try:
            return sum(map(float, totals))
        except OverflowError:
            return inf

    def deciding(bucket: Bucket) -> tuple[bool, float]:
        return deciding_number(name, bucket.states[number])

    return Told(worst, total, deciding)


def _policy_code(layout: Layout, judge: Judge) -> PolicyCode:
    looked_at: set[str] = set()

    def keeps(window: list[Any], view: Any) -> bool:
        return judge.keeps(("", *view))

    def condemns(evicted: Any, after: Any, before: Any) -> bool:
        seen, left, both = (judge.view(("", *view)) for view in (evicted, after, before))
        return judge.condemns_view(seen, left, _Noted(both, looked_at))

    def looked_before() -> bool:
        looked = bool(looked_at)
        looked_at.clear()
        return looked

    return PolicyCode(
        nothing=layout.nothing.watched,
        whole=lambda bucket, size: bucket.watched,
        first=attrgetter("first"),
        others=attrgetter("others"),
        join=layout.together,
        keeps=keeps,
        condemns=condemns,
        drops=judge.drops,
        looked_before=looked_before,
    )


class _Noted:
    """A view that notes what is read of it."""

    def __init__(self, view: Any, noted: set[str]) -> None:
        self._view, self._noted = view, noted

    def __getattr__(self, name: str) -> Any:
        self._noted.add(name)
        return getattr(self._view, name)
