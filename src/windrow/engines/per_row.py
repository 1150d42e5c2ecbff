"""Windows with a result for each row: trailing ones, one or several at once, and slide policies.

What is kept for a key are the rows that its next windows may still contain, up to the reach of the
widest.  New rows are appended, a compiled loop for each window rolls over both, and the results of
the new rows are emitted.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from windrow.algebra.aggregate import Product
from windrow.columnar.keyed import Keyed, key_columns, last_rows, numbers, together
from windrow.columnar.order import last_tied
from windrow.engines.answers import promised, with_answers
from windrow.engines.definition import Definition
from windrow.engines.engine import FRESH, Engine, Kept, Step
from windrow.kernels.grouping import running_max
from windrow.rolling.ordered import continue_policy, trail_groups
from windrow.windows import Order, Policy, Window

__all__ = ["PerRow", "previewed"]

_TICK = "tick"  # the time as windows see it, which never goes back


class PerRow(Engine):
    """Trailing windows and slide policies: one result for each row.

    Rows with a number below zero are context only: they are in windows, and have no result.
    """

    heard: Mapping[str, str] = {"rows": _TICK}

    def __init__(self, definition: Definition) -> None:
        self._definition = definition
        self._windows = [window for _, window in definition.windows]
        self._reach = definition.reach  # what a policy needs it says itself
        self._keys = key_columns(definition.schema)
        self._product = Product(definition.aggregates)
        self._values = [name for name in definition.schema.names if name[0] == "v"]
        own = [definition.schema.field(name) for name in (*self._keys, "t", *self._values)]
        held = pa.schema([*own, pa.field(_TICK, pa.int64())])
        self.kept = {"rows": held}
        self.schema = pa.schema([*definition.row_fields(), *definition.result_fields()])

    def advance(self, kept: Kept, rows: pa.Table, until: int | None) -> Step:
        """Apply rows: a result for each."""
        if not kept["rows"].num_rows and not rows.num_rows:
            return Step([self.schema.empty_table()], kept)
        keyed, fresh = self._joined(kept["rows"], rows)
        wanted, origins = self._wanted(keyed, fresh, rows)
        answers, held = self._rolled_over(keyed, fresh, wanted)
        own = rows.select([field.name for field in self._definition.row_fields()])
        if origins is not None:
            own = own.take(pa.array(origins))
        results = with_answers(own.columns, self._definition, answers, self.schema)
        return Step([results], {"rows": self._remaining(keyed, held, until)})

    def preview(self, kept: Kept, rows: pa.Table) -> pa.Table:
        """The results of fresh rows, and of rows of their keys that come after them."""
        return previewed(rows, self._windows, lambda plain: self.advance(kept, plain, None))

    def due(self, kept: Kept) -> int | None:
        """When a key has been silent for so long that windows of time contain none of its rows."""
        table = kept["rows"]
        if not self._reach.time_us or self._definition.order is not Order.TIME:
            return None
        keyed = together(table)
        by_time = np.diff(keyed.borders) > self._reach.rows  # more than windows of rows hold
        if not by_time.any():
            return None
        newest = numbers(keyed.table[_TICK])[keyed.borders[1:] - 1]
        return int(newest[by_time].min()) + self._reach.time_us

    def _joined(self, held: pa.Table, rows: pa.Table) -> tuple[Keyed, NDArray[np.bool_]]:
        """Kept rows and new ones, key by key; and which are new."""
        ticks = rows["t"].combine_chunks()
        new = rows.select([*self._keys, "t", *self._values]).append_column(_TICK, ticks)
        # In one piece, as every column is looked at more than once.
        keyed = together(pa.concat_tables([held, new.cast(held.schema)]).combine_chunks())
        fresh: NDArray[np.bool_] = keyed.origins >= held.num_rows
        if self._definition.order is Order.ARRIVAL:
            place = keyed.table.schema.get_field_index(_TICK)
            never_back = running_max(numbers(keyed.table[_TICK]), keyed.borders)
            table = keyed.table.set_column(place, held.schema.field(_TICK), pa.array(never_back))
            keyed = Keyed(table, keyed.borders, keyed.origins)
        return keyed, fresh

    def _wanted(
        self, keyed: Keyed, fresh: NDArray[np.bool_], rows: pa.Table
    ) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
        """The places that have a result, and which of the new rows each is; None: all in turn."""
        wanted, counted = np.flatnonzero(fresh), numbers(rows["n"]) >= 0
        if len(keyed.borders) == 2 and counted.all():  # of one key they stand in turn
            return wanted, None
        origins = keyed.origins[wanted] - (len(fresh) - rows.num_rows)
        counted = counted[origins]
        return wanted[counted], origins[counted]

    def _rolled_over(
        self, keyed: Keyed, fresh: NDArray[np.bool_], wanted: NDArray[np.int64]
    ) -> tuple[list[pa.Table], NDArray[np.int64] | None]:
        """The answers of each window; and how many rows of each key a policy holds."""
        ticks, times = numbers(keyed.table[_TICK]), numbers(keyed.table["t"])
        values, typed = keyed.table.select(self._values), promised(self._definition)
        if isinstance(policy := self._windows[0], Policy):
            settled = np.add.reduceat(~fresh, keyed.borders[:-1], dtype=np.int64)
            slid, held = continue_policy(
                values,
                self._product,
                policy,
                keyed.borders,
                settled,
                times,
                wanted=wanted,
                typed=typed,
            )
            return [slid], held
        answers = trail_groups(
            values,
            self._product,
            self._definition.trailing,
            ticks,
            keyed.borders,
            times,
            wanted=wanted,
            typed=typed,
        )
        return answers, None

    def _remaining(
        self, keyed: Keyed, held: NDArray[np.int64] | None, until: int | None
    ) -> pa.Table:
        """The rows that windows of rows to come may hold."""
        if len(keyed.borders) == 2:  # of one key they are the last ones: nothing is copied
            return keyed.table.slice(keyed.table.num_rows - self._needed_of_one(keyed, held, until))
        return keyed.table.filter(pa.array(self._still_needed(keyed, held, until)))

    def _needed_of_one(
        self, keyed: Keyed, held: NDArray[np.int64] | None, until: int | None
    ) -> int:
        """How many of the rows of a single key are needed, without looking at all of them."""
        rows: int = keyed.table.num_rows
        if held is not None:
            return int(held[0])
        needed = min(self._reach.rows, rows)
        if not self._reach.time_us:
            return needed
        ticks = numbers(keyed.table[_TICK])
        reached = int(ticks[-1])
        if until is not None and self._definition.order is Order.TIME:
            reached = max(reached, until)
        since = reached - self._reach.time_us
        if since < np.iinfo(np.int64).min:  # between the ends of time ages exceed 63 bits
            return rows
        return max(rows - int(np.searchsorted(ticks, since, "right")), needed)

    def _still_needed(
        self, keyed: Keyed, held: NDArray[np.int64] | None, until: int | None
    ) -> NDArray[np.bool_]:
        if held is not None:
            return last_rows(keyed.borders, held)
        among_last = last_rows(keyed.borders, self._reach.rows)
        if not self._reach.time_us:
            return among_last
        ticks = numbers(keyed.table[_TICK])
        reached = ticks[keyed.borders[1:] - 1]
        if until is not None and self._definition.order is Order.TIME:
            reached = np.maximum(reached, until)
        now = np.repeat(reached, np.diff(keyed.borders))
        # Ages are unsigned: they may exceed 63 bits.
        ages = now.view(np.uint64) - ticks.view(np.uint64)
        young: NDArray[np.bool_] = ages < np.uint64(self._reach.time_us)
        return young | among_last if self._reach.rows else young


def previewed(
    rows: pa.Table, windows: Sequence[Window], advance: Callable[[pa.Table], Step]
) -> pa.Table:
    """The results of fresh rows, and of rows that come after fresh rows of their key.

    With ties together, also those of rows with the same time as a fresh row, which they contain.
    """
    marks = numbers(rows[FRESH])
    plain = rows.drop_columns([FRESH])
    results = pa.concat_tables(advance(plain).results)
    if not results.num_rows or marks.all():
        return results
    keyed = together(plain.append_column(FRESH, pa.array(marks)))
    seen = running_max(numbers(keyed.table[FRESH]).astype(np.int64), keyed.borders)
    if any(window.ties_together for window in windows):
        seen = seen[last_tied(numbers(keyed.table["t"]), keyed.borders)]
    touched = keyed.table["n"].filter(pa.array(seen > 0))
    return results.filter(pc.is_in(results["n"], touched.combine_chunks()))
