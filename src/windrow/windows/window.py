"""What every window definition is: a value that answers questions about itself."""

from collections.abc import Callable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from windrow.algebra.aggregate import Aggregate
from windrow.arguments import shown
from windrow.errors import WindowError
from windrow.notebook import code
from windrow.windows.durations import MAX_US, MIN_US, describe

if TYPE_CHECKING:
    from windrow.windows.aligned import Aligned

__all__ = [
    "FIRST_US",
    "LAST_US",
    "Marker",
    "Window",
    "require_count",
    "require_duration_us",
    "require_one_shape",
    "require_us",
]

Marker: TypeAlias = Any
"""What marks a row: the name of a boolean column, or an engine's own column expression."""

FIRST_US = MIN_US + 1  # engines mark a key without an open window by the number below
LAST_US = MAX_US - 1  # a stream applies a row a microsecond after its time


class Window:
    """The base of all window definitions: what the rest of the code asks them.

    A kind of window overrides the answers that differ from those here.  What is the same for all
    windows of a kind is a class attribute, what depends on one definition a property.
    """

    __slots__ = ()

    #: The class of the engine that runs these windows; None for kinds that `windrow.engines` runs.
    engine: ClassVar[type[Any] | None] = None

    #: Whether each row has its own window and result; else there is one result per window, with
    #: `start` and `end`.
    per_row: ClassVar[bool] = False

    #: Whether time alone ends windows, so that nothing is kept of a key that fell silent; else they
    #: wait for the key's next row.
    ends_by_time: ClassVar[bool] = False

    #: Whether approximate windows of this kind are kept as buckets of rows; else they are exact.
    in_buckets: ClassVar[bool] = False

    #: What windows that one query can compute in one pass have in common; "" if they run alone.
    shape: ClassVar[str] = ""

    #: Why windows of this kind run alone.
    alone: ClassVar[str] = "its engine takes one window"

    #: What distinguishes windows with the same `start` and `end`: `first` and `last`, or `nth`.
    numbers: ClassVar[tuple[str, ...]] = ()

    def _repr_html_(self) -> str:
        kind = str(type(self).__doc__).partition("\n")[0]
        return f"<p>{code(repr(self))}</p><p>{escape(kind)}</p>"

    @property
    def grid(self) -> "Aligned | None":
        """The grid of event time that windows lie on: their bounds are known before any row.

        Windows of one grid are cut into slices, and several of them can share a pass.
        """
        return None

    @property
    def silence_us(self) -> int | None:
        """How long a silence ends a window; None if silence does not."""
        return None

    @property
    def ended_by_next_row(self) -> bool:
        """Whether a window may be known to be over only by a row that is not in it."""
        return False

    @property
    def reach_us(self) -> int | None:
        """From which age on rows are in no row's window any more; None if age does not decide."""
        return None

    @property
    def reach_rows(self) -> int | None:
        """How many rows a row's window has at most, itself included; None if rows do not decide."""
        return None

    @property
    def span_rows(self) -> int | None:
        """How many consecutive rows of a key a full window has, whatever their times; None: any."""
        return self.reach_rows

    @property
    def bounded(self) -> bool:
        """Whether it is known before the rows how far back a row's window reaches.

        Then a key's rows can be cut by time, each part with the rows before it that its windows
        reach back to, whose arrival numbers are below zero: they have no result.
        """
        return self.reach_us is not None or self.reach_rows is not None

    @property
    def holds_own_time(self) -> bool:
        """Whether rows of a row's own time are in its window, as the row itself."""
        return True

    @property
    def ties_together(self) -> bool:
        """Whether a row's window has all rows of its time: also those that arrive after it."""
        return False

    @property
    def markers(self) -> Mapping[str, Marker]:
        """The boolean columns that say where windows start or end, by role."""
        return {}

    @property
    def watched(self) -> tuple[tuple[str, Aggregate[Any]], ...]:
        """The aggregates, by name, that decide what is in a window."""
        return ()

    @property
    def functions(self) -> tuple[Callable[..., Any] | None, ...]:
        """The user's functions that decide what is in a window."""
        return ()

    @property
    def time_limits(self) -> tuple[int, int]:
        """The lowest and the highest time at which such windows can have rows.

        A bound that does not fit 64 bits would wrap around to the other end of time, and if bounds
        were clipped, two windows could have the same bounds: rows so close to the limits are
        refused.  The years 1 to 9999 are far inside unless a window is some hundred thousand years
        long.
        """
        return FIRST_US, LAST_US

    def reading(
        self,
        marker: Callable[[str, Marker], Marker],
        aggregate: Callable[[str, Aggregate[Any]], Aggregate[Any]],
    ) -> "Window":
        """The same window with other columns: `marker(role, mark)`, `aggregate(name, part)`."""
        return self


def require_us(us: int, argument: str) -> None:
    """Refuse anything but an int of microseconds that fits event time."""
    if isinstance(us, bool) or not isinstance(us, int):
        raise WindowError(
            f"{argument}_us={shown(us)} is a {type(us).__name__}; give whole microseconds as an "
            'int, or call windrow.window, which reads durations such as "1 hour"'
        )
    if abs(us) > MAX_US:
        raise WindowError(
            f"{argument}_us={shown(us)} exceeds 2^63 - 1 microseconds; give at most 106751991 days"
        )


def require_duration_us(us: int, argument: str) -> None:
    """Refuse anything but a positive int of microseconds."""
    require_us(us, argument)
    if us <= 0:
        raise WindowError(
            f"{argument}={describe(us)!r} is not positive; "
            f'give a duration above zero, e.g. {argument}="1 minute"'
        )


def require_count(number: int, argument: str) -> None:
    """Refuse anything but a positive int."""
    if isinstance(number, bool) or not isinstance(number, int):
        raise WindowError(
            f"{argument}={shown(number)} is a {type(number).__name__}; "
            f"give a positive int, e.g. {argument}=1000"
        )
    if number <= 0:
        raise WindowError(
            f"{argument}={shown(number)} is not positive; give at least 1, e.g. {argument}=1000"
        )
    if number > MAX_US:
        raise WindowError(
            f"{argument}={shown(number)} exceeds 2^63 - 1; give fewer, e.g. {argument}=1000"
        )


def require_one_shape(windows: Mapping[str, Window]) -> None:
    """Refuse windows that cannot be computed in one pass over the same rows.

    >>> from windrow import window
    >>> require_one_shape({"hour": window.trailing("1 h"), "last": window.trailing(rows=9)})
    """
    if not isinstance(windows, Mapping) or not windows:
        raise WindowError(f"windows={shown(windows)} names no windows; give them by their names")
    for name, window in windows.items():
        if not isinstance(window, Window):
            raise WindowError(f"{name}={shown(window)} is no window; use one of windrow.window")
    (first, like), *_ = windows.items()
    for name, window in windows.items():
        if not window.shape:
            raise WindowError(
                f"{name}={window!r} cannot share a pass: {window.alone}; run it alone with "
                ".window(...)"
            )
        if window.shape != like.shape:
            raise WindowError(
                f"{first}={like!r} and {name}={window!r} cannot share a pass, as their shapes "
                f"differ ({like.shape}, {window.shape}); write one query per shape"
            )
