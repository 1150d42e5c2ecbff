"""All rows of a key group through an engine, piece by piece, with bounded memory.

Pieces come in the order of their lowest time.  Once the next piece begins at some time, all rows
before that time are complete: they are sorted and applied, and only the windows' state is kept.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pyarrow as pa

from windrow.columnar.keyed import numbers
from windrow.columnar.order import by_time
from windrow.engines.engine import NO_WATERMARK, Engine, Kept, Partials
from windrow.windows import Emit, Order

__all__ = ["folded_through", "in_order", "run_through"]

# Enough rows to make calling a compiled loop worthwhile; wide rows count for more than one.
_ROWS_AT_ONCE = 1 << 18
_BYTES_OF_ROW = 256


def run_through(
    engine: Engine,
    pieces: Iterable[tuple[int, pa.Table]],
    order: Order,
    emit: Emit = Emit.ON_CLOSE,
    since: int | None = None,
    until: int | None = None,
    *,
    kept: Kept | None = None,
    folded: bool = False,
) -> Iterator[pa.Table]:
    """The results of all pieces, each given with its lowest time, or arrival number, in order.

    Pieces are rows, or partials if they are `folded` already.  Of windows that lie on a grid only
    those are answered that end after `since` and not after `until`, if these are given.
    The engine goes on from what it has `kept`, if there is anything.

    With `Emit.ON_CHANGE` also the results of windows that have not ended.
    """
    if kept is None:
        kept = {name: schema.empty_table() for name, schema in engine.kept.items()}
    if since is not None:
        nothing = engine.partials.empty_table()
        kept = engine.advance(kept, Partials(nothing), since).kept
    waiting: list[pa.Table] = []
    weight = enough = held = 0
    # Slices have the time of their start and need no order, as there is one for each key and time.
    rank = "start" if folded else "t" if order is Order.TIME else "n"
    given: Callable[[pa.Table], pa.Table | Partials] = (
        Partials if folded else lambda rows: in_order(rows, rank)
    )
    for low, piece in pieces:
        if weight > max(enough, held, _ROWS_AT_ONCE):
            done, rest = _parted(pa.concat_tables(waiting), low, rank)
            waiting = [rest]
            weight = _weight(waiting[0])
            # Rows that had to wait are not examined again until as many new ones have come.
            enough = 2 * weight
            if done.num_rows:
                reached = low if order is Order.TIME else NO_WATERMARK
                step = engine.advance(kept, given(done), reached)
                kept = step.kept
                # Each call processes all that windows hold, so it waits for at least as many new
                # rows.
                held = sum(map(_weight, kept.values()))
                yield from step.results
        waiting.append(piece)
        weight += _weight(piece)
    if waiting:
        step = engine.advance(kept, given(pa.concat_tables(waiting)), until)
        yield from step.results
        if emit is Emit.ON_CHANGE:
            yield engine.unfinished(step.kept)


def folded_through(
    engine: Engine, pieces: Iterable[tuple[int, pa.Table]], order: Order, *, folded: bool
) -> Iterator[pa.Table]:
    """The partials of all pieces, which are rows or `folded` already, some at a time.

    Where rows come in the order of time, they are folded in this order.
    """
    rank = "start" if folded else "t" if order is Order.TIME else "n"
    waiting: list[pa.Table] = []
    weight = enough = 0
    for low, piece in pieces:
        if weight > max(enough, _ROWS_AT_ONCE) and order is Order.TIME:
            done, rest = _parted(pa.concat_tables(waiting), engine.fold_until(low), rank)
            waiting, weight = [rest], _weight(rest)
            enough = 2 * weight
            if done.num_rows:
                yield engine.whole(done) if folded else engine.fold(in_order(done, rank))
        waiting.append(piece)
        weight += _weight(piece)
    if waiting:
        given = pa.concat_tables(waiting)
        yield engine.whole(given) if folded else engine.fold(in_order(given, rank))


def _weight(rows: pa.Table) -> int:
    # The size of the buffers is known at once; the share that these rows use is not.
    weight: int = max(rows.num_rows, rows.get_total_buffer_size() // _BYTES_OF_ROW)
    return weight


def _parted(rows: pa.Table, low: int, rank: str) -> tuple[pa.Table, pa.Table]:
    """Rows of a lower rank, and all others."""
    is_lower = numbers(rows[rank]) < low
    lower = int(np.count_nonzero(is_lower))
    if is_lower[:lower].all():  # rows mostly come in order: nothing needs to be copied
        return rows.slice(0, lower), rows.slice(lower)
    return rows.filter(pa.array(is_lower)), rows.filter(pa.array(~is_lower))


def in_order(rows: pa.Table, rank: str) -> pa.Table:
    """Rows in the order of application."""
    places = by_time(numbers(rows[rank]), numbers(rows["n"]))
    return rows if places is None else rows.take(pa.array(places))
