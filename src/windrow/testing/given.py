"""What the tools for tests are given, read before it is used: rows, columns and tolerances."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, TypeAlias

from windrow.arguments import finite, shown
from windrow.errors import InputError
from windrow.testing.instants import has_zone

__all__ = ["Row", "items", "name", "names", "require_columns", "require_times", "rows", "share"]

Row: TypeAlias = Mapping[str, Any]


def items(values: Any, argument: str) -> Iterable[Any]:
    """Values that can be gone through one by one."""
    if isinstance(values, Iterable):
        return values
    raise InputError(
        f"{argument}={shown(values)} is a {type(values).__name__}; give a list of values"
    )


def rows(given: Any, argument: str) -> list[Row]:
    """Rows as dicts, in their order.

    >>> rows(["a"], "wanted")
    Traceback (most recent call last):
    windrow.errors.InputError: wanted has the row 'a', a str; give rows as dicts, {column: value}
    """
    if isinstance(given, str | bytes | Mapping):
        raise InputError(
            f"{argument}={shown(given)} is a {type(given).__name__}; give a list of rows, "
            "each a dict, {column: value}"
        )
    found = list(items(given, argument))
    for row in found:
        if not isinstance(row, Mapping):
            raise InputError(
                f"{argument} has the row {shown(row)}, a {type(row).__name__}; give rows as dicts, "
                "{column: value}"
            )
    return found


def name(column: Any, argument: str) -> str:
    """The name of one column."""
    if isinstance(column, str):
        return column
    raise InputError(
        f"{argument}={shown(column)} is a {type(column).__name__}; name a column of the rows"
    )


def names(columns: Any, argument: str) -> tuple[str, ...]:
    """One name of a column, or several.

    >>> names("k", "by"), names(["k", "n"], "by")
    (('k',), ('k', 'n'))
    """
    found: Any = (columns,) if isinstance(columns, str) else columns
    if isinstance(found, Sequence) and all(isinstance(column, str) for column in found):
        return tuple(found)
    raise InputError(
        f"{argument}={shown(columns)} names no columns; give a name or a list of names, as the "
        "rows have them"
    )


def require_columns(found: Sequence[Row], columns: Sequence[str], argument: str) -> None:
    """Refuse columns that a row has not: None stands for null."""
    for row in found:
        for column in columns:
            if column not in row:
                raise InputError(
                    f"{argument}={shown(column)} is no column of the row {shown(row)}; name one of "
                    f"{shown(list(row))}, or give the row a None there"
                )


def require_times(found: Sequence[Row], time: str) -> None:
    """Refuse event times that are none, or of which some have a zone and some have not."""
    zones: dict[bool, Any] = {}
    for row in found:
        moment = row[time]
        if moment is None:
            continue
        if not isinstance(moment, date):  # which a datetime is, too
            raise InputError(
                f"time={shown(time)} is {shown(moment)}, a {type(moment).__name__}, in the row "
                f"{shown(row)}; give datetimes, dates or None"
            )
        zones.setdefault(has_zone(moment), moment)
    if len(zones) > 1:
        raise InputError(
            f"time={shown(time)} has a zone in {shown(zones[True])} and none in "
            f"{shown(zones[False])}; give all times with a zone, or all without"
        )


def share(value: Any, argument: str) -> float:
    """A number that is not negative, by which floats may differ."""
    number = finite(value)
    if number is None or number < 0:
        raise InputError(
            f"{argument}={shown(value)} is no number by which floats may differ; give one that is "
            "finite and not negative, e.g. 1e-9"
        )
    return number
