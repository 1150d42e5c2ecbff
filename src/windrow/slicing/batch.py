"""All rows of a bucket through an engine, in pieces: memory for some pieces and the windows.

Pieces come by their lowest time.  Once the next piece begins at some time, what lies before it is
complete: it is put in order and applied, and only the windows' own state goes on.
"""

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from windrow.slicing.engine import NO_WATERMARK, Engine, Kept
from windrow.slicing.keyed import numbers
from windrow.slicing.order import by_time
from windrow.windows import Emit, Order

__all__ = ["run_through"]

# Enough rows for a compiled loop to be worth its call; long ones weigh more than one.
_ROWS_AT_ONCE = 1 << 18
_BYTES_OF_ROW = 256


def run_through(
    engine: Engine,
    pieces: Iterable[tuple[int, pa.Table]],
    order: Order,
    emit: Emit = Emit.ON_CLOSE,
) -> Iterator[pa.Table]:
    """The results of all pieces, each given with its lowest time, or arrival number, in order.

    With `Emit.ON_CHANGE` also what windows are that the rows have not ended.
    """
    kept: Kept = {name: schema.empty_table() for name, schema in engine.kept.items()}
    waiting: list[pa.Table] = []
    weight = enough = held = 0
    for low, piece in pieces:
        if weight > max(enough, held, _ROWS_AT_ONCE):
            done, rest = _parted(pa.concat_tables(waiting), low, order)
            waiting = [rest]
            weight = _weight(waiting[0])
            # What had to wait is not looked through again before as much has come.
            enough = 2 * weight
            if done.num_rows:
                until = low if order is Order.TIME else NO_WATERMARK
                step = engine.advance(kept, _in_order(done, order), until)
                kept = step.kept
                # What windows hold is worked through again each time: not for fewer rows than it.
                held = sum(map(_weight, kept.values()))
                yield from step.results
        waiting.append(piece)
        weight += _weight(piece)
    if waiting:
        rest = _in_order(pa.concat_tables(waiting), order)
        step = engine.advance(kept, rest, None)
        yield from step.results
        if emit is Emit.ON_CHANGE:
            yield engine.unfinished(step.kept)


def _weight(rows: pa.Table) -> int:
    # What buffers take is known at once; which part of them rows take is not.
    weight: int = max(rows.num_rows, rows.get_total_buffer_size() // _BYTES_OF_ROW)
    return weight


def _parted(rows: pa.Table, low: int, order: Order) -> tuple[pa.Table, pa.Table]:
    """Rows of a lower rank, and all others."""
    is_lower = _ranks(rows, order) < low
    lower = int(np.count_nonzero(is_lower))
    if is_lower[:lower].all():  # rows mostly come in order: nothing needs to be copied
        return rows.slice(0, lower), rows.slice(lower)
    return rows.filter(pa.array(is_lower)), rows.filter(pa.array(~is_lower))


def _ranks(rows: pa.Table, order: Order) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    if "t" not in rows.schema.names:
        return numbers(rows["start"])
    return numbers(rows["t" if order is Order.TIME else "n"])


def _in_order(rows: pa.Table, order: Order) -> pa.Table:
    """Rows in the order of application; slices need none, being of one key and time each."""
    if "t" not in rows.schema.names:
        return rows
    arrivals = numbers(rows["n"])
    first = numbers(rows["t"]) if order is Order.TIME else arrivals
    places = by_time(first, arrivals)
    return rows if places is None else rows.take(pa.array(places))
