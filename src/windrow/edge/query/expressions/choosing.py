"""Choosing among values, row by row; what is not chosen is not looked at."""

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow.edge.query.expressions.comparing import above, comparison, require_boolean
from windrow.edge.query.expressions.kinds import is_number, is_text, name_of, same_kind
from windrow.edge.query.expressions.values import (
    Evaluation,
    Expression,
    Failures,
    Mask,
    MismatchError,
    Values,
    first_of,
    literal,
    mask_of,
    settled,
)

__all__ = ["case", "coalesce", "extreme", "null_if"]


def case(branches: Sequence[tuple[Expression, Expression]], other: Expression | None) -> Expression:
    """The value of the first condition that is true, or the other one, or null."""
    conditions = [require_boolean(condition, "CASE") for condition, _ in branches]
    values = [value for _, value in branches]
    cased = same_kind([*values, *([other] if other is not None else [])], "CASE")
    kind = cased[0].kind
    _require_single(kind, "CASE")
    count = len(conditions)
    whens = " ".join(
        f"WHEN {condition.written} THEN {value.written}" for condition, value in branches
    )
    written = f"CASE {whens} ELSE {'NULL' if other is None else other.written} END"

    def compute(evaluation: Evaluation, found: Sequence[Values]) -> Values:
        choice = _Choice(evaluation.rows)
        for condition, value in zip(found[:count], found[count:], strict=False):
            choice.offer(condition.failures, mask_of(condition.array), value)
        if other is not None:
            choice.offer(None, np.ones(evaluation.rows, np.bool_), found[-1])
        return choice.made(kind)

    return Expression(kind, written, (*conditions, *cased), compute)


def coalesce(values: Sequence[Expression]) -> Expression:
    """The first value that is not null."""
    written = f"coalesce({', '.join(value.written for value in values)})"
    values = same_kind(values, "coalesce")
    kind = values[0].kind
    _require_single(kind, "coalesce")

    def compute(evaluation: Evaluation, found: Sequence[Values]) -> Values:
        choice = _Choice(evaluation.rows)
        for value in found:
            choice.offer(value.failures, mask_of(value.array.is_valid()), value)
        return choice.made(kind)

    return Expression(kind, written, tuple(values), compute)


def null_if(value: Expression, other: Expression) -> Expression:
    """A value, or null where it equals another."""
    if value.is_null:
        raise MismatchError("nullif of null (give it a type: cast(null as int))")
    equal = comparison("=", value, other)
    found = case([(equal, literal(None, value.kind, "NULL"))], value)
    return Expression(
        found.kind,
        f"nullif({value.written}, {other.written})",
        found.inputs,
        found.compute,
    )


def extreme(name: str, values: Sequence[Expression]) -> Expression:
    """The greatest or the least of several values; null does not count."""
    written = f"{name}({', '.join(value.written for value in values)})"
    values = same_kind(values, name)
    kind = values[0].kind
    if not (is_number(kind) or is_text(kind) or pa.types.is_temporal(kind)):
        raise MismatchError(f"{name} of {name_of(kind)} (give numbers, times or text)")
    better: Callable[[pa.Array, pa.Array], pa.Array] = (
        above if name == "greatest" else lambda a, b: above(b, a)
    )

    def compute(_: Evaluation, found: Sequence[Values]) -> Values:
        best = found[0].array
        for value in found[1:]:
            takes = pc.or_kleene(better(value.array, best), best.is_null())
            takes = pc.and_(takes.fill_null(False), value.array.is_valid())
            best = pc.if_else(takes, value.array, best)
        return settled(best, first_of(value.failures for value in found))

    return Expression(kind, written, tuple(values), compute)


def _require_single(kind: pa.DataType, name: str) -> None:
    if pa.types.is_nested(kind):
        raise MismatchError(f"{name} of {name_of(kind)} (give single values)")


class _Choice:
    """Rows that look at one value after the other, until they take one."""

    def __init__(self, rows: int) -> None:
        self._taken = np.full(rows, -1, np.int64)
        self._going: Mask = np.ones(rows, np.bool_)
        self._failures: Failures = None
        self._values: list[pa.Array] = []

    def offer(self, failures: Failures, takes: Mask, value: Values) -> None:
        """Rows that failed to look stop there; of the others some take the value."""
        if failures is not None:
            self._fail(np.where(self._going, failures, np.int32(0)))
        taking = self._going & takes
        self._taken[taking] = len(self._values)
        self._values.append(value.array)
        self._going &= ~taking
        if value.failures is not None:
            self._fail(np.where(taking, value.failures, np.int32(0)))

    def _fail(self, failures: np.ndarray[tuple[int], np.dtype[np.int32]]) -> None:
        self._failures = first_of([self._failures, failures])
        self._going &= failures == 0

    def made(self, kind: pa.DataType) -> Values:
        """What each row has taken; null if it has taken nothing."""
        found = pa.nulls(len(self._taken), kind)
        for at, array in enumerate(self._values):
            found = pc.if_else(pa.array(self._taken == at), array, found)
        return settled(found, self._failures)
