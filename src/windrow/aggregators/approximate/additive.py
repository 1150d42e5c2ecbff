"""Sums and what is made of them: a bucket's trace is how far its running sum strayed."""

from decimal import Context, Decimal, getcontext, localcontext
from math import inf, isfinite
from typing import Any, NamedTuple

from windrow.aggregators.approximate.interval import Interval
from windrow.aggregators.approximate.remainder import Remainder
from windrow.aggregators.approximate.trace import trace_of
from windrow.algebra.aggregate import Aggregate
from windrow.algebra.catalogue.sums import exponential

__all__ = ["Additive", "Strayed", "is_finite", "strayed"]

# Of n floats, whatever the order they are added in, no sum is further from the true one than this
# times n times the sum of their magnitudes; and a few steps more to make a result of it.
_ROUNDING = 2.0**-52
_LAST_STEPS = 4
_LAST_DIGITS = 2.0**-50  # what a division, or an exponential, rounds at the most


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
        if not is_finite(self.magnitude):
            return inf
        return max(map(abs, (self.low, self.high, self.total - self.high, self.total - self.low)))


# Decimals of any length, to the last digit: what a user's context rounds, traces would lose.
_DIGITS = Context(prec=2_000, traps=[])


def strayed(older: Strayed, newer: Strayed) -> Strayed:
    """The trace of a bucket that continues another."""
    if isinstance(older.total, Decimal) or isinstance(newer.total, Decimal):
        with localcontext(_DIGITS):
            return _continued(older, newer)
    return _continued(older, newer)


def _continued(older: Strayed, newer: Strayed) -> Strayed:
    low = high = before = older.total
    total, magnitude = before + newer.total, older.magnitude + newer.magnitude
    if is_finite(magnitude):  # else nothing is known, and NaN cannot be compared
        if older.low is not None:
            low, high = min(low, older.low), max(high, older.high)
        if newer.low is not None:
            low, high = min(low, before + newer.low), max(high, before + newer.high)
    return Strayed(total, low, high, magnitude)


def _rounded(magnitude: Any, values: int) -> Any:
    """How far a sum of so many values, added up in any order, may be from the true one."""
    if isinstance(magnitude, float):
        return _ROUNDING * (values + _LAST_STEPS) * magnitude
    if not isinstance(magnitude, Decimal):
        return 0
    # The magnitude, added up in full, has all the digits that any sum of the values has.
    precision = getcontext().prec
    if len(magnitude.as_tuple().digits) <= precision:
        return 0
    last = Decimal((0, (1,), magnitude.adjusted() + 1 - precision))
    return last * (values + _LAST_STEPS)


def is_finite(number: Any) -> bool:
    """Whether it is neither infinite nor NaN; of any type that sums may have."""
    if isinstance(number, float):
        return isfinite(number)
    return not isinstance(number, Decimal) or number.is_finite()


class Additive:
    """count, sum, mean and geometric mean."""

    def __init__(self, aggregate: Aggregate[Any]) -> None:
        self._name: str = aggregate.monoid.name
        self._monoid = aggregate.bound()
        self.trace = trace_of(f"strayed {self._name}", self._lift, strayed)

    @property
    def is_count(self) -> bool:
        """Whether it sums up nothing but ones."""
        return self._name == "count"

    @property
    def divides(self) -> bool:
        """Whether its results are sums divided by counts."""
        return self._name in ("mean", "geometric_mean")

    def _lift(self, row: Any) -> Strayed:
        value = self._summed(self._monoid.lift(row))
        return Strayed(value, None, None, abs(value))

    def _summed(self, state: Any) -> Any:
        if self.is_count:
            return state
        return 0 if state is None else state[0]

    def _counted(self, state: Any) -> int:
        if self.is_count:
            return int(state)
        return 0 if state is None else int(state[1])

    def interval(
        self, bucket: Any, trace: Any, rest: Any, rest_trace: Any, left: Remainder
    ) -> Interval:
        """Values and sums of what is left are bounded, and so is what is made of both."""
        fewest, most = left.counted(self._counted(bucket))
        base, more = self._summed(rest), self._counted(rest)
        magnitude = trace.magnitude + (0 if rest_trace is None else rest_trace.magnitude)
        if not is_finite(magnitude):
            return Interval.unknown(self._made(base + trace.total, more + most))
        low, high = (fewest, most) if self.is_count else _left_of(trace, left)
        kept = _guess(trace, left, low, high)
        value = self._made(base + kept, more + most)
        if self.divides:  # by the number in between, which may be half a one
            value = self._made(2 * (base + kept), 2 * more + fewest + most)
        slack = _rounded(magnitude, more + self._counted(bucket))
        if (low, fewest, slack) == (high, most, 0):
            return Interval.of_exact(value)
        ends = [
            self._made(base + total, more + number)
            for total in (low - slack, high + slack)
            for number in (fewest, most)
        ]
        if value is None or None in ends or not all(map(is_finite, (value, *ends))):
            return Interval.unknown(value)
        return Interval(value, *self._apart(min(ends), max(ends)), False)

    def _apart(self, low: Any, high: Any) -> tuple[Any, Any]:
        """Both ends, no nearer to each other than they would be without rounding."""
        if not self.divides:
            return low, high
        digits = type(low)(_LAST_DIGITS) if isinstance(low, Decimal) else _LAST_DIGITS
        return low - digits * abs(low), high + digits * abs(high)

    def _made(self, total: Any, values: int) -> Any:
        if not self.divides:
            return total if values or self.is_count else None
        if not values:
            return None
        if self._name == "mean":
            return total / values
        return exponential(total / values)


def _left_of(trace: Strayed, left: Remainder) -> tuple[Any, Any]:
    """Between which sums what is left of a bucket lies."""
    if isinstance(trace.total, Decimal):
        with localcontext(_DIGITS):
            return _ends_of(trace, left)
    return _ends_of(trace, left)


def _ends_of(trace: Strayed, left: Remainder) -> tuple[Any, Any]:
    if trace.low is None:  # a single update, all of it there or not
        low = high = trace.total if left.least else 0
    else:
        low, high = trace.total - trace.high, trace.total - trace.low
    if left.most == left.size:
        low, high = min(low, trace.total), max(high, trace.total)
    if left.least == 0:
        low, high = min(low, 0), max(high, 0)
    return low, high


def _guess(trace: Strayed, left: Remainder, low: Any, high: Any) -> Any:
    """A sum between both ends that is no further from either than the bucket's worst.

    All sums that what is left may have are within `worst` of zero, or of the bucket's total: both
    ends are at most twice as far apart, so there is such a place.
    """
    if low == high:
        return low
    part, whole = left.least + left.most, 2 * left.size
    share = trace.total * part
    share = share // whole if isinstance(share, int) else share / whole
    return min(max(share, low, high - trace.worst), high, low + trace.worst)
