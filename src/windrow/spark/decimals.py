"""Exact sums and means of decimals in Spark: high · 10²⁰ + low, in units of the last digit.

Spark's own sum has 38 digits, so that one of wide decimals may overflow halfway though the total
fits, depending on the order of rows.  Halves add up without that in more rows than there can be.
"""

from collections.abc import Sequence
from decimal import Decimal

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import DecimalType

__all__ = ["halves", "joined", "mean"]

_LOW_DIGITS = 20  # leaves 18 for the upper half, which Spark's whole division gives as a long
_MOST_DIGITS = 38


def halves(value: Column, scale: int) -> tuple[Column, Column]:
    """The upper and lower digits of decimals with so many digits behind the point."""
    limb = _literal(Decimal(1).scaleb(_LOW_DIGITS - scale))
    return _div(value, limb), value % limb


def joined(sums: Sequence[Column], kind: pa.Decimal128Type) -> Column:
    """Summed halves as one decimal of this type; an error where it does not fit."""
    high, low = _carried(sums, kind.scale)
    # One limb moves down, as the upper half alone may be too long for a sum that fits.
    one = F.signum(high).cast(DecimalType(1, 0))
    rest = low + one * _power(_LOW_DIGITS)
    total = F.try_add(F.try_multiply(high - one, _power(_LOW_DIGITS)), rest)
    return _checked(total, kind, "sum", known=sums[0])


def mean(sums: Sequence[Column], count: Column, scale: int, kind: pa.Decimal128Type) -> Column:
    """Summed halves of decimals with this scale, divided by their count and rounded half up."""
    high, low = _carried(sums, scale)
    sign = F.when(high == 0, F.signum(low)).otherwise(F.signum(high)).cast(DecimalType(1, 0))
    borrowed = F.when(low * sign < 0, 1).otherwise(0).cast(DecimalType(1, 0))
    high, low = high * sign - borrowed, low * sign + borrowed * _power(_LOW_DIGITS)
    # Long division in whole numbers: decimals would be rounded more than once.
    number = count.cast(DecimalType(20, 0))
    more = kind.scale - scale  # digits behind those of a value
    rest = (high % number) * _power(_LOW_DIGITS + more) + low * _power(more)
    dividend, divisor = rest * 2 + number, number * 2
    lower = ((dividend - dividend % divisor) / divisor).cast(DecimalType(30, 0))
    upper = _div(high, number)
    total = F.try_add(F.try_multiply(upper, _power(_LOW_DIGITS + more)), lower)
    return _checked(total * sign, kind, "mean", known=sums[0])


def _carried(sums: Sequence[Column], scale: int) -> tuple[Column, Column]:
    """Sums as whole numbers, of which the lower has no more digits than that of a value."""
    high, low = sums
    carry, low = halves(low, scale)
    units = low.cast(DecimalType(max(_LOW_DIGITS, scale), scale))
    if scale:  # in two steps: no literal has 39 digits
        units = units * _power(scale - 1) * 10
    return high + carry, units.cast(DecimalType(_LOW_DIGITS, 0))


def _checked(total: Column, kind: pa.Decimal128Type, name: str, known: Column) -> Column:
    """A whole number of last digits as a decimal; null stands for one that is too long."""
    target = DecimalType(kind.precision, kind.scale)
    # By way of text: a product with a power of ten has fewer digits behind the point than needed.
    text = F.concat(total.cast("string"), F.lit(f"E-{kind.scale}"))
    refusal = F.raise_error(
        F.lit(
            f"a {name} of decimals does not fit {target.simpleString()}; cast its column to double "
            "or to a decimal with fewer digits behind the point"
        )
    )
    fits = F.abs(total) < _power(kind.precision) if kind.precision < _MOST_DIGITS else True
    found = F.when(total.isNotNull() & fits, text.cast(target)).otherwise(refusal.cast(target))
    return F.when(known.isNotNull(), found)


def _div(value: Column, divisor: Column) -> Column:
    return F.call_function("div", value, divisor).cast(DecimalType(19, 0))


def _power(of_ten: int) -> Column:
    return _literal(Decimal(1).scaleb(of_ten))


def _literal(number: Decimal) -> Column:
    text = format(number, "f")
    behind = len(text.partition(".")[2])
    return F.lit(text).cast(DecimalType(behind or len(text), behind))
