"""Hopping windows: a window of fixed size starts at every hop."""

from dataclasses import dataclass

from windrow.windows.aligned import Aligned
from windrow.windows.durations import describe

__all__ = ["Hopping"]


@dataclass(frozen=True, slots=True, repr=False)
class Hopping(Aligned):
    """Windows of one size, starting one hop after another.

    The hop need not divide the size: a row may be in one window more than the row before it. A
    hop longer than the size leaves gaps, whose rows belong to no window.

    >>> smoothed = Hopping(size_us=5_000_000, every_us=2_000_000)
    >>> smoothed
    hopping('5 seconds', every='2 seconds')
    >>> len(smoothed.starts(4_500_000)), len(smoothed.starts(5_500_000))
    (3, 2)
    """

    def __repr__(self) -> str:
        size, every = describe(self.size_us), describe(self.every_us)
        return f"hopping({size!r}, every={every!r}{self._offset_argument()})"
