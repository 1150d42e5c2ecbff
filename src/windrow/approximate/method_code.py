"""What methods do with their cells, written once: for windows of objects as for compiled ones."""

from collections.abc import Callable, Sequence
from functools import reduce
from math import inf, isfinite
from typing import Any, NamedTuple

from windrow.approximate import method as at
from windrow.approximate.forest_window import MethodCode
from windrow.approximate.hop import stretch_of
from windrow.approximate.max_like import fit_sorted, lower_end_of, quantile_of
from windrow.approximate.method import Bounded, Candidates, Even, Hops, Kind
from windrow.approximate.prediction import NO_NUMBERS, added, nearest_to_zero, place_in_table
from windrow.compiler.marks import hot

__all__ = ["CellAccess", "Told", "method_code"]


class CellAccess(NamedTuple):
    """How a window's cells are read and written."""

    read_float: Any  # read_float(window, cell) → a number
    read_int: Any
    write_float: Any  # write_float(window, cell, number)
    write_int: Any
    ordered: Any  # ordered(window, cell, count) → the floats from there on, in ascending order


class Told(NamedTuple):
    """What buckets tell of one aggregate, if its family has that."""

    worst: Any  # worst(bucket) → the error that it may cause, of sums
    total: Any  # total(window, forest, held) → what all buckets add up to, a float
    deciding: Any  # deciding(bucket) → (whether there is one, the number), of extrema; upwards


def method_code(
    kinds: Sequence[Kind], told: Sequence[Told], cells: CellAccess, first: Any, limit: Any
) -> MethodCode:
    """The methods of one kind of window, whose cells are from `first` on; `limit(window)` is now's.

    An update joins where any method lets it; all are asked, since some remember what came.
    """
    code = _Code(told, cells, first)
    joins: list[Any] = []
    inserted: list[Any] = []
    evicted: list[Any] = []
    for kind in kinds:
        match kind:
            case Bounded():
                joins.append(reduce(_both, [code.within(own) for own in kind.dimensions]))
                if kind.table is not None:
                    inserted += [code.remember(own, first + kind.table) for own in kind.dimensions]
            case Candidates():
                joins.append(reduce(_both, [code.no_candidate(own) for own in kind.extrema]))
                inserted += [code.take(own) for own in kind.extrema]
            case Hops():
                joins.append(code.hopping(first + kind.cell))
                evicted.append(code.hopped(first + kind.cell))
            case Even():
                joins.append(code.even(limit))
                evicted.append(code.emptied())
    return MethodCode(
        joins=reduce(_either, joins),
        inserted=reduce(_then, inserted, _nothing),
        evicted=reduce(_then, evicted, _nothing),
        limited=Even() in kinds,
        limit=limit,
        reached=code.reach(),
    )


def _both(one: Any, other: Any) -> Any:
    @hot
    def both(*arguments: Any) -> Any:
        return one(*arguments) and other(*arguments)

    return both


def _either(one: Any, other: Any) -> Any:
    @hot
    def either(*arguments: Any) -> Any:
        first, second = one(*arguments), other(*arguments)
        return first | second

    return either


def _then(one: Any, other: Any) -> Any:
    @hot
    def then(*arguments: Any) -> None:
        one(*arguments)
        other(*arguments)

    return then


@hot
def _nothing(*arguments: Any) -> None:
    """Nothing to learn."""


@hot
def _worst_count(bucket: Any) -> Any:
    return 1.0 * (bucket[0] - 1)


@hot
def _held(window: Any, forest: Any, held: Any) -> Any:
    return 1.0 * held


_OF_COUNTS = Told(_worst_count, _held, None)


