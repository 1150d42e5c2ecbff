"""Exact sums of 64-bit integers in Spark: high · 2³² + low, as the catalogue's sums are kept.

Spark's own sum wraps around or fails halfway, even where the total fits.
"""

from collections.abc import Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F

__all__ = ["distance", "high", "joined", "low", "split", "state"]

_LOW_BITS = 0xFFFFFFFF
_LIMIT = 1 << 31
_LARGEST = (1 << 63) - 1


def high(value: Column) -> Column:
    """The upper half of an integer, with its sign."""
    return F.shiftright(value, 32)


def low(value: Column) -> Column:
    """The lower half of an integer, never negative."""
    return value.bitwiseAND(F.lit(_LOW_BITS))


def split(total: Column) -> list[Column]:
    """A sum that fits 64 bits as the state of the catalogue's sum: high, low, seen."""
    return [high(total), low(total), total.isNotNull()]


def state(halves: Sequence[Column]) -> list[Column]:
    """Summed halves as the state of the catalogue's sum, with the carry moved up."""
    highs, lows = halves
    return [highs + high(lows), low(lows), highs.isNotNull()]


def joined(halves: Sequence[Column]) -> Column:
    """Summed halves as one integer; an error where it does not fit 64 bits."""
    upper, lower, _ = state(halves)
    fits = (upper >= -_LIMIT) & (upper < _LIMIT)
    return _when_fits(fits, F.shiftleft(upper, 32) + lower, "sum", upper)


def distance(ends: Sequence[Column]) -> Column:
    """Largest minus smallest; an error where it does not fit 64 bits."""
    smallest, largest = (end.cast("decimal(20,0)") for end in ends)
    fits = largest - smallest <= _LARGEST
    return _when_fits(fits, (largest - smallest).cast("long"), "range", smallest)


def _when_fits(fits: Column, value: Column, name: str, known: Column) -> Column:
    refusal = F.raise_error(
        F.lit(f"a {name} of integers does not fit 64 bits; cast its column to double or decimal")
    )
    return F.when(known.isNull(), F.lit(None)).when(fits, value).otherwise(refusal.cast("long"))
