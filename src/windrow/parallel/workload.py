"""What is to be spread over units: rows at an even pace, and one grid of windows over them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from windrow.arguments import shown, whole
from windrow.errors import InputError

__all__ = ["Travel", "Workload", "require_whole"]


class Travel(Enum):
    """What goes to the owners of a key's windows, where they are not the ones who read the rows."""

    SLICES = "slices"
    """Rows are folded where they are read."""

    ROWS = "rows"
    """Rows themselves, which their owners fold: where order matters and reading has none."""


def require_whole(value: object, argument: str, least: int = 1) -> int:
    """A whole number, not below the least."""
    number = whole(value)
    if number is None or number < least:
        raise InputError(
            f"{argument}={shown(value)} must be a whole number from {least} on; "
            f"try {argument}={least + 7}"
        )
    return number


@dataclass(frozen=True)
class Workload:
    """Rows at `start`, `start + spacing`, …, of several keys in turn, and windows over them.

    Times are whole numbers of any unit.  A slice lies between two neighbouring edges of windows.

    >>> day = Workload(rows=24_000, spacing=1, size=1_000, every=270, keys=3)
    >>> day.windows, day.slices_per_window, day.slices
    (92, 7, 534)
    """

    rows: int
    spacing: int
    size: int
    every: int
    offset: int = 0
    start: int = 0
    keys: int = 1
    hottest: float = 0.0  # the share of the key with most rows; at least 1 / keys
    travel: Travel = Travel.SLICES

    def __post_init__(self) -> None:
        for name in ("rows", "spacing", "size", "every", "keys"):
            require_whole(getattr(self, name), name)
        if not 0 <= self.hottest <= 1:
            raise InputError(
                f"hottest={shown(self.hottest)} must be a share of the rows, from 0 to 1; "
                "leave it out where keys are equal"
            )

    @property
    def last(self) -> int:
        """The time of the last row."""
        return self.start + (self.rows - 1) * self.spacing

    @property
    def windows_per_row(self) -> float:
        """In how many windows a row is, on average over all times."""
        return self.size / self.every

    @property
    def most_windows_per_row(self) -> int:
        """In how many windows a row is at most."""
        return -(-self.size // self.every)

    @property
    def memberships(self) -> float:
        """Pairs of a row and a window that it is in."""
        return self.rows * self.windows_per_row

    @property
    def covered_rows(self) -> float:
        """Rows that any window holds: not all where windows have gaps between them."""
        return self.rows * min(1.0, self.windows_per_row)

    @property
    def rows_per_window(self) -> float:
        """The rows of a full window, of all keys together."""
        return self.size / self.spacing

    @property
    def windows(self) -> int:
        """The windows of one key that hold rows, those at the ends of the data included."""
        return self._touched(0, self.size)

    @property
    def panes(self) -> int:
        """The stretches from one start of a window to the next that hold rows."""
        return self._touched(0, self.every)

    @property
    def results(self) -> float:
        """The windows of all keys."""
        return min(self.keys * self.windows, self.memberships)

    @property
    def slices_per_advance(self) -> int:
        """Into how many slices a pane is cut: two where the advance does not divide the size."""
        return 2 if self.size > self.every and self.size % self.every else 1

    @property
    def slices_per_window(self) -> int:
        """Of how many slices a window is made."""
        full, rest = divmod(self.size, self.every)
        return full * self.slices_per_advance + (rest > 0) if full else 1

    @property
    def slices(self) -> float:
        """The slices that hold rows, of all keys."""
        return sum(number for number, _ in self._slices_and_windows())

    def over_slices(self, per_slice: Callable[[int], float]) -> float:
        """The sum over all slices of what depends on the number of windows they are in."""
        return sum(number * per_slice(windows) for number, windows in self._slices_and_windows())

    def over_rows(self, per_row: Callable[[int], float]) -> float:
        """The sum over all rows of what depends on the number of windows they are in."""
        fewer, rest = divmod(self.size, self.every)
        more = rest / self.every
        return self.rows * ((1 - more) * per_row(fewer) + more * per_row(fewer + 1))

    def _slices_and_windows(self) -> Sequence[tuple[float, int]]:
        """How many slices there are of each kind, and in how many windows one of them is."""
        full, rest = divmod(self.size, self.every)
        if not full:
            kinds = [(0, self.size, 1)]
        elif not rest:
            kinds = [(0, self.every, full)]
        else:
            kinds = [(0, rest, full + 1), (rest, self.every - rest, full)]
        return [
            (
                min(self.keys * self._touched(begin, length), self.rows * length / self.every),
                windows,
            )
            for begin, length, windows in kinds
        ]

    def _touched(self, begin: int, length: int) -> int:
        """The stretches [offset + k · every + begin, … + length) that the data reaches into."""
        first = (self.start - self.offset - begin - length) // self.every + 1
        return (self.last - self.offset - begin) // self.every - first + 1
