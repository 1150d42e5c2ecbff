"""Exact sums and means of decimals in Spark: high · 10²⁰ + low, in units of the last digit.

Spark's own sum has 38 digits, so that one of wide decimals may overflow halfway though the total
fits, depending on the order of rows.  Halves add up without that in more rows than there can be.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import DecimalType

__all__ = ["halves", "joined", "mean"]

_LOW_DIGITS = 20  # leaves 18 for the upper half, which Spark's whole division gives as a long
_MOST_DIGITS = 38


def halves(value: Column, scale: int) -> tuple[Column, Column]:
    """The upper and lower digits of decimals with this scale."""
    limb = _literal(Decimal(1).scaleb(_LOW_DIGITS - scale))
    return _div(value, limb), value % limb


def joined(sums: Sequence[Column], kind: pa.Decimal128Type) -> Column:
    """Summed halves as one decimal of this type; an error where it does not fit."""

    def total(carried: Column) -> Column:
        high, low = carried["high"], carried["low"]
        # One limb moves down, as the upper half alone may be too long for a sum that fits.
        one = F.signum(high).cast(DecimalType(1, 0))
        rest = low + one * _power(_LOW_DIGITS)
        return F.try_add(F.try_multiply(high - one, _power(_LOW_DIGITS)), rest)

    return _checked(_let(_carried(sums, kind.scale), total), kind, "sum", known=sums[0])


def mean(sums: Sequence[Column], count: Column, scale: int, kind: pa.Decimal128Type) -> Column:
    """Summed halves of decimals with this scale, divided by their count and rounded half up."""
    number = count.cast(DecimalType(20, 0))
    more = kind.scale - scale  # digits behind those of a value

    def total(carried: Column) -> Column:
        high, low = carried["high"], carried["low"]
        sign = F.when(high == 0, F.signum(low)).otherwise(F.signum(high)).cast(DecimalType(1, 0))
        return _let(sign, lambda sign: _let(_positive(high, low, sign), divided) * sign)

    def divided(positive: Column) -> Column:
        # Long division in whole numbers: decimals would be rounded more than once.
        high, low = positive["high"], positive["low"]
        rest = (high % number) * _power(_LOW_DIGITS + more) + low * _power(more)
        lower = _let(rest * 2 + number, lambda twice: (twice - twice % (number * 2)) / (number * 2))
        upper = F.try_multiply(_div(high, number), _power(_LOW_DIGITS + more))
        return F.try_add(upper, lower.cast(DecimalType(30, 0)))

    return _checked(_let(_carried(sums, scale), total), kind, "mean", known=sums[0])


def _carried(sums: Sequence[Column], scale: int) -> Column:
    """Sums as whole numbers, of which the lower has no more digits than that of a value."""
    high, low = sums
    carry, low = halves(low, scale)
    units = low.cast(DecimalType(max(_LOW_DIGITS, scale), scale))
    if scale:  # in two steps: no literal has 39 digits
        units = units * _power(scale - 1) * 10
    whole = units.cast(DecimalType(_LOW_DIGITS, 0))
    return F.struct((high + carry).alias("high"), whole.alias("low"))


def _positive(high: Column, low: Column, sign: Column) -> Column:
    """The same without its sign, and neither half below zero."""
    borrowed = F.when(low * sign < 0, 1).otherwise(0).cast(DecimalType(1, 0))
    upper, lower = high * sign - borrowed, low * sign + borrowed * _power(_LOW_DIGITS)
    return F.struct(upper.alias("high"), lower.alias("low"))


def _checked(total: Column, kind: pa.Decimal128Type, name: str, known: Column) -> Column:
    """A whole number of last digits as a decimal; null stands for one that is too long."""
    target = DecimalType(kind.precision, kind.scale)
    refusal = F.raise_error(
        F.lit(
            f"a {name} of decimals does not fit {target.simpleString()}; cast its column to double "
            "or to a decimal with fewer digits behind the point"
        )
    )

    def fitted(total: Column) -> Column:
        fits = total.isNotNull()
        if kind.precision < _MOST_DIGITS:
            fits &= F.abs(total) < _power(kind.precision)
        # By way of text: a product with a power of ten has too few digits behind the point.
        text = F.concat(total.cast("string"), F.lit(f"E-{kind.scale}"))
        return F.when(fits, text.cast(target)).otherwise(refusal.cast(target))

    return F.when(known.isNotNull(), _let(total, fitted))


def _let(value: Column, body: Callable[[Column], Column]) -> Column:
    """The result for a value that is computed once: inlined, expressions would grow too long."""
    return F.get(F.transform(F.array(value), body), F.lit(0))


def _div(value: Column, divisor: Column) -> Column:
    return F.call_function("div", value, divisor).cast(DecimalType(19, 0))


def _power(of_ten: int) -> Column:
    return _literal(Decimal(1).scaleb(of_ten))


def _literal(number: Decimal) -> Column:
    text = format(number, "f")
    behind = len(text.partition(".")[2])
    return F.lit(text).cast(DecimalType(behind or len(text), behind))
