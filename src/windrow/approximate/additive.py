"""Sums and what is made of them: a bucket's trace is how far its running sum strayed."""

from collections.abc import Callable
from decimal import Context, Decimal, getcontext, localcontext
from math import inf, isfinite
from typing import Any, NamedTuple

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.catalogue.sums import exponential
from windrow.approximate.bounds import Remainder, counted, trace_of
from windrow.approximate.interval import (
    EXACT,
    HAS_ENDS,
    HAS_VALUE,
    TOO_LARGE,
    Interval,
    interval_from,
)
from windrow.compiler.marks import hot

__all__ = [
    "LAST_DIGITS",
    "MADE",
    "Additive",
    "Numbers",
    "Strayed",
    "continued",
    "count_interval",
    "is_finite",
    "left_of",
    "rounded",
    "strayed",
    "sum_interval",
    "worst_of",
]

# Of n floats, whatever the order they are added in, no sum is further from the true one than this
# times n times the sum of their magnitudes; and a few steps more to make a result of it.
_ROUNDING = 2.0**-52
_LAST_STEPS = 4
LAST_DIGITS = 2.0**-50  # what a division, or an exponential, rounds at the most


# In what follows a bucket is a tuple, compiled or not: its sum, the extremes of the sums of its
# proper prefixes, which a single update does not have, its magnitude, and how many values it has.


@hot
def continued(older: Any, newer: Any, older_has_prefixes: Any, newer_has_prefixes: Any) -> Any:
    """The sum, and the extremes of the sums of proper prefixes, of two neighbours."""
    low = high = before = older[0]
    if older_has_prefixes:
        low = older[1] if older[1] < low else low
        high = older[2] if older[2] > high else high
    if newer_has_prefixes:
        low = before + newer[1] if before + newer[1] < low else low
        high = before + newer[2] if before + newer[2] > high else high
    return (before + newer[0], low, high)


@hot
def worst_of(bucket: Any, size: Any) -> Any:
    """The largest sum, by magnitude, of a proper prefix or suffix: 0 for a single update."""
    total, low, high = bucket[0], bucket[1], bucket[2]
    if size > 1:
        return max(abs(low), abs(high), abs(total - high), abs(total - low))
    return total - total


@hot
def left_of(bucket: Any, zero: Any, size: Any, least: Any, most: Any) -> Any:
    """Between which sums what is left of a bucket lies."""
    total = bucket[0]
    if size > 1:
        low, high = total - bucket[2], total - bucket[1]
    elif least > 0:
        low = high = total
    else:
        low = high = zero
    if most == size:
        low, high = min(low, total), max(high, total)
    if least == 0:
        low, high = min(low, zero), max(high, zero)
    return low, high


@hot
def _guess(share: Any, low: Any, high: Any, worst: Any) -> Any:
    """A sum between both ends that is no further from either than the bucket's worst.

    All sums that what is left may have are within `worst` of zero, or of the bucket's total: both
    ends are at most twice as far apart, so there is such a place.
    """
    if low == high:
        return low
    return min(max(share, low, high - worst), high, low + worst)


@hot
def rounded(magnitude: Any, values: Any) -> Any:
    """How far a sum of this many floats, added in any order, may be from the true one."""
    return _ROUNDING * (values + _LAST_STEPS) * magnitude


