"""Types of expressions: which go together, and how one becomes the other without loss."""

from collections.abc import Sequence
from decimal import Decimal
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc

from windrow.edge.query.expressions.values import Expression, MismatchError, Values, literal, strict

__all__ = [
    "LIMITS",
    "as_decimal",
    "as_kind",
    "common",
    "decimal_of",
    "digit",
    "fitting",
    "is_decimal",
    "is_float",
    "is_int",
    "is_number",
    "is_text",
    "name_of",
    "same_kind",
]

_WIDTHS = {pa.int8(): 8, pa.int16(): 16, pa.int32(): 32, pa.int64(): 64}
LIMITS = {kind: (-(1 << bits - 1), (1 << bits - 1) - 1) for kind, bits in _WIDTHS.items()}
_DIGITS = {pa.int8(): 3, pa.int16(): 5, pa.int32(): 10, pa.int64(): 20}
_MOST_DIGITS = 38
_FEWEST_BEHIND = 6  # that Spark keeps behind the point where a result has too many digits

_NAMES = {
    pa.int8(): "tinyint",
    pa.int16(): "smallint",
    pa.int32(): "int",
    pa.int64(): "bigint",
    pa.float32(): "float",
    pa.float64(): "double",
    pa.bool_(): "boolean",
    pa.timestamp("us", "UTC"): "timestamp",
    pa.timestamp("us"): "timestamp_ntz",
    pa.date32(): "date",
}


def name_of(kind: pa.DataType) -> str:
    """A type as Spark SQL calls it."""
    if is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    return _NAMES.get(kind, str(kind))


def is_int(kind: pa.DataType) -> bool:
    """Whether it is one of Spark's integers."""
    return kind in _WIDTHS


def is_float(kind: pa.DataType) -> bool:
    """Whether it is float or double."""
    return bool(pa.types.is_floating(kind))


def is_decimal(kind: pa.DataType) -> bool:
    """Whether it is a decimal."""
    return bool(pa.types.is_decimal(kind))


def is_number(kind: pa.DataType) -> bool:
    """Whether one can compute with it."""
    return is_int(kind) or is_float(kind) or is_decimal(kind)


def is_text(kind: pa.DataType) -> bool:
    """Whether it is text."""
    return bool(pa.types.is_string(kind))


def digit(number: int, kind: pa.DataType) -> pa.Scalar:
    """A number of one digit in a type of numbers."""
    return pa.scalar(Decimal(number) if is_decimal(kind) else number, kind)


def fitting(precision: int, scale: int) -> pa.DataType:
    """A decimal of so many digits, or as many as there can be: those behind the point give way."""
    if precision <= _MOST_DIGITS:
        return pa.decimal128(precision, scale)
    before = precision - scale
    return pa.decimal128(_MOST_DIGITS, max(_MOST_DIGITS - before, min(scale, _FEWEST_BEHIND)))


def decimal_of(kind: pa.DataType) -> pa.DataType:
    """The decimal that holds all numbers of an integer's type."""
    return pa.decimal128(_DIGITS[kind], 0) if is_int(kind) else kind


def same_kind(expressions: Sequence[Expression], name: str) -> list[Expression]:
    """Expressions cast to the type that all of them have in common."""
    kinds = [one.kind for one in expressions if not one.is_null]
    if not kinds:
        raise MismatchError(f"{name} of nothing but null (give one of them a type)")
    kind = reduce(lambda one, other: common(one, other, name), kinds)
    return [as_kind(one, kind) for one in expressions]


def common(one: pa.DataType, other: pa.DataType, name: str) -> pa.DataType:
    """The type that holds values of both."""
    if one == other:
        return one
    if is_int(one) and is_int(other):
        return max(one, other, key=_WIDTHS.__getitem__)
    if is_number(one) and is_number(other):
        if is_float(one) or is_float(other):
            return pa.float64()
        one, other = decimal_of(one), decimal_of(other)
        scale = max(one.scale, other.scale)
        precision = max(one.precision - one.scale, other.precision - other.scale) + scale
        if precision <= _MOST_DIGITS:
            return pa.decimal128(precision, scale)
    raise MismatchError(
        f"{name} of {name_of(one)} and {name_of(other)} (cast one of them, e.g. cast(x as double))"
    )


def as_kind(expression: Expression, kind: pa.DataType) -> Expression:
    """The same values in a type that holds all of them."""
    if expression.kind == kind:
        return expression
    written = expression.written
    if expression.is_null:
        return literal(None, kind, written)
    if is_int(expression.kind) and is_decimal(kind):
        if isinstance(expression.constant, int):
            return literal(Decimal(expression.constant), kind, written)
        wide = pa.decimal256(19 + kind.scale, kind.scale)  # Arrow asks for room for all integers
        return strict(kind, written, [expression], lambda a: a.cast(wide).cast(kind))
    if is_decimal(expression.kind) and is_float(kind):
        # by way of text, which is read as the nearest number; Arrow's own cast may miss it
        return strict(kind, written, [expression], lambda a: a.cast(pa.string()).cast(kind))
    return Expression(
        kind,
        written,
        (expression,),
        lambda _, inputs: Values(pc.cast(inputs[0].array, kind, safe=False), inputs[0].failures),
    )


def as_decimal(expression: Expression) -> Expression:
    """An integer as the decimal that Spark computes with; of a literal, with its own digits."""
    if not is_int(expression.kind):
        return expression
    if isinstance(expression.constant, int):
        digits = len(str(abs(expression.constant)))
        return as_kind(expression, pa.decimal128(digits, 0))
    return as_kind(expression, decimal_of(expression.kind))
