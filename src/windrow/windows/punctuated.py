"""Punctuated windows: rows of the stream say where a window starts or ends."""

from collections.abc import Collection
from dataclasses import dataclass
from numbers import Number
from typing import Any, TypeAlias

from windrow.arguments import shown
from windrow.errors import WindowError

__all__ = ["Marker", "Punctuated"]

Marker: TypeAlias = Any
"""What marks a row: the name of a boolean column, or an engine's own column expression."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Punctuated:
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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Punctuated):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        given = (("start", self.start), ("end", self.end))
        return f"punctuated({', '.join(f'{name}={m!r}' for name, m in given if m is not None)})"

    def _identity(self) -> tuple[object, ...]:
        return tuple(m if isinstance(m, str | None) else id(m) for m in (self.start, self.end))
