"""What is known of a query's rows before it runs: a few figures, by which methods are compared."""

from dataclasses import dataclass

from windrow.arguments import shown, whole
from windrow.errors import InputError

__all__ = ["Cut", "Facts"]


@dataclass(frozen=True)
class Cut:
    """A key that can be cut by time into slots, each for one task.

    Shares are of all rows of the query.  A slot's rows include those of earlier slots that its
    windows reach back to, so slots together may have more rows than the key.
    """

    share: float
    slots: tuple[float, ...]


@dataclass(frozen=True)
class Facts:
    """Rows, as a sample shows them; all figures are estimates.

    >>> day = Facts(rows=8_640_000, keys=10, hottest=0.1, first_us=0, span_us=86_400_000_000)
    >>> day.rows_per(60_000_000)  # of one key in a minute
    600.0
    """

    rows: int
    keys: int
    hottest: float  # the share of the key with most rows
    first_us: int  # the time of the first row
    span_us: int  # from the first row to the last
    cuts: tuple[Cut, ...] = ()  # of keys that can be cut by time, if it helps

    def __post_init__(self) -> None:
        for name, least in (("rows", 1), ("keys", 1), ("span_us", 1)):
            number = whole(getattr(self, name))
            if number is None or number < least:
                raise InputError(
                    f"{name}={shown(getattr(self, name))} of facts must be a whole number from "
                    f"{least} on; leave facts out where rows are not known"
                )
        if not 0 < self.hottest <= 1:
            raise InputError(
                f"hottest={shown(self.hottest)} must be a share of the rows, above 0 and up to 1; "
                "give 1 / keys where keys are equal"
            )

    def rows_per(self, time_us: float) -> float:
        """The rows of one key in a stretch of time, on average."""
        return self.rows * time_us / self.span_us / self.keys
