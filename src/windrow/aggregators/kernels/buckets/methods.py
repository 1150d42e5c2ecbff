"""What decides which updates share a compiled bucket: the methods of A²MTA, on cells."""

from math import inf, isfinite
from typing import Any, NamedTuple

import numpy as np

from windrow.aggregators.approximate.extremes import fit_sorted, lower_end_of, quantile_of
from windrow.aggregators.kernels.buckets.method_cells import (
    ALLOWED,
    BEFORE,
    BLOCK,
    BLOCKS,
    BOUND,
    HIGHEST,
    HOPS,
    LAST,
    LENGTH,
    LENGTHS,
    MAXIMA,
    NOW,
    RINGS,
    SHARE,
    TAKEN,
    THRESHOLD,
    Kinds,
)
from windrow.aggregators.kernels.buckets.operator import BucketOperator
from windrow.aggregators.kernels.buckets.samples import (
    SAMPLE,
    add,
    clear,
    mean_of,
    nearest_to_zero,
    number_of,
    radius,
    spread_of,
)
from windrow.aggregators.kernels.memory import read_float, read_int, write_float, write_int
from windrow.algebra.hot import hot
from windrow.algebra.jit import define

__all__ = ["MethodCode", "method_code"]


class MethodCode(NamedTuple):
    """What a window calls."""

    joins: Any  # joins(window, fresh, joined, held) → whether an update may join
    inserted: Any  # inserted(window, fresh, held, began, oldest, middle, newest)
    evicted: Any  # evicted(window, count)


def method_code(operator: BucketOperator, kinds: Kinds, first: int, limit: Any) -> MethodCode:
    """The methods of one kind of window, whose cells are from `first` on, the limit's at `limit`.

    An update joins where any method lets it; all are asked, since some remember what came.
    """
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
        inserted=_inserted(operator, kinds, first),
        evicted=_evicted(kinds, first),
    )


def _bounded(operator: BucketOperator, kinds: Kinds, first: int) -> Any:
    """No dimension's error may become too large."""
    names: dict[str, Any] = {"read_float": read_float, "inf": inf}
    source = "def bounded(window, fresh, joined, held):\n"
    for number, dimension in enumerate(kinds.dimensions):
        allowed = first + kinds.dimension(number) + ALLOWED
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
        threshold = first + kinds.extremum(number) + THRESHOLD
        names[f"own{number}"] = operator.own[extremum.part]
        names[f"deciding{number}"] = operator.parts[extremum.part].code.deciding
        source += f"    known, value = deciding{number}(own{number}(fresh))\n"
        source += f"    if known and not value < read_float(window, {threshold}):\n"
        source += "        return False\n"
    return define("candidates", f"{source}    return True", **names)


def _hopping(first: int) -> Any:
    table = first + HOPS

    def stretch(window: Any, place: Any) -> Any:
        number = number_of(window, first)
        if number < BLOCKS:
            return -1
        mean = mean_of(window, first)
        ahead = round(place / mean)
        spread = spread_of(window, first)
        reach = radius(window, table, number, spread, 1.0 * max(ahead, 1)) + 1.0
        if abs(place - ahead * mean) <= reach:
            return -1
        return int(place // mean)

    def hopping(window: Any, fresh: Any, joined: Any, held: Any) -> Any:
        before, now = read_int(window, first + LAST), stretch(window, held)
        write_int(window, first + LAST, now)
        return now >= 0 and now == before

    return hopping


def _even(limit: Any) -> Any:
    def even(window: Any, fresh: Any, joined: Any, held: Any) -> Any:
        most, was_reached = read_int(window, limit), read_int(window, limit + 1)
        return was_reached != 0 and joined[0] <= (held + most) // most

    return even


def _inserted(operator: BucketOperator, kinds: Kinds, first: int) -> Any:
    # Not mere numbers, which have types of their own: all would be compiled for each.
    names: dict[str, Any] = {"remember": _remember, "take": _take, "int64": np.int64}
    source = "def inserted(window, fresh, held, began, oldest, middle, newest):\n    pass\n"
    for number, dimension in enumerate(kinds.dimensions):
        if not dimension.relative:
            continue
        share = "1.0"  # of a count, for each update
        if dimension.part is not None:
            names[f"own{number}"] = operator.own[dimension.part]
            names[f"total{number}"] = operator.parts[dimension.part].code.total
            old, mid, new = (
                f"total{number}(own{number}({name}))" for name in ("oldest", "middle", "newest")
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
    now = own + NOW
    add(window, now, share if isfinite(share) else 0.0)
    if number_of(window, now) >= read_float(window, own + LENGTH):
        for k in range(SAMPLE):
            write_float(window, own + BEFORE + k, read_float(window, now + k))
        clear(window, now)
        write_float(window, own + LENGTH, 1.0 * max(held, BLOCKS))
        began = True  # a bucket may be open for long: it hears of every epoch
    if began:
        nearest = nearest_to_zero(window, table, own + BEFORE, now)
        write_float(window, own + ALLOWED, read_float(window, own + BOUND) * (nearest * held))


def _take(window: Any, own: Any, known: Any, value: Any, held: Any) -> None:
    """Extend a block, and end it when it is long enough."""
    if known and isfinite(value):
        write_float(window, own + HIGHEST, max(read_float(window, own + HIGHEST), value))
    taken = read_int(window, own + TAKEN) + 1
    write_int(window, own + TAKEN, taken)
    lengths, newest = own + RINGS + BLOCKS, read_int(window, own + LENGTHS)
    here = lengths + newest % BLOCKS
    longest = max(read_int(window, here), held)
    write_int(window, here, longest)
    block = read_int(window, own + BLOCK)
    if block == 0:
        for k in range(BLOCKS):
            longest = max(longest, read_int(window, lengths + k))
        block = longest // BLOCKS + 1
    if taken >= block:
        _end_block(window, own, held)


def _end_block(window: Any, own: Any, held: Any) -> None:
    maxima, number = own + RINGS, read_int(window, own + MAXIMA)
    highest = read_float(window, own + HIGHEST)
    if isfinite(highest):
        write_float(window, maxima + number % BLOCKS, highest)
        number += 1
        write_int(window, own + MAXIMA, number)
    newest = read_int(window, own + LENGTHS) + 1
    write_int(window, own + LENGTHS, newest)
    write_int(window, own + RINGS + BLOCKS + newest % BLOCKS, held)
    write_float(window, own + HIGHEST, -inf)
    write_int(window, own + TAKEN, 0)
    if number >= BLOCKS:
        ordered = np.empty(BLOCKS, np.float64)
        for k in range(BLOCKS):
            ordered[k] = read_float(window, maxima + k)
        ordered.sort()
        values = fit_sorted(ordered)
        share = read_float(window, own + SHARE)
        write_float(window, own + THRESHOLD, max(quantile_of(values, share), lower_end_of(values)))


def _evicted(kinds: Kinds, first: int) -> Any:
    hops, own = kinds.hops, first + kinds.hop

    def evicted(window: Any, count: Any) -> None:
        if hops:
            add(window, own, 1.0 * count)
            write_int(window, own + LAST, -1)

    return evicted
