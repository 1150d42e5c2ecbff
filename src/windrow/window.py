"""Window definitions in readable form: `window.hopping("1 hour", every="1 minute")`.

Durations are text such as "90s" or "1 h 30 min", or a `timedelta`.

>>> isinstance(hopping("1 hour", every="1 minute"), Window)
True
"""

from collections.abc import Mapping
from typing import Any, NoReturn, overload

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.monoid import Monoid
from windrow.arguments import member, shown, unknown_name, whole
from windrow.errors import WindowError
from windrow.windows import (
    Check,
    Closed,
    Count,
    Duration,
    Emit,
    Hopping,
    Order,
    Policy,
    Punctuated,
    Session,
    Ties,
    TrailingRows,
    TrailingTime,
    Tumbling,
    Window,
    microseconds,
)
from windrow.windows.policy import Drop, Keep, named_aggregates
from windrow.windows.window import Marker

__all__ = [
    "Check",
    "Closed",
    "Emit",
    "Order",
    "Ties",
    "Window",
    "count",
    "hopping",
    "policy",
    "punctuated",
    "session",
    "trailing",
    "tumbling",
]


def tumbling(size: Duration, offset: Duration = "0 s") -> Tumbling:
    """Windows that follow each other without gap or overlap.

    >>> tumbling("1 hour", offset="15 min")
    tumbling('1 hour', offset='15 minutes')
    """
    return Tumbling(microseconds(size, "size"), microseconds(offset, "offset"))


def hopping(size: Duration, every: Duration, offset: Duration = "0 s") -> Hopping:
    """Windows of one size that start one hop, `every`, after another.

    >>> hopping("1 hour", every="1 minute")
    hopping('1 hour', every='1 minute')
    """
    return Hopping(
        microseconds(size, "size"), microseconds(every, "every"), microseconds(offset, "offset")
    )


@overload
def trailing(
    duration: Duration, *, closed: Closed | str = ..., ties: Ties | str = ...
) -> TrailingTime: ...
@overload
def trailing(*, rows: int) -> TrailingRows: ...
def trailing(
    duration: Duration | int | None = None,
    *,
    rows: int | None = None,
    closed: Closed | str | None = None,
    ties: Ties | str | None = None,
) -> TrailingTime | TrailingRows:
    """For each row, the window that ends with it: the last `duration`, or the last `rows`.

    At a row with time t, the last `duration` is (t - duration, t]; of the rows with time t, the
    window contains the row itself and those that arrived before it.  `closed` says which ends are
    included ("right", "left", "both", "neither"); `ties="together"` includes all rows with time t,
    if t is.

    >>> trailing("1 hour"), trailing(rows=1000)
    (trailing('1 hour'), trailing(rows=1000))
    >>> trailing("10 s", closed="both", ties="together")
    trailing('10 seconds', closed='both', ties='together')
    """
    if duration is not None and rows is None:
        if isinstance(duration, int):
            raise WindowError(
                f'duration={shown(duration)} has no unit; give a unit, e.g. "90s", or a timedelta; '
                "for a number of rows say rows=1000"
            )
        return TrailingTime(
            microseconds(duration, "duration"),
            Closed.RIGHT if closed is None else member(Closed, closed, "closed", WindowError),
            Ties.ARRIVAL if ties is None else member(Ties, ties, "ties", WindowError),
        )
    if rows is not None and duration is None:
        for argument, given in (("closed", closed), ("ties", ties)):
            if given is not None:
                raise WindowError(
                    f"{argument}={shown(given)} is about times, and rows={shown(rows)} are counted "
                    f"in the order they have; leave {argument} out, or give a duration, "
                    'e.g. "1 hour"'
                )
        return TrailingRows(_plain(rows))
    raise WindowError(
        f"duration={shown(duration)} and rows={shown(rows)}: exactly one must be given; "
        'call trailing("1 hour") or trailing(rows=1000)'
    )


def session(gap: Duration) -> Session:
    """Windows of rows that are at most `gap` apart; a longer silence ends a window.

    >>> session("30 minutes")
    session('30 minutes')
    """
    return Session(microseconds(gap, "gap"))


def count(size: int, every: int | None = None) -> Count:
    """Windows of `size` rows, one starting at every `every`-th row; by default back to back.

    >>> count(100), count(100, every=10)
    (count(100), count(100, every=10))
    """
    return Count(_plain(size), _plain(size if every is None else every))


def punctuated(start: Marker | None = None, end: Marker | None = None) -> Punctuated:
    """Windows that start or end at marked rows; the mark is a boolean column or an expression.

    >>> punctuated(start="ignition_on")
    punctuated(start='ignition_on')
    """
    return Punctuated(start, end)


def policy(
    keep: Keep | None = None,
    drop: Drop | None = None,
    *,
    using: Mapping[str, Aggregate[Any] | Monoid[Any, Any]],
    check: Check | str = Check.TRUST,
) -> Policy:
    """A window that holds the newest rows for which a condition holds; see `Policy`.

    `using` names the aggregates that `keep(window)` and `drop(evicted, after, before)` look at.

    >>> from windrow import agg
    >>> policy(keep=lambda window: window.n <= 1000, using={"n": agg.count()})
    policy(keep=<lambda>, using={'n': count()})
    """
    return Policy(
        keep=keep,
        drop=drop,
        using=named_aggregates(using),
        check=member(Check, check, "check", WindowError),
    )


def _plain(number: int) -> int:
    """A whole number of any library as Python's own; what is none is refused elsewhere."""
    plain = whole(number)
    return number if plain is None else plain


_TRAILING = 'window.trailing("1 hour") or window.trailing(rows=1000)'
_HINTS = {
    "fixed": "here it is window.tumbling",
    "hop": "here it is window.hopping",
    "moving": f"here it is {_TRAILING}",
    "over": f"here it is {_TRAILING}",
    "range": 'here it is window.trailing("1 hour")',
    "rolling": f"here it is {_TRAILING}",
    "rows": "here it is window.trailing(rows=1000), or window.count(1000)",
    "session_window": "here it is window.session",
    "sessions": "here it is window.session",
    "slide": f"take window.hopping, a window every so often, or {_TRAILING}, one for each row",
    "sliding": f"take window.hopping, a window every so often, or {_TRAILING}, one for each row",
    "trigger": "here it is window.policy, or window.punctuated",
    "tumble": "here it is window.tumbling",
}


def __getattr__(name: str) -> NoReturn:
    raise unknown_name(__name__, name, __all__, _HINTS.get(name.lower()))
