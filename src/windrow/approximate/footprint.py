"""A footprint: a limit on the number of buckets (A²MTA, method 4)."""

from dataclasses import dataclass

from windrow.arguments import shown
from windrow.errors import InputError, WindowError

__all__ = ["Footprint", "require_buckets", "require_limited"]


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


def require_limited(limit: int | None, buckets: object) -> None:
    """Refuse another limit for a window that has none."""
    require_buckets(buckets, "max_buckets")
    if limit is None:
        raise WindowError(
            f"max_buckets={buckets}: this window was built without a footprint; "
            f"give Footprint({buckets}) when it is made"
        )


def require_buckets(buckets: object, argument: str = "buckets") -> None:
    """Refuse what is no number of buckets."""
    if isinstance(buckets, bool) or not isinstance(buckets, int) or not 1 <= buckets < 1 << 63:
        raise InputError(f"{argument}={shown(buckets)}: give a whole number, 1 or more, below 2^63")
