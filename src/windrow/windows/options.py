"""What can be said of windows and of queries over them, each as one of a few words."""

from enum import Enum

__all__ = ["Check", "Closed", "Emit", "Order", "Ties"]


class Emit(Enum):
    """How often one window may be answered for.

    >>> Emit("on_change") is Emit.ON_CHANGE
    True
    """

    ON_CLOSE = "on_close"
    """Once, when nothing can change it any more."""

    ON_CHANGE = "on_change"
    """Whenever rows have changed it: the last answer counts."""


class Order(Enum):
    """Which row comes after which, wherever a window depends on it.

    >>> Order("arrival") is Order.ARRIVAL
    True
    """

    ARRIVAL = "arrival"
    """Rows are applied as they come."""

    TIME = "time"
    """Rows are applied in event-time order, ties in arrival order."""


class Closed(Enum):
    """Which ends of a trailing window, t - duration and the row's own time t, are inside.

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
    """Which rows of a row's own time are in its trailing window.

    >>> Ties("together") is Ties.TOGETHER
    True
    """

    ARRIVAL = "arrival"
    """Those that arrived before it, and the row itself."""

    TOGETHER = "together"
    """All of them: rows of one time have one window, as in a `RANGE` frame of SQL."""


class Check(Enum):
    """Whether aggregators take the predicates of a policy to be monotone.

    >>> Check("verify") is Check.VERIFY
    True
    """

    TRUST = "trust"
    """They do, and find the eviction point by search."""

    VERIFY = "verify"
    """They verify it on the data at hand, and raise `PolicyError` where it fails; slower."""
