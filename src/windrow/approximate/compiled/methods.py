"""What decides which updates share a compiled bucket: the methods of A²MTA, on cells."""

from math import inf, isfinite
from typing import Any

import numpy as np

from windrow.approximate.compiled import method_cells as at
from windrow.approximate.compiled.method_cells import Kinds
from windrow.approximate.compiled.operator import BucketOperator
from windrow.approximate.forest_window import MethodCode
from windrow.approximate.hop import stretch_of
from windrow.approximate.max_like import fit_sorted, lower_end_of, quantile_of
from windrow.approximate.prediction import NO_NUMBERS, added, nearest_to_zero, place_in_table
from windrow.compiler.jit import define
from windrow.compiler.marks import hot
from windrow.kernels.cells import read_float, read_int, write_float, write_int

__all__ = ["method_code"]


def method_code(
    operator: BucketOperator, kinds: Kinds, first: int, limit: Any, load: Any
) -> MethodCode:
    """The methods of one kind of window, whose cells are from `first` on, the limit's at `limit`.

    An update joins where any method lets it; all are asked, since some remember what came.
    """
    reached = limit + 1

    def limit_of(window: Any) -> Any:
        return read_int(window, limit)

    def reach(window: Any) -> None:
        write_int(window, reached, 1)

    asked: dict[str, Any] = {}
    if kinds.dimensions:
        asked["bounded"] = _bounded(operator, kinds, first)
    if kinds.extrema:
        asked["candidates"] = _candidates(operator, kinds, first)
    if kinds.hops:
        asked["hopping"] = _hopping(first + kinds.hop)
    if kinds.limited:
        asked["even"] = _even(limit)
    calls = "".join(f"    joins |= {name}(window, fresh, joined, held)\n" for name in asked)
    source = f"def joins(window, fresh, joined, held):\n    joins = False\n{calls}    return joins"
    return MethodCode(
        joins=hot(define("joins", source, **asked)),
        inserted=_inserted(operator, kinds, first, load),
        evicted=_evicted(kinds, first, reached),
        limited=kinds.limited,
        limit=limit_of,
        reached=reach,
    )


def _bounded(operator: BucketOperator, kinds: Kinds, first: int) -> Any:
    """No dimension's error may become too large."""
    names: dict[str, Any] = {"read_float": read_float, "inf": inf}
    source = "def bounded(window, fresh, joined, held):\n"
    for number, dimension in enumerate(kinds.dimensions):
        allowed = first + kinds.dimension(number) + at.ALLOWED
        worst = "1.0 * (joined[0] - 1)"
        if dimension.part is not None:
            names[f"own{number}"] = operator.own[dimension.part]
            names[f"worst{number}"] = operator.parts[dimension.part].code.worst
            worst = f"worst{number}(own{number}(joined), joined[0])"
        source += f"    worst = {worst}\n"
        source += f"    if not (worst < inf and worst <= read_float(window, {allowed})):\n"
        source += "        return False\n"
    return hot(define("bounded", f"{source}    return True", **names))


def _candidates(operator: BucketOperator, kinds: Kinds, first: int) -> Any:
    """No candidate for any extremum; a null is none."""
    names: dict[str, Any] = {"read_float": read_float}
    source = "def candidates(window, fresh, joined, held):\n"
    for number, extremum in enumerate(kinds.extrema):
        threshold = first + kinds.extremum(number) + at.THRESHOLD
        names[f"own{number}"] = operator.own[extremum.part]
        names[f"deciding{number}"] = operator.parts[extremum.part].code.deciding
        source += f"    known, value = deciding{number}(own{number}(fresh))\n"
        source += f"    if known and not value < read_float(window, {threshold}):\n"
        source += "        return False\n"
    return define("candidates", f"{source}    return True", **names)


def _hopping(first: int) -> Any:
    table = first + at.HOPS

    def hopping(window: Any, fresh: Any, joined: Any, held: Any) -> Any:
        sizes, before = _load(window, first), read_int(window, first + at.LAST)
        student = read_float(window, table + place_in_table(sizes[0]))
        now = stretch_of(held, sizes, student)
        write_int(window, first + at.LAST, now)
        return 0 <= now == before

    return hopping


