"""What a window in pages can be told, and what makes no sense."""

from windrow.errors import InputError
from windrow.stores.base import Store

__all__ = ["BUFFER_BYTES", "require_settings", "require_store"]

BUFFER_BYTES = 16 << 20

# More than any window has: what is larger is a mistake, and would be allocated.
_MOST_NODES = 1 << 24

# Thirty years; threads cannot wait for ever.
_LONGEST_WAIT_S = 1e9


def require_settings(page: int, cached_pages: int, buffer_bytes: int, wait_s: float) -> None:
    """Refuse sizes and times that no window can work with."""
    for name, value, least in (("page", page, 8), ("cached_pages", cached_pages, 4)):
        fits = type(value) is int and least <= value <= _MOST_NODES
        if not fits or value & (value - 1):
            raise InputError(f"{name}={value!r}: give a power of two from {least} to {_MOST_NODES}")
    if type(buffer_bytes) is not int or buffer_bytes <= 0:
        raise InputError(
            f"buffer_bytes={buffer_bytes!r} is not a whole number of bytes above 0; "
            f"give one, e.g. buffer_bytes={BUFFER_BYTES}"
        )
    is_number = isinstance(wait_s, int | float) and not isinstance(wait_s, bool)
    if not is_number or not 0 <= wait_s <= _LONGEST_WAIT_S:
        raise InputError(
            f"wait_s={wait_s!r} is not a number of seconds from 0 to {_LONGEST_WAIT_S:g}; "
            "give one, e.g. wait_s=30"
        )


def require_store(store: object) -> None:
    """Refuse what keeps no pages."""
    if not isinstance(store, Store):
        raise InputError(
            f"store={store!r} is no store; give one of windrow.stores, e.g. MemoryStore()"
        )
