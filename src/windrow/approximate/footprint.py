"""A footprint: a limit on the number of buckets (A²MTA, method 4)."""

from dataclasses import dataclass
from typing import Any, TypeVar

from windrow.approximate.layout import Bucket, Layout
from windrow.approximate.method import Window
from windrow.arguments import shown
from windrow.errors import InputError, WindowError

__all__ = ["Footprint", "require_buckets", "require_limited"]


T = TypeVar("T")


@dataclass(frozen=True)
class Footprint:
    """A limit on the number of buckets: when it is reached, neighbouring buckets are merged.

    From then on, a new bucket grows to the size that all would have if they were equally large.

    >>> from windrow import agg
    >>> from windrow.approximate import ApproximateAmta, Footprint
    >>> window = ApproximateAmta(agg.sum(), Footprint(10))
    >>> for reading in range(1000):
    ...     window.insert(reading)
    >>> window.buckets <= 10
    True
    """

    buckets: int

    def __post_init__(self) -> None:
        require_buckets(self.buckets)

    def grouper(self, layout: Layout) -> "Even":
        """What decides in a window with this limit."""
        return Even(self.buckets)


class Even:
    """The limit at work; what is asked, and what there is room for, may be changed at any time."""

    def __init__(self, asked: int) -> None:
        self.asked = asked
        self.room: int | None = None  # for fewer than that, or for all
        self.was_reached = False

    @property
    def limit(self) -> int:
        """How many buckets there may be."""
        return self.asked if self.room is None else min(self.asked, self.room)

    def joins(self, fresh: Bucket, joined: Bucket, held: int) -> bool:
        """While the newest bucket is smaller than all would be on average, or the only one."""
        average = -(-(held + 1) // self.limit)
        return self.asked == 1 or (self.was_reached and joined.size <= average)

    def inserted(self, fresh: Bucket, held: int, window: Window, *, began: bool) -> None:
        """What is in a bucket does not matter."""

    def evicted(self, count: int, held: int) -> None:
        """An empty window begins anew, update by update."""
        if not held:
            self.was_reached = False

    def dump(self) -> Any:
        """The limit, which may have been changed, and whether it was reached."""
        return self.asked, self.was_reached

    def load(self, data: Any) -> None:
        """Take over what `dump` gave."""
        self.asked, self.was_reached = data


def require_limited(limit: T | None, buckets: object) -> T:
    """The limit of a window that is to have another one; refuse a window without."""
    require_buckets(buckets, "max_buckets")
    if limit is None:
        raise WindowError(
            f"max_buckets={buckets}: this window was built without a footprint; "
            f"give Footprint({buckets}) when it is made"
        )
    return limit


def require_buckets(buckets: object, argument: str = "buckets") -> None:
    """Refuse what is no number of buckets."""
    if isinstance(buckets, bool) or not isinstance(buckets, int) or not 1 <= buckets < 1 << 63:
        raise InputError(f"{argument}={shown(buckets)}: give a whole number, 1 or more, below 2^63")
