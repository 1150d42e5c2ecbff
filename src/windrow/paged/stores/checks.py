"""Refuse what no store could keep, before anything is written."""

import re
from collections.abc import Iterable

from windrow.arguments import finite, shown, whole
from windrow.errors import InputError
from windrow.paged.stores.base import Batch, Key

__all__ = ["require_batch", "require_keys", "require_name", "require_seconds", "require_whole"]

END = 2**63  # numbers lie in [0, END)

_LONGEST_S = 1e9  # some thirty years: what clocks, sockets and servers can all wait for

_SPACE = re.compile(r"[a-z0-9_-]{1,64}")


def require_name(name: str) -> None:
    """Only text that is not empty names a window."""
    if not isinstance(name, str) or not name:
        raise InputError(
            f"name={shown(name)} does not name a window; give text of any kind, not empty"
        )


def require_keys(keys: Iterable[Key]) -> None:
    """Every key has a space and a number that exist."""
    for space, number in keys:
        _require_space(space)
        if not isinstance(number, int) or not 0 <= number < END:
            raise InputError(
                f"number={shown(number)} of space {space!r} is not an int in [0, 2^63); "
                "number values from 0"
            )


def require_batch(batch: Batch) -> None:
    """A batch is checked as a whole: half of it must never be written."""
    for space, first, end in batch.deleted:
        _require_space(space)
        if not (isinstance(first, int) and isinstance(end, int) and 0 <= first <= end <= END):
            raise InputError(
                f"deleted=[{shown(first)}, {shown(end)}) of space {space!r} is no range of "
                "numbers; give ints with 0 <= first <= end <= 2^63"
            )
    require_keys(batch.puts)
    for key, value in batch.puts.items():
        if not isinstance(value, bytes):
            raise InputError(
                f"puts: the value of {key} is a {type(value).__name__}; stores keep bytes(value)"
            )


def require_whole(
    argument: str, value: object, least: int, most: int = END - 1, kind: str = "a whole number"
) -> int:
    """A number of things, numpy's numbers among them."""
    number = whole(value)
    if number is not None and least <= number <= most:
        return number
    limits = f"{least:,} or more, below 2^63" if most == END - 1 else f"{least:,} to {most:,}"
    raise InputError(f"{argument}={shown(value)}: give {kind}, {limits}")


def require_seconds(argument: str, value: object, least: float) -> float:
    """A time that can be waited for."""
    seconds = finite(value)
    if seconds is not None and least <= seconds <= _LONGEST_S:
        return seconds
    raise InputError(
        f"{argument}={shown(value)} is no time; give seconds, a number from {least:g} to "
        f"{_LONGEST_S:g}"
    )


def _require_space(space: str) -> None:
    if not isinstance(space, str) or not _SPACE.fullmatch(space):
        raise InputError(
            f"space={shown(space)} is not 1 to 64 of the characters a-z, 0-9, _ and -; "
            "name the space so, and put any other text into the window's name"
        )
