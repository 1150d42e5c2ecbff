"""What decides which updates share a compiled bucket: the methods of A²MTA, on cells.

Each method has some cells of a window: its settings, and what it learns.  The code depends on what
kinds of methods there are alone, so that other settings need no other code.
"""

from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windrow.aggregators.approximate.extremes import fit_sorted, lower_end_of, quantile_of
from windrow.aggregators.kernels.buckets.operator import BucketOperator
from windrow.aggregators.kernels.buckets.samples import (
    SAMPLE,
    TABLE,
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

__all__ = [
    "BLOCKS",
    "Dimension",
    "Extremum",
    "Kinds",
    "MethodCode",
    "adopt_dimension",
    "adopt_extremum",
    "adopt_hops",
    "dimension_cells",
    "extremum_cells",
    "hop_cells",
    "method_code",
]

BLOCKS = 30  # of which a sample of extreme values is made

# The cells of a dimension whose error is controlled.
_BOUND, _ALLOWED, _LENGTH, _BEFORE, _NOW = 0, 1, 2, 3, 3 + SAMPLE
DIMENSION = 3 + 2 * SAMPLE

# Those of an extremum; then the maxima of blocks, and how long windows were during each.
_SHARE, _HIGHEST, _THRESHOLD, _BLOCK, _TAKEN, _MAXIMA, _LENGTHS = range(7)
_RINGS = 7
EXTREMUM = _RINGS + 2 * BLOCKS

# Those of hops.
_LAST = SAMPLE
HOPS = SAMPLE + 1


@dataclass(frozen=True)
class Dimension:
    """A sum or, without a part, a count of updates."""

    part: int | None
    relative: bool


@dataclass(frozen=True)
class Extremum:
    """An extremum whose candidates open buckets."""

    part: int


class Kinds(NamedTuple):
    """Which methods there are."""

    dimensions: tuple[Dimension, ...] = ()
    extrema: tuple[Extremum, ...] = ()
    hops: bool = False
    limited: bool = False

    @property
    def cells(self) -> int:
        """How many cells they have."""
        tables = (bool(self.dimensions) + self.hops) * TABLE
        own = len(self.dimensions) * DIMENSION + len(self.extrema) * EXTREMUM + self.hops * HOPS
        return tables + own

    @property
    def tables(self) -> list[int]:
        """Where tables of Student's t begin, which never change."""
        return [0] * bool(self.dimensions) + [self.hop + HOPS] * self.hops

    def dimension(self, number: int) -> int:
        """The first cell of a dimension; before them all is their table of Student's t."""
        return TABLE + number * DIMENSION

    def extremum(self, number: int) -> int:
        """The first cell of an extremum."""
        before = TABLE * bool(self.dimensions) + len(self.dimensions) * DIMENSION
        return before + number * EXTREMUM

    @property
    def hop(self) -> int:
        """The first cell of hops; their table follows them."""
        return self.extremum(len(self.extrema))


def dimension_cells(bound: float, least: int, *, relative: bool) -> NDArray[np.int64]:
    """A dimension that nothing is known of yet."""
    cells = np.zeros(DIMENSION)
    cells[_BOUND], cells[_ALLOWED], cells[_LENGTH] = bound, 0.0 if relative else bound, least
    return cells.view(np.int64)


def extremum_cells(share: float, block: int) -> NDArray[np.int64]:
    """An extremum without a block yet; blocks of 0 updates are as long as windows suggest."""
    cells = np.zeros(EXTREMUM)
    cells[_SHARE], cells[_HIGHEST], cells[_THRESHOLD] = share, -inf, -inf
    found = cells.view(np.int64)
    found[_BLOCK], found[_RINGS + BLOCKS] = block, 1
    return found


def hop_cells() -> NDArray[np.int64]:
    """Hops of which none has been seen."""
    cells = np.zeros(HOPS, np.int64)
    cells[_LAST] = -1
    return cells


def adopt_dimension(cells: NDArray[np.int64], learned: Any) -> None:
    """Take over what a relative bound of Python's learned."""
    (before, now, length), allowed = learned
    floats = cells.view(np.float64)
    floats[_ALLOWED], floats[_LENGTH] = allowed, length
    floats[_BEFORE:_NOW], floats[_NOW:DIMENSION] = before, now


def adopt_extremum(cells: NDArray[np.int64], learned: Any) -> None:
    """Take over the blocks of an extremum of Python's."""
    maxima, lengths, (highest, taken, threshold) = learned
    floats = cells.view(np.float64)
    floats[_HIGHEST], floats[_THRESHOLD] = highest, threshold
    floats[_RINGS : _RINGS + len(maxima)] = maxima
    cells[_RINGS + BLOCKS :][: len(lengths)] = lengths
    cells[_TAKEN], cells[_MAXIMA], cells[_LENGTHS] = taken, len(maxima), len(lengths) - 1


def adopt_hops(cells: NDArray[np.int64], learned: Any) -> None:
    """Take over the sizes of evictions that Python saw."""
    sizes, last = learned
    cells.view(np.float64)[:SAMPLE] = sizes
    cells[_LAST] = -1 if last is None else last


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
        allowed = first + kinds.dimension(number) + _ALLOWED
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
        threshold = first + kinds.extremum(number) + _THRESHOLD
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
        before, now = read_int(window, first + _LAST), stretch(window, held)
        write_int(window, first + _LAST, now)
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
    now = own + _NOW
    add(window, now, share if isfinite(share) else 0.0)
    if number_of(window, now) >= read_float(window, own + _LENGTH):
        for k in range(SAMPLE):
            write_float(window, own + _BEFORE + k, read_float(window, now + k))
        clear(window, now)
        write_float(window, own + _LENGTH, 1.0 * max(held, BLOCKS))
        began = True  # a bucket may be open for long: it hears of every epoch
    if began:
        nearest = nearest_to_zero(window, table, own + _BEFORE, now)
        write_float(window, own + _ALLOWED, read_float(window, own + _BOUND) * (nearest * held))


def _take(window: Any, own: Any, known: Any, value: Any, held: Any) -> None:
    """Extend a block, and end it when it is long enough."""
    if known and isfinite(value):
        write_float(window, own + _HIGHEST, max(read_float(window, own + _HIGHEST), value))
    taken = read_int(window, own + _TAKEN) + 1
    write_int(window, own + _TAKEN, taken)
    lengths, newest = own + _RINGS + BLOCKS, read_int(window, own + _LENGTHS)
    here = lengths + newest % BLOCKS
    longest = max(read_int(window, here), held)
    write_int(window, here, longest)
    block = read_int(window, own + _BLOCK)
    if block == 0:
        for k in range(BLOCKS):
            longest = max(longest, read_int(window, lengths + k))
        block = longest // BLOCKS + 1
    if taken >= block:
        _end_block(window, own, held)


def _end_block(window: Any, own: Any, held: Any) -> None:
    maxima, number = own + _RINGS, read_int(window, own + _MAXIMA)
    highest = read_float(window, own + _HIGHEST)
    if isfinite(highest):
        write_float(window, maxima + number % BLOCKS, highest)
        number += 1
        write_int(window, own + _MAXIMA, number)
    newest = read_int(window, own + _LENGTHS) + 1
    write_int(window, own + _LENGTHS, newest)
    write_int(window, own + _RINGS + BLOCKS + newest % BLOCKS, held)
    write_float(window, own + _HIGHEST, -inf)
    write_int(window, own + _TAKEN, 0)
    if number >= BLOCKS:
        ordered = np.empty(BLOCKS, np.float64)
        for k in range(BLOCKS):
            ordered[k] = read_float(window, maxima + k)
        ordered.sort()
        values = fit_sorted(ordered)
        share = read_float(window, own + _SHARE)
        write_float(window, own + _THRESHOLD, max(quantile_of(values, share), lower_end_of(values)))


def _evicted(kinds: Kinds, first: int) -> Any:
    hops, own = kinds.hops, first + kinds.hop

    def evicted(window: Any, count: Any) -> None:
        if hops:
            add(window, own, 1.0 * count)
            write_int(window, own + _LAST, -1)

    return evicted