def count_interval(bucket: Any, rest: Any, size: Any, least: Any, most: Any) -> Any:
    """The number of values: of it, a bucket has no more than its first three fields."""
    low, high = counted(bucket[0], size, least, most)
    kept = _guess(bucket[0] * (least + most) // (2 * size), low, high, worst_of(bucket, size))
    exact = EXACT if low == high else 0
    return rest[0] + kept, rest[0] + low, rest[0] + high, HAS_VALUE | HAS_ENDS | exact


class Numbers(NamedTuple):
    """How numbers of one kind are computed with."""

    zero: Any
    share: Any  # share(total, part, whole) → total · part / whole, rounded down if it is whole
    slack: Any  # slack(magnitude, values) → how far their sum may be from the true one
    last_digits: Any  # last_digits(number) → what it may have been rounded by
    left_of: Any = left_of
    is_finite: Any = isfinite
    is_sound: Any = isfinite  # is_sound(magnitude) → whether sums of such numbers tell anything
    unsound: int = HAS_VALUE  # what is known if not


def sum_interval(numbers: Numbers, made: Any, *, divides: bool) -> Any:
    """Values and sums of what is left are bounded, and so is what is made of both.

    `made(total, values)` gives the result, and whether there is one.
    """
    zero, share, slack_of, last_digits, left_of, is_finite, is_sound, unsound = numbers

    @hot
    def interval(bucket: Any, rest: Any, size: Any, least: Any, most: Any) -> Any:
        fewest, most_values = counted(bucket[4], size, least, most)
        total, values, magnitude = rest[0], rest[4], bucket[3] + rest[3]
        if not is_sound(magnitude):
            value, known = made(total + bucket[0], values + most_values)
            return value, value, value, unsound if known else unsound & TOO_LARGE
        low, high = left_of(bucket, zero, size, least, most)
        part = share(bucket[0], least + most, 2 * size)
        kept = _guess(part, low, high, worst_of(bucket, size))
        value, known = made(total + kept, values + most_values)
        if divides:  # by the number in between, which may be half a one
            value, known = made(2 * (total + kept), 2 * values + fewest + most_values)
        slack = slack_of(magnitude, values + bucket[4])
        if low == high and fewest == most_values and slack == 0:
            return value, value, value, EXACT | (HAS_VALUE | HAS_ENDS if known else 0)
        lowest, highest = total + (low - slack), total + (high + slack)
        one, has_one = made(lowest, values + fewest)
        other, has_other = made(highest, values + fewest)
        first, last = min(one, other), max(one, other)
        if fewest < most_values:
            one, _ = made(lowest, values + most_values)
            other, _ = made(highest, values + most_values)
            first, last = min(first, one, other), max(last, one, other)
        if not (known and has_one and has_other):
            return value, value, value, HAS_VALUE if known else 0
        if not (is_finite(value) and is_finite(first) and is_finite(last)):
            return value, value, value, HAS_VALUE
        if divides:  # no nearer to each other than they would be without rounding
            first, last = first - last_digits(first), last + last_digits(last)
        return value, first, last, HAS_VALUE | HAS_ENDS

    return interval


def _sum(total: Any, values: Any) -> Any:
    return total, values > 0


def _mean(total: Any, values: Any) -> Any:
    return total / max(values, 1), values > 0


def _geometric_mean(total: Any, values: Any) -> Any:
    return exponential(total / max(values, 1)), values > 0


MADE: dict[str, Any] = {"sum": _sum, "mean": _mean, "geometric_mean": _geometric_mean}


class Strayed(NamedTuple):
    """Sum and magnitude of some updates, and the extremes of the sums of their proper prefixes.

    A single update has no proper prefix, and no extremes.
    """

    total: Any
    low: Any
    high: Any
    magnitude: Any

    @property
    def worst(self) -> Any:
        """The largest sum, by magnitude, of a proper prefix or suffix: 0 for a single update."""
        if self.low is None:
            return 0
        return worst_of(self, 2) if is_finite(self.magnitude) else inf


# Decimals of any length, to the last digit: what a user's context rounds, traces would lose.
_DIGITS = Context(prec=2_000, traps=[])


def strayed(older: Strayed, newer: Strayed) -> Strayed:
    """The trace of a bucket that continues another."""
    if isinstance(older.total, Decimal) or isinstance(newer.total, Decimal):
        with localcontext(_DIGITS):
            return _strayed(older, newer)
    return _strayed(older, newer)


def _strayed(older: Strayed, newer: Strayed) -> Strayed:
    has_prefixes = older.low is not None, newer.low is not None
    total, low, high = continued(older, newer, *has_prefixes)
    return Strayed(total, low, high, older.magnitude + newer.magnitude)


def is_finite(number: Any) -> bool:
    """Whether it is neither infinite nor NaN; of any type that sums may have."""
    if isinstance(number, float):
        return isfinite(number)
    return not isinstance(number, Decimal) or number.is_finite()


def _left_of(bucket: Any, zero: Any, size: int, least: int, most: int) -> Any:
    if isinstance(bucket[0], Decimal):
        with localcontext(_DIGITS):
            return left_of(bucket, zero, size, least, most)
    return left_of(bucket, zero, size, least, most)


def _share(total: Any, part: int, whole: int) -> Any:
    return total * part // whole if isinstance(total, int) else total * part / whole


def _slack(magnitude: Any, values: int) -> Any:
    if isinstance(magnitude, float):
        return rounded(magnitude, values)
    if not isinstance(magnitude, Decimal):
        return 0
    # The magnitude, added up in full, has all the digits that any sum of the values has.
    precision = getcontext().prec
    if len(magnitude.as_tuple().digits) <= precision:
        return 0
    last = Decimal((0, (1,), magnitude.adjusted() + 1 - precision))
    return last * (values + _LAST_STEPS)


def _last_digits(number: Any) -> Any:
    digits = Decimal(LAST_DIGITS) if isinstance(number, Decimal) else LAST_DIGITS
    return digits * abs(number)


_ANY = Numbers(0, _share, _slack, _last_digits, _left_of, is_finite, is_finite)


class Additive:
    """count, sum, mean and geometric mean, of any numbers."""

    def __init__(self, aggregate: Aggregate[Any]) -> None:
        name = aggregate.monoid.name
        self._monoid = aggregate.bound()
        self.trace = trace_of(f"strayed {name}", self._lift, strayed)
        #: Whether it sums up nothing but ones.
        self.is_count = name == "count"
        #: Whether its results are sums divided by counts.
        self.divides = name in ("mean", "geometric_mean")
        self._interval: Callable[..., Any] = count_interval
        if not self.is_count:
            self._interval = sum_interval(_ANY, MADE[name], divides=self.divides)

    def _lift(self, row: Any) -> Strayed:
        value, _ = self._summed(self._monoid.lift(row))
        return Strayed(value, None, None, abs(value))

    def _summed(self, state: Any) -> tuple[Any, int]:
        """A sum, and of how many values."""
        if self.is_count:
            return state, int(state)
        return (0, 0) if state is None else (state[0], int(state[1]))

    def interval(
        self, bucket: Any, trace: Any, rest: Any, rest_trace: Any, left: Remainder
    ) -> Interval:
        """Values and sums of what is left are bounded, and so is what is made of both."""
        total, values = self._summed(rest)
        behind = total, total, total, 0 if rest_trace is None else rest_trace.magnitude, values
        start = *trace, self._summed(bucket)[1]
        return interval_from(*self._interval(start, behind, left.size, left.least, left.most))
