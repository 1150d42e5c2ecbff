"""The names of a result's columns: the user's are kept, ours are changed if they clash."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windrow.errors import InputError
from windrow.windows import Window

__all__ = ["Names", "Shown", "free_name", "names_of", "result_name"]


class Shown(str):
    """An internal name that messages show as what the user wrote."""

    written: str

    def __new__(cls, name: str, written: str) -> "Shown":
        """The name, and how to show it."""
        shown = super().__new__(cls, name)
        shown.written = written
        return shown

    def __repr__(self) -> str:
        return self.written

    def __reduce__(self) -> Any:
        return Shown, (str(self), self.written)


@dataclass(frozen=True)
class Names:
    """The columns of a result, and those of the rows that it comes from."""

    time: str
    keys: tuple[str, ...]
    kept: tuple[str, ...]
    results: tuple[str, ...]  # of aggregates; of windows, where each has a struct of aggregates
    window: str
    name: str
    columns: tuple[str, ...]  # of the user's rows: what late rows show


def names_of(
    windows: Sequence[tuple[str, Window]],
    aggregates: Sequence[str],
    read: Mapping[str, str],
    columns: Iterable[str],
) -> Names:
    """The names of a query's columns, given what the columns that it reads are called by ours.

    Two columns of one name are refused.

    >>> from windrow import window
    >>> hours = [("", window.tumbling("1 hour"))]
    >>> names = names_of(hours, ["n"], {"k0": "window", "t": "ts"}, ["window", "ts"])
    >>> names.window, names.keys, names.results
    ('window_', ('window',), ('n',))
    """
    time = read["t"]
    keys = tuple(name for ours, name in read.items() if ours[0] == "k")
    kept = tuple(name for ours, name in read.items() if ours[0] == "c")
    named = [name for name, _ in windows]
    per_row = windows[0][1].per_row
    side_by_side = per_row and all(named)
    if side_by_side:
        _require_different(aggregates)
    results = named if side_by_side else aggregates
    given = [*keys, *([time, *kept] if per_row else []), *results]
    _require_different(given)
    return Names(
        time=time,
        keys=keys,
        kept=kept,
        results=tuple(results),
        window=free_name("window", given),
        name=free_name("name", given),
        columns=tuple(columns),
    )


def _require_different(names: Iterable[str]) -> None:
    counts = Counter(name.lower() for name in names)  # Spark does not tell cases apart
    for name in names:
        if counts[name.lower()] > 1:
            raise InputError(
                f"the result would have two columns called {name!r}; give aggregates and windows "
                'unique names, and rename columns with .alias("another_name")'
            )


def free_name(name: str, taken: Iterable[str]) -> str:
    """An internal name that differs from all of the user's, even in a case-insensitive session."""
    folded = {other.casefold() for other in taken}
    while name.casefold() in folded:
        name += "_"
    return name


def result_name(name: str) -> str:
    """The column in which a stage gives the result of an aggregate, or of a window."""
    return f"r:{name}"