def _even(limit: Any) -> Any:
    def even(window: Any, fresh: Any, joined: Any, held: Any) -> Any:
        most, was_reached = read_int(window, limit), read_int(window, limit + 1)
        return most == 1 or (was_reached != 0 and joined[0] <= (held + most) // most)

    return even


def _inserted(operator: BucketOperator, kinds: Kinds, first: int, load: Any) -> Any:
    # Not mere numbers, which have types of their own: all would be compiled for each.
    names: dict[str, Any] = {"remember": _remember, "take": _take, "int64": np.int64, "load": load}
    source = "def inserted(window, forest, fresh, held, began):\n    pass\n"
    for number, dimension in enumerate(kinds.dimensions):
        if not dimension.relative:
            continue
        share = "1.0"  # of a count, for each update
        if dimension.part is not None:
            names[f"own{number}"] = operator.own[dimension.part]
            names[f"total{number}"] = operator.parts[dimension.part].code.total
            old, new, mid = (
                f"total{number}(own{number}(load(window, int64({which}))))" for which in range(3)
            )
            share = f"({old} + ({mid} + {new})) / held"
        place = first + kinds.dimension(number)
        source += f"    remember(window, int64({place}), int64({first}), {share}, held, began)\n"
    for number, extremum in enumerate(kinds.extrema):
        names[f"of{number}"] = operator.own[extremum.part]
        names[f"deciding{number}"] = operator.parts[extremum.part].code.deciding
        place = first + kinds.extremum(number)
        source += f"    known, value = deciding{number}(of{number}(fresh))\n"
        source += f"    take(window, int64({place}), known, value, held)\n"
    return hot(define("inserted", source, **names))


@hot
def _remember(window: Any, own: Any, table: Any, share: Any, held: Any, began: Any) -> None:
    """A result that a relative bound refers to, for each update that is held."""
    now = added(_load(window, own + at.NOW), share if isfinite(share) else 0.0)
    if now[0] >= read_float(window, own + at.LENGTH):
        _store(window, own + at.BEFORE, now)
        now = NO_NUMBERS
        write_float(window, own + at.LENGTH, 1.0 * max(held, at.BLOCKS))
        began = True  # a bucket may be open for long: it hears of every epoch
    _store(window, own + at.NOW, now)
    if began:
        before = _load(window, own + at.BEFORE)
        student = read_float(window, table + place_in_table(before[0] + now[0]))
        nearest = nearest_to_zero(before, now, student)
        write_float(window, own + at.ALLOWED, read_float(window, own + at.BOUND) * (nearest * held))


@hot
def _load(window: Any, sample: Any) -> Any:
    first, second = read_float(window, sample), read_float(window, sample + 1)
    return (first, second, read_float(window, sample + 2), read_float(window, sample + 3))


@hot
def _store(window: Any, sample: Any, numbers: Any) -> None:
    for k in range(at.SAMPLE):
        write_float(window, sample + k, numbers[k])


def _take(window: Any, own: Any, known: Any, value: Any, held: Any) -> None:
    """Extend a block, and end it when it is long enough."""
    if known and isfinite(value):
        write_float(window, own + at.HIGHEST, max(read_float(window, own + at.HIGHEST), value))
    taken = read_int(window, own + at.TAKEN) + 1
    write_int(window, own + at.TAKEN, taken)
    lengths, newest = own + at.RINGS + at.BLOCKS, read_int(window, own + at.LENGTHS)
    here = lengths + newest % at.BLOCKS
    longest = max(read_int(window, here), held)
    write_int(window, here, longest)
    block = read_int(window, own + at.BLOCK)
    if block == 0:
        for k in range(at.BLOCKS):
            longest = max(longest, read_int(window, lengths + k))
        block = longest // at.BLOCKS + 1
    if taken >= block:
        _end_block(window, own, held)


def _end_block(window: Any, own: Any, held: Any) -> None:
    maxima, number = own + at.RINGS, read_int(window, own + at.MAXIMA)
    highest = read_float(window, own + at.HIGHEST)
    if isfinite(highest):
        write_float(window, maxima + number % at.BLOCKS, highest)
        number += 1
        write_int(window, own + at.MAXIMA, number)
    newest = read_int(window, own + at.LENGTHS) + 1
    write_int(window, own + at.LENGTHS, newest)
    write_int(window, own + at.RINGS + at.BLOCKS + newest % at.BLOCKS, held)
    write_float(window, own + at.HIGHEST, -inf)
    write_int(window, own + at.TAKEN, 0)
    if number >= at.BLOCKS:
        ordered = np.empty(at.BLOCKS, np.float64)
        for k in range(at.BLOCKS):
            ordered[k] = read_float(window, maxima + k)
        ordered.sort()
        values = fit_sorted(ordered)
        share = read_float(window, own + at.SHARE)
        write_float(
            window, own + at.THRESHOLD, max(quantile_of(values, share), lower_end_of(values))
        )


def _evicted(kinds: Kinds, first: int, reached: Any) -> Any:
    hops, limited, own = kinds.hops, kinds.limited, first + kinds.hop

    def evicted(window: Any, count: Any, held: Any) -> None:
        if hops:
            _store(window, own, added(_load(window, own), 1.0 * count))
            write_int(window, own + at.LAST, -1)
        if limited and held == 0:
            write_int(window, reached, 0)

    return evicted
