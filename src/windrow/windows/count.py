"""Count windows: a fixed number of rows, whatever their times."""

from dataclasses import dataclass
from typing import ClassVar

from windrow.windows.window import Window, require_count

__all__ = ["Count"]


@dataclass(frozen=True, slots=True, repr=False)
class Count(Window):
    """Windows over the row positions [k * every, k * every + size), for k = 0, 1, 2, ...

    Positions count from 0 over all rows, so the rows need one global order. As with hops, `every`
    need not divide `size`, and an `every` above `size` leaves rows out.

    >>> Count(size=100, every=10)
    count(100, every=10)
    """

    size: int
    every: int

    shape: ClassVar[str] = "count"
    numbers: ClassVar[tuple[str, ...]] = ("first", "last")

    def __post_init__(self) -> None:
        require_count(self.size, "size")
        require_count(self.every, "every")

    @property
    def span_rows(self) -> int:
        """As many as it counts."""
        return self.size

    def __repr__(self) -> str:
        every = "" if self.every == self.size else f", every={self.every}"
        return f"count({self.size}{every})"
