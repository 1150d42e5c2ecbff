"""Punctuated windows: rows of the stream say where a window starts or ends."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from numbers import Number
from typing import Any, ClassVar

from windrow.algebra.aggregate import Aggregate
from windrow.arguments import shown
from windrow.errors import WindowError
from windrow.windows.window import Marker, Window

__all__ = ["Punctuated"]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Punctuated(Window):
    """Windows between marked rows; a row marked as a start or as an end is in the window itself.

    - `start` alone: a window runs until the next start; rows before the first start are in none.
    - `end` alone: the first row opens a window, and the row after an end opens the next.
    - both: a start opens a window, which runs until its end or the next start, whichever comes
      first; rows between an end and the next start are in none.

    Column expressions are equal only to themselves, since many overload `==`.

    >>> Punctuated(start="ignition_on", end="ignition_off")
    punctuated(start='ignition_on', end='ignition_off')
    """

    start: Marker | None = None
    end: Marker | None = None

    alone: ClassVar[str] = "its marks are columns of their own"
    numbers: ClassVar[tuple[str, ...]] = ("nth",)

    def __post_init__(self) -> None:
        if self.start is None and self.end is None:
            raise WindowError(
                "start=None and end=None mark no row; give at least one of them, "
                'e.g. start="ignition_on"'
            )
        for argument, marker in (("start", self.start), ("end", self.end)):
            named = isinstance(marker, str) and bool(marker)
            if not named and isinstance(marker, Number | Collection):
                raise WindowError(
                    f"{argument}={shown(marker)} does not mark rows; give the name of a boolean "
                    f'column or a column expression, e.g. {argument}="ignition_on"'
                )

    @property
    def ended_by_next_row(self) -> bool:
        """The next start ends a window."""
        return self.start is not None

    @property
    def markers(self) -> dict[str, Marker]:
        """Those that were given."""
        given = {"start": self.start, "end": self.end}
        return {role: marker for role, marker in given.items() if marker is not None}

    def reading(
        self,
        marker: Callable[[str, Marker], Marker],
        aggregate: Callable[[str, Aggregate[Any]], Aggregate[Any]],
    ) -> "Punctuated":
        """The same with other markers."""
        return Punctuated(**{role: marker(role, mark) for role, mark in self.markers.items()})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Punctuated):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        return f"punctuated({', '.join(f'{role}={m!r}' for role, m in self.markers.items())})"

    def _identity(self) -> tuple[object, ...]:
        return tuple(m if isinstance(m, str | None) else id(m) for m in (self.start, self.end))
