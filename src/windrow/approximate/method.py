"""What decides which updates share a bucket."""

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from windrow.approximate.layout import Bucket, Layout

__all__ = ["Grouper", "Method", "Window"]

# Returns the bucket that the window starts in, and all later ones merged.
Window: TypeAlias = Callable[[], tuple[Bucket, Bucket]]


class Grouper(Protocol):
    """A method at work in one window."""

    def joins(self, fresh: Bucket, joined: Bucket, held: int) -> bool:
        """Whether an update may join the newest bucket, which would then be `joined`.

        The window holds `held` updates before.
        """

    def inserted(self, fresh: Bucket, held: int, window: Window, *, began: bool) -> None:
        """Called after an update, which may have begun a bucket; the window has `held` updates."""

    def evicted(self, count: int, held: int) -> None:
        """Called after `count` updates left at once; `held` updates are in the window."""

    def dump(self) -> Any:
        """What it has learned, as plain values: numbers, and tuples and lists of them."""

    def load(self, data: Any) -> None:
        """Take over what `dump` gave."""


class Method(Protocol):
    """The definition of a method; a value."""

    def grouper(self, layout: Layout) -> Grouper:
        """What works in a window of such buckets."""
