"""What an expression is once it is compiled, and what it gives for the rows of a table.

A row for which an expression fails (it divides by zero, say) has no value and a reason instead:
the row is rejected, and the others go on.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

__all__ = ["Evaluation", "Expression", "Failures", "Values", "column"]

# For each row 0, or the number of the reason why there is no value; None where all rows have one.
Failures: TypeAlias = NDArray[np.int32] | None


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

    @property
    def is_null(self) -> bool:
        """Whether it is the literal null, which has no type of its own."""
        return bool(pa.types.is_null(self.kind))


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

    def failing(self, where: NDArray[np.bool_], reason: str) -> Failures:
        """Failures of these rows, for one reason."""
        if not where.any():
            return None
        self.reasons.append(reason)
        return np.where(where, np.int32(len(self.reasons)), np.int32(0))


def column(name: str, kind: pa.DataType) -> Expression:
    """A column of the table."""
    return Expression(kind, f"`{name}`", (), lambda evaluation, _: Values(evaluation.columns[name]))