class _Code:
    """The functions of methods, for one way of having cells."""

    def __init__(self, told: Sequence[Told], cells: CellAccess, first: Any) -> None:
        self._told, self._cells, self._first = told, cells, first
        read_float, _, write_float, *_ = cells

        @hot
        def load(window: Any, sample: Any) -> Any:
            one, other = read_float(window, sample), read_float(window, sample + 1)
            return (one, other, read_float(window, sample + 2), read_float(window, sample + 3))

        @hot
        def store(window: Any, sample: Any, numbers: Any) -> None:
            for k in range(at.SAMPLE):
                write_float(window, sample + k, numbers[k])

        self._load, self._store = load, store
        self._extended = _extended(cells)

    def _of(self, own: at.Own) -> Told:
        return _OF_COUNTS if own.part is None else self._told[own.part]

    def within(self, own: at.Own) -> Any:
        """Whether the error of a dimension is no larger than is allowed."""
        read_float, allowed = self._cells.read_float, self._first + own.cell + at.ALLOWED
        worst_of = self._of(own).worst

        @hot
        def within(window: Any, fresh: Any, joined: Any, held: Any) -> Any:
            worst = worst_of(joined)
            return worst < inf and worst <= read_float(window, allowed)

        return within

    def remember(self, own: at.Own, table: Any) -> Any:
        """A result that a relative bound refers to, for each update that is held."""
        read_float, _, write_float, *_ = self._cells
        load, store, total = self._load, self._store, self._of(own).total
        cell = self._first + own.cell

        @hot
        def remember(window: Any, forest: Any, fresh: Any, held: Any, began: Any) -> None:
            share = total(window, forest, held) / held
            now = added(load(window, cell + at.NOW), share if isfinite(share) else 0.0)
            predicts = began
            if now[0] >= read_float(window, cell + at.LENGTH):
                store(window, cell + at.BEFORE, now)
                now = NO_NUMBERS
                write_float(window, cell + at.LENGTH, 1.0 * max(held, at.BLOCKS))
                predicts = True  # a bucket may be open for long: it hears of every epoch
            store(window, cell + at.NOW, now)
            if predicts:
                before = load(window, cell + at.BEFORE)
                student = read_float(window, table + place_in_table(before[0] + now[0]))
                nearest = nearest_to_zero(before, now, student)
                allowed = read_float(window, cell + at.BOUND) * (nearest * held)
                write_float(window, cell + at.ALLOWED, allowed)

        return remember

    def no_candidate(self, own: at.Own) -> Any:
        """Whether an update may not become the extremum; a null cannot."""
        read_float, threshold = self._cells.read_float, self._first + own.cell + at.THRESHOLD
        deciding = self._of(own).deciding

        def no_candidate(window: Any, fresh: Any, joined: Any, held: Any) -> Any:
            known, value = deciding(fresh)
            return not known or value < read_float(window, threshold)

        return no_candidate

    def take(self, own: at.Own) -> Any:
        """The update is one of a block's."""
        extended, cell = self._extended, self._first + own.cell
        deciding = self._of(own).deciding

        @hot
        def take(window: Any, forest: Any, fresh: Any, held: Any, began: Any) -> None:
            known, value = deciding(fresh)
            extended(window, cell, known, value, held)

        return take

    def hopping(self, own: Any) -> Any:
        """Whether an update is in the same stretch as the one before it."""
        read_float, read_int, _, write_int, _ = self._cells
        load, table = self._load, own + at.HOPS

        def hopping(window: Any, fresh: Any, joined: Any, held: Any) -> Any:
            sizes, before = load(window, own), read_int(window, own + at.LAST)
            student = read_float(window, table + place_in_table(sizes[0]))
            now = stretch_of(held, sizes, student)
            write_int(window, own + at.LAST, now)
            return 0 <= now == before

        return hopping

    def hopped(self, own: Any) -> Any:
        """Learn from the size of an eviction; stretches are counted anew."""
        load, store, write_int = self._load, self._store, self._cells.write_int

        def hopped(window: Any, count: Any, held: Any) -> None:
            store(window, own, added(load(window, own), 1.0 * count))
            write_int(window, own + at.LAST, -1)

        return hopped

    def even(self, limit: Any) -> Any:
        """Whether the newest bucket is smaller than all would be on average, or the only one."""
        read_int, reached = self._cells.read_int, self._first + at.REACHED

        def even(window: Any, fresh: Any, joined: Any, held: Any) -> Any:
            most, was_reached = limit(window), read_int(window, reached)
            return most == 1 or (was_reached != 0 and joined[0] <= (held + most) // most)

        return even

    def emptied(self) -> Any:
        """An empty window begins anew, update by update."""
        write_int, reached = self._cells.write_int, self._first + at.REACHED

        def emptied(window: Any, count: Any, held: Any) -> None:
            if held == 0:
                write_int(window, reached, 0)

        return emptied

    def reach(self) -> Any:
        """The limit is reached."""
        write_int, reached = self._cells.write_int, self._first + at.REACHED

        def reach(window: Any) -> None:
            write_int(window, reached, 1)

        return reach


def _extended(cells: CellAccess) -> Callable[..., None]:
    """Extends a block by an update, and ends it when it is long enough."""
    read_float, read_int, write_float, write_int, ordered = cells

    def extended(window: Any, own: Any, known: Any, value: Any, held: Any) -> None:
        if known and isfinite(value):
            write_float(window, own + at.HIGHEST, max(read_float(window, own + at.HIGHEST), value))
        taken = read_int(window, own + at.TAKEN) + 1
        write_int(window, own + at.TAKEN, taken)
        lengths, newest = own + at.RINGS + at.BLOCKS, read_int(window, own + at.LENGTHS)
        here = lengths + newest % at.BLOCKS
        longest = max(read_int(window, here), held)
        write_int(window, here, longest)
        block = read_int(window, own + at.BLOCK)
        if block == 0 and taken > longest // at.BLOCKS:
            for k in range(at.BLOCKS):
                longest = max(longest, read_int(window, lengths + k))
        if taken >= (block if block > 0 else longest // at.BLOCKS + 1):
            end_block(window, own, held)

    def end_block(window: Any, own: Any, held: Any) -> None:
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
            values = fit_sorted(ordered(window, maxima, at.BLOCKS))
            likely = quantile_of(values, read_float(window, own + at.SHARE))
            write_float(window, own + at.THRESHOLD, max(likely, lower_end_of(values)))

    return extended
