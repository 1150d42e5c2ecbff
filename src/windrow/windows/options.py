"""What can be said of windows and of queries over them, each as one of a few words."""

from enum import Enum

__all__ = ["Check", "Closed", "Emit", "Order", "Ties"]


class Emit(Enum):
    """When the result of a window is emitted.

    >>> Emit("on_change") is Emit.ON_CHANGE
    True
    """

    ON_CLOSE = "on_close"
    """Once, when no row can change it any more."""

    ON_CHANGE = "on_change"
    """Whenever new rows change it; the last result counts."""


class Order(Enum):
    """The order in which rows count, for windows and aggregates that depend on it.

    >>> Order("arrival") is Order.ARRIVAL
    True
    """

    ARRIVAL = "arrival"
    """Rows count at once, as they arrive."""

    TIME = "time"
    """Rows count in the order of their times; ties count in the order of arrival."""


class Closed(Enum):
    """Which ends of a trailing window belong to it: t - duration, and t, the time of its row.

    >>> Closed("both").at_start, Closed.RIGHT.at_start
    (True, False)
    """

    RIGHT = "right"
    """(t - duration, t]: rows of time t are in, a row exactly one duration old is out."""

    LEFT = "left"
    """[t - duration, t): a row exactly one duration old is in, rows of time t are out."""

    BOTH = "both"
    """[t - duration, t]: both are in."""

    NEITHER = "neither"
    """(t - duration, t): neither is."""

    @property
    def at_start(self) -> bool:
        """Whether rows of time t - duration are in."""
        return self in (Closed.LEFT, Closed.BOTH)

    @property
    def at_end(self) -> bool:
        """Whether rows of time t are in, the row itself among them."""
        return self in (Closed.RIGHT, Closed.BOTH)


class Ties(Enum):
    """Which of the rows with the same time as a row are in its trailing window.

    >>> Ties("together") is Ties.TOGETHER
    True
    """

    ARRIVAL = "arrival"
    """Those that arrived before it, and the row itself."""

    TOGETHER = "together"
    """All of them: rows with the same time share a window, as in a `RANGE` frame of SQL."""


class Check(Enum):
    """Whether the conditions of a policy are trusted to be monotone.

    >>> Check("verify") is Check.VERIFY
    True
    """

    TRUST = "trust"
    """They are; where to cut is found by binary search."""

    VERIFY = "verify"
    """They are checked on the data, which is slower; `PolicyError` if they are not monotone."""
