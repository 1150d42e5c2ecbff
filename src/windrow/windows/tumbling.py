"""Tumbling windows: every row belongs to exactly one."""

from dataclasses import dataclass, field

from windrow.windows.aligned import Aligned
from windrow.windows.durations import describe

__all__ = ["Tumbling"]


@dataclass(frozen=True, slots=True, repr=False)
class Tumbling(Aligned):
    """Windows that follow each other without gap or overlap: aligned, with `every` = `size`.

    >>> hourly = Tumbling(size_us=3_600_000_000)
    >>> hourly
    tumbling('1 hour')
    >>> hourly.bounds(5_000_000_000)
    [(3600000000, 7200000000)]
    """

    every_us: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "every_us", self.size_us)
        Aligned.__post_init__(self)

    def __repr__(self) -> str:
        return f"tumbling({describe(self.size_us)!r}{self._offset_argument()})"
