"""The settings of a paged window, and their checks."""

from typing import NamedTuple

from windrow.arguments import member, shown
from windrow.errors import InputError
from windrow.paged.stores.base import Store
from windrow.paged.stores.checks import require_seconds, require_whole
from windrow.paged.write_behind import Outage, Patience

__all__ = [
    "BUFFER_BYTES",
    "MAX_UNWRITTEN_UPDATES",
    "Settings",
    "require_codec",
    "require_store",
    "settings_of",
]

BUFFER_BYTES = 16 << 20
# Some eight heads of a window of numbers are then on their way at once: a smaller limit makes a
# fast caller wait for a store that could keep up with it.
MAX_UNWRITTEN_UPDATES = 1 << 16

_MOST_PAGE, _MOST_CACHED = 1 << 16, 1 << 12
_MOST_NODES = 1 << 22  # of a level at hand: gigabytes for all of them


class Settings(NamedTuple):
    """How a window lies in its store."""

    page: int
    cached_pages: int
    patience: Patience


def settings_of(
    page: object,
    cached_pages: object,
    outage: object,
    buffer_bytes: object,
    wait_s: object,
    max_unwritten_updates: object,
) -> Settings:
    """Refuse sizes, choices and times that no window can work with."""
    pages = _power_of_two("page", page, 8, _MOST_PAGE)
    cached = _power_of_two("cached_pages", cached_pages, 4, _MOST_CACHED)
    if pages * cached > _MOST_NODES:
        raise InputError(
            f"cached_pages={cached} of page={pages} nodes are more than memory is for; "
            f"give at most {_MOST_NODES // pages} pages of that size"
        )
    patience = Patience(
        member(Outage, outage, "outage"),
        require_whole("buffer_bytes", buffer_bytes, 1),
        require_seconds("wait_s", wait_s, 0),
        require_whole("max_unwritten_updates", max_unwritten_updates, 1),
    )
    return Settings(pages, cached, patience)


def require_store(store: object) -> None:
    """Refuse what keeps no pages."""
    if not isinstance(store, Store):
        raise InputError(
            f"store={shown(store)} is not a store; give e.g. windrow.paged.stores.MemoryStore()"
        )


def require_codec(codec: object) -> None:
    """Refuse what does not turn states into bytes and back."""
    if codec is None:
        return
    if not isinstance(codec, tuple) or len(codec) != 2 or not all(map(callable, codec)):
        raise InputError(
            f"codec={shown(codec)}: give two functions, codec=(encode, decode), from a state to "
            "bytes and back"
        )


def _power_of_two(argument: str, value: object, least: int, most: int) -> int:
    number = require_whole(argument, value, least, most, "a power of two")
    if number & (number - 1):
        raise InputError(f"{argument}={shown(value)}: give a power of two, {least:,} to {most:,}")
    return number
