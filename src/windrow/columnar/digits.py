"""Decimals to the last digit: computed exactly, and rounded once, to the type of the result.

A sum has ten digits more than its column, a mean four more behind the point, a range one more, and
none has more than a type can hold: all as in Spark.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation, localcontext
from typing import Any

import pyarrow as pa

__all__ = ["DECIMAL_RESULTS", "exactly", "quantizer"]


def exactly() -> AbstractContextManager[Any]:
    """Decimals of 38 digits add up in more than the 28 that Python would round them to."""
    return localcontext(Context(prec=96, rounding=ROUND_HALF_UP))


def _wider(more: int, behind: int) -> Callable[[pa.DataType], pa.DataType]:
    def wider(kind: pa.DataType) -> pa.DataType:
        make, most = (pa.decimal256, 76) if pa.types.is_decimal256(kind) else (pa.decimal128, 38)
        return make(min(kind.precision + more, most), min(kind.scale + behind, most))

    return wider


#: By the name of an aggregate that computes with decimals: from their type to that of results.
DECIMAL_RESULTS: dict[str, Callable[[pa.DataType], pa.DataType]] = {
    "mean": _wider(4, 4),
    "range": _wider(1, 0),
    "sum": _wider(10, 0),
}


def quantizer(kind: pa.DataType) -> Callable[[Any], Decimal]:
    """What rounds numbers half up to a type of decimals; an OverflowError where one does not fit.

    >>> quantizer(pa.decimal128(4, 2))(Decimal("0.125"))
    Decimal('0.13')
    """
    digits = Context(prec=kind.precision, rounding=ROUND_HALF_UP)
    last = Decimal(1).scaleb(-kind.scale)

    def quantized(number: Any) -> Decimal:
        try:
            return Decimal(number).quantize(last, context=digits)
        except InvalidOperation:
            raise OverflowError(f"{number} has too many digits") from None

    return quantized
