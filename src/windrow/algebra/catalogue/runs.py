"""Runs: the longest stretch of strictly increasing values, and when it was."""

from math import nan
from typing import Any, Final, NamedTuple

from windrow.algebra.aggregate import TIME, Aggregate, Reads
from windrow.algebra.monoid import Monoid
from windrow.algebra.numeric import BOOL, INT, NULL, VALUE, Dtypes, Field, Numeric, State
from windrow.algebra.ordering import above
from windrow.algebra.registry import Takes, register

__all__ = ["IncreasingRun", "longest_increasing_run"]


class IncreasingRun(NamedTuple):
    """When a run started and ended, the time in between, and how many values it has.

    >>> IncreasingRun(start=10, end=30, span=20, length=3).length
    3
    """

    start: Any
    end: Any
    span: Any
    length: int


@register(Takes.NUMBER_PAIRS)
def longest_increasing_run(
    column: Reads = None,
) -> Aggregate[Monoid[State, IncreasingRun | None]]:
    """The longest run of neighbouring values, each of them larger than the one before.

    Of several equally long runs it is the oldest.  Nulls are skipped, as if their row were not
    there; NaN is larger than every number, but not larger than itself; the result of nothing is
    null.  Without a column, insert pairs `(value, time)`.  (Spark has no such function.)

    >>> from windrow.testing import fold
    >>> fold(longest_increasing_run(), [(5, 0), (3, 10), (4, 20), (8, 30), (8, 40)])
    IncreasingRun(start=10, end=30, span=20, length=3)
    """
    return Aggregate(_LONGEST, (None, None) if column is None else (column, TIME))


def _numeric(dtypes: Dtypes) -> Numeric | None:
    value, time = dtypes
    if time == BOOL:
        return None
    zero, epoch = value.type(0).item(), time.type(0).item()
    return Numeric(
        state=(value, value, time, INT, time, INT, time, time, INT, INT),
        identity=(zero, zero, epoch, 0, epoch, 0, epoch, epoch, 0, 0),
        lift=_lift,
        combine=_combine,
        lower=_lower_number,
        result=(
            Field(time, "start", like="time"),
            Field(time, "end", like="time"),
            Field(time, "span", like="time span"),
            Field(INT, "length"),
        ),
    )


# A state is what its neighbours need of a stretch of readings, and its answer:
#   0 first value      2 end, 3 length of the run it begins with      6 start, 7 end, 8 length
#   1 last value       4 start, 5 length of the run it ends with        of its longest run
#   9 how many readings it has
def _lift(value: Any, time: Any) -> State:
    return (value, value, time, 1, time, 1, time, time, 1, 1)


def _combine(older: State, newer: State) -> State:
    if older[9] == 0:
        return newer
    if newer[9] == 0:
        return older
    joined = above(newer[0], older[1])
    length = older[5] + newer[3]  # of the run across the seam, if they join
    through_older = joined & (older[3] == older[9])
    through_newer = joined & (newer[3] == newer[9])
    crossing = joined & (length > older[8]) & (length >= newer[8])
    keep = older[8] >= newer[8]
    return (
        older[0],
        newer[1],
        newer[2] if through_older else older[2],
        older[3] + (newer[3] if through_older else 0),
        older[4] if through_newer else newer[4],
        newer[5] + (older[5] if through_newer else 0),
        older[4] if crossing else (older[6] if keep else newer[6]),
        newer[2] if crossing else (older[7] if keep else newer[7]),
        length if crossing else (older[8] if keep else newer[8]),
        older[9] + newer[9],
    )


def _lower(state: State) -> IncreasingRun | None:
    if state[9] == 0:
        return None
    return IncreasingRun(state[6], state[7], state[7] - state[6], state[8])


def _lower_number(state: State) -> State:
    return (state[6], state[7], state[7] - state[6], state[8], VALUE if state[9] > 0 else NULL)


_LONGEST: Final[Monoid[State, IncreasingRun | None]] = Monoid(
    name="longest_increasing_run",
    lift=_lift,
    combine=_combine,
    lower=_lower,
    identity=(None, None, None, 0, None, 0, None, None, 0, 0),
    inputs=("value", "time"),
    neutral=IncreasingRun(nan, nan, nan, 0),
    numeric=_numeric,
)
