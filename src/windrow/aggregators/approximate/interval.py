"""A result and how far the exact one may be from it."""

from typing import Any, NamedTuple

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.monoid import Kind

__all__ = ["Interval", "interval_of"]


class Interval(NamedTuple):
    """The exact result lies in [low, high]; null ends say that nothing is known of it.

    `exact` says that `value` is the exact result itself.  The ends of a sketch's results hold with
    a confidence of 99 % at least, all others for certain.
    """

    value: Any
    low: Any
    high: Any
    exact: bool

    @classmethod
    def of_exact(cls, value: Any) -> "Interval":
        """A result that is not approximate."""
        return cls(value, value, value, True)

    @classmethod
    def unknown(cls, value: Any) -> "Interval":
        """A result without any promise."""
        return cls(value, None, None, False)

    def unsigned(self) -> "Interval":
        """The same, and no zero has a sign.

        The order that buckets are added up in would decide over it: -0.0 and nothing are -0.0, but
        -0.0 and 0.0 are 0.0.
        """
        value, low, high = (end + 0.0 if type(end) is float else end for end in self[:3])
        return Interval(value, low, high, self.exact)


def interval_of(aggregate: Aggregate[Any], state: Any) -> Interval:
    """The result of a state of just the right updates: exact, unless the aggregate is a sketch.

    >>> from windrow import agg
    >>> interval_of(agg.sum(), agg.sum().monoid.lift(3))
    Interval(value=3, low=3, high=3, exact=True)
    """
    monoid = aggregate.monoid
    value = monoid.lower(state)
    if monoid.bounds is None:
        return Interval.unknown(value) if monoid.kind is Kind.SKETCH else Interval.of_exact(value)
    ends = monoid.bounds(state)
    if ends is None:
        return Interval.of_exact(value)
    low, high = ends
    return Interval(value, low, high, False)
