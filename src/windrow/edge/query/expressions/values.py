"""What an expression is once it is compiled, and what it gives for the rows of a table.

A row for which an expression fails (it divides by zero, say) has no value and a reason instead:
the row is rejected, and the others go on.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from windrow.errors import InputError

__all__ = [
    "Evaluation",
    "Expression",
    "Failures",
    "Mask",
    "MismatchError",
    "Values",
    "column",
    "first_of",
    "in_turn",
    "literal",
    "mask_of",
    "settled",
    "strict",
]

Mask: TypeAlias = NDArray[np.bool_]
# For each row 0, or the number of the reason why there is no value; None where all rows have one.
Failures: TypeAlias = NDArray[np.int32] | None

_DEEPEST = 200


class MismatchError(InputError):
    """Types that an operator or a function does not take."""


@dataclass(frozen=True)
class Values:
    """The values for the rows of a table; a row that failed has null."""

    array: pa.Array
    failures: Failures = None


@dataclass(frozen=True, eq=False)
class Expression:
    """A compiled expression: its type, what it reads, and how it is computed.

    `written` is the same for texts that differ in spaces and in the case of keywords alone.
    """

    kind: pa.DataType
    written: str
    inputs: "tuple[Expression, ...]"
    compute: "Callable[[Evaluation, Sequence[Values]], Values]"
    constant: object = None  # the Python value of a literal
    depth: int = 0

    def __post_init__(self) -> None:
        depth = 1 + max((one.depth for one in self.inputs), default=0)
        if depth > _DEEPEST:
            raise MismatchError(
                f"nested deeper than {_DEEPEST} levels (derive fewer columns in a chain)"
            )
        object.__setattr__(self, "depth", depth)

    @property
    def is_null(self) -> bool:
        """Whether it is the literal null, which has no type of its own."""
        return bool(pa.types.is_null(self.kind))

    def computed(self) -> "Expression":
        """The same, as something that is computed: no literal any more, if it was one."""
        return replace(self, constant=None)


class Evaluation:
    """Expressions over the rows of one table; what several of them share is computed once."""

    def __init__(self, columns: Mapping[str, pa.Array], rows: int) -> None:
        self.columns = columns
        self.rows = rows
        self.reasons: list[str] = []
        self._known: dict[Expression, Values] = {}

    def of(self, expression: Expression) -> Values:
        """The values of an expression."""
        if expression not in self._known:
            inputs = [self.of(one) for one in expression.inputs]
            self._known[expression] = expression.compute(self, inputs)
        return self._known[expression]

    def failing(self, where: Mask, reason: str) -> Failures:
        """Failures of these rows, for one reason."""
        if not where.any():
            return None
        self.reasons.append(reason)
        return np.where(where, np.int32(len(self.reasons)), np.int32(0))


def column(name: str, kind: pa.DataType) -> Expression:
    """A column of the table."""
    return Expression(kind, f"`{name}`", (), lambda evaluation, _: Values(evaluation.columns[name]))


def literal(value: object, kind: pa.DataType, written: str) -> Expression:
    """The same value for each row."""
    scalar = pa.scalar(value, kind)
    return Expression(
        kind, written, (), lambda evaluation, _: Values(pa.repeat(scalar, evaluation.rows)), value
    )


def strict(
    kind: pa.DataType,
    written: str,
    inputs: Sequence[Expression],
    apply: Callable[..., pa.Array | tuple[pa.Array, Mask]],
    reason: str = "",
) -> Expression:
    """A function that is null where an input is.

    Inputs are computed from left to right: what comes after a null is not looked at.
    `apply` gives an array, or an array with the rows that fail for the `reason`.
    """

    def compute(evaluation: Evaluation, values: Sequence[Values]) -> Values:
        failures = in_turn(values)
        found = apply(*(value.array for value in values))
        if not isinstance(found, tuple):
            return settled(found, failures)
        array, bad = found
        return settled(array, first_of([failures, evaluation.failing(bad, f"{written}: {reason}")]))

    return Expression(kind, written, tuple(inputs), compute)


def settled(array: pa.Array, failures: Failures) -> Values:
    """Values with null for the rows that failed."""
    if failures is None:
        return Values(array)
    return Values(pc.if_else(pa.array(failures != 0), pa.scalar(None, array.type), array), failures)


def mask_of(array: pa.Array) -> Mask:
    """Where a boolean array is true."""
    if array.null_count:
        array = array.fill_null(False)
    found: Mask = array.to_numpy(zero_copy_only=False)
    return found


def in_turn(values: Sequence[Values]) -> Failures:
    """The failures of values that are computed one after the other, until one is null."""
    if all(value.failures is None for value in values):
        return None
    found: Failures = None
    going = np.ones(len(values[0].array), np.bool_)
    for value in values:
        if value.failures is not None:
            found = first_of([found, np.where(going, value.failures, np.int32(0))])
        going &= mask_of(value.array.is_valid())
    return found


def first_of(failures: Iterable[Failures]) -> Failures:
    """The first failure of each row."""
    found: Failures = None
    for own in failures:
        if own is not None:
            found = own if found is None else np.where(found == 0, own, found)
    return found
