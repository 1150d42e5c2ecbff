"""The user's rows made into those that engines take: derived, filtered, under internal names."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from windrow.columnar.arrays import whole
from windrow.edge.query.expressions import Evaluation, Expression
from windrow.errors import InputError

__all__ = ["Intake", "Rows"]


@dataclass(frozen=True)
class Rows:
    """What became of some rows of the user's."""

    table: pa.Table  # the columns of the definition, without arrival numbers
    untimed: pa.Table  # rows without a time, as they came
    rejected: pa.Table  # rows that cannot be computed with, as they came
    reasons: tuple[str, ...]  # why, for each of the rejected
    filtered: int  # how many rows `where` left out


@dataclass(frozen=True, eq=False)
class Intake:
    """How rows are taken in."""

    source: pa.Schema
    where: Expression | None
    selected: Mapping[str, Expression]  # by internal name; one is "t"
    schema: pa.Schema  # of what is made of them, without arrival numbers
    limits: tuple[int, int]  # the lowest and the highest time that windows can have

    def take(self, table: pa.Table) -> Rows:
        """The rows of a table, which may lack columns: those are null."""
        given = self._conformed(table)
        rejected: list[tuple[pa.Table, list[str]]] = []
        left = given
        if self.where is not None:
            left = self._where(given, self.where, rejected)
        dropped = given.num_rows - left.num_rows - sum(part.num_rows for part, _ in rejected)
        evaluation = _evaluation(left)
        time = evaluation.of(self.selected["t"])
        us = time.array.cast(pa.int64())
        failed = _failed(time.failures, left.num_rows)
        known = _true(us.is_valid())
        untimed = ~known & ~failed
        lowest, highest = self.limits
        fits = _true(pc.and_(pc.greater_equal(us, lowest), pc.less_equal(us, highest)))
        too_far = evaluation.failing(known & ~fits, "its time is too far from 1970")
        failures = [time.failures, too_far]
        columns = {}
        for name, expression in self.selected.items():
            values = evaluation.of(expression)
            columns[name] = us if name == "t" else values.array
            failures.append(values.failures)
        first = _first(failures, left.num_rows)
        first[untimed] = 0  # who has no time is not computed with
        if first.any():
            at = np.flatnonzero(first)
            reasons = [evaluation.reasons[code - 1] for code in first[at].tolist()]
            rejected.append((left.take(pa.array(at)), reasons))
        made = pa.table(columns)
        good = (first == 0) & ~untimed
        if not good.all():
            made = made.filter(pa.array(good))
        return Rows(
            pa.Table.from_arrays([made[name] for name in self.schema.names], schema=self.schema),
            left.filter(pa.array(untimed)) if untimed.any() else left.slice(0, 0),
            pa.concat_tables([given.slice(0, 0), *(part for part, _ in rejected)]),
            tuple(reason for _, reasons in rejected for reason in reasons),
            dropped,
        )

    def _where(
        self, given: pa.Table, where: Expression, rejected: list[tuple[pa.Table, list[str]]]
    ) -> pa.Table:
        evaluation = _evaluation(given)
        values = evaluation.of(where)
        if values.failures is not None:
            at = np.flatnonzero(values.failures)
            reasons = [evaluation.reasons[code - 1] for code in values.failures[at].tolist()]
            rejected.append((given.take(pa.array(at)), reasons))
        return given.filter(values.array)  # which drops null, and failures are null

    def _conformed(self, table: pa.Table) -> pa.Table:
        """The columns of the source, in their types."""
        columns = []
        for field in self.source:
            at = table.schema.get_all_field_indices(field.name)
            if len(at) > 1:
                raise InputError(f"rows have {len(at)} columns called {field.name!r}; give one")
            if not at:
                columns.append(pa.nulls(table.num_rows, field.type))
            else:
                columns.append(_cast(whole(table.column(at[0])), field))
        return pa.Table.from_arrays(columns, schema=self.source)


def _cast(array: pa.Array, field: pa.Field) -> pa.Array:
    kind = array.type
    if kind == field.type:
        return array
    if pa.types.is_dictionary(kind):
        return _cast(array.dictionary_decode(), field)
    try:
        if not _alike(kind, field.type):
            raise TypeError("these are different things")
        if pa.types.is_timestamp(kind) and kind.unit == "ns":
            # cut, so that a time does not pass the end of a window by less than a microsecond
            array = pc.floor_temporal(array, unit="microsecond")
        return array.cast(field.type)
    except (pa.ArrowException, TypeError) as problem:
        raise InputError(
            f"rows have {kind} in column {field.name!r}, where the source has {field.type} "
            f"({problem}); give values of that type"
        ) from None


def _alike(given: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether values are the same things in another width, which a cast may take for others."""
    if pa.types.is_null(given):
        return True
    if pa.types.is_timestamp(given) and pa.types.is_timestamp(wanted):
        return (given.tz is None) == (wanted.tz is None)
    return any(is_kind(given) and is_kind(wanted) for is_kind in _KINDS)


def _is_number(kind: pa.DataType) -> bool:
    checks = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    return any(check(kind) for check in checks)


def _is_text(kind: pa.DataType) -> bool:
    checks = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return any(check(kind) for check in checks)


def _is_bytes(kind: pa.DataType) -> bool:
    checks = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)
    return any(check(kind) for check in checks)


_KINDS = (_is_number, _is_text, _is_bytes, pa.types.is_date, pa.types.is_nested)


def _evaluation(table: pa.Table) -> Evaluation:
    columns = {name: whole(table.column(name)) for name in table.column_names}
    return Evaluation(columns, table.num_rows)


def _true(mask: pa.Array) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = pc.fill_null(mask, fill_value=False).to_numpy(zero_copy_only=False)
    return found


def _failed(failures: NDArray[np.int32] | None, rows: int) -> NDArray[np.bool_]:
    return np.zeros(rows, np.bool_) if failures is None else failures != 0


def _first(failures: list[NDArray[np.int32] | None], rows: int) -> NDArray[np.int32]:
    """The first failure of each row."""
    found = np.zeros(rows, np.int32)
    for own in failures:
        if own is not None:
            found = np.where(found == 0, own, found)
    return found
