"""What is left of the oldest bucket: how many of its updates are still in the window."""

from dataclasses import dataclass

__all__ = ["Remainder"]


@dataclass(frozen=True)
class Remainder:
    """Between `least` and `most` of the bucket's `size` newest updates are in the window.

    Below zero, `least` is how many of the buckets behind it may be gone too.
    """

    size: int
    least: int
    most: int

    @property
    def middle(self) -> int:
        """A number of updates in between."""
        return (self.least + self.most) // 2

    @property
    def share(self) -> float:
        """Which part of the bucket that is."""
        return (self.least + self.most) / (2 * self.size)

    @property
    def is_whole(self) -> bool:
        """Whether the bucket is in the window as it is."""
        return self.least == self.size

    def counted(self, values: int) -> tuple[int, int]:
        """How many of the bucket's `values` that are not null may be among what is left."""
        nulls = self.size - values
        return max(self.least - nulls, 0), min(self.most, values)
