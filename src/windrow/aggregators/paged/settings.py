"""What a window in pages can be told, and what makes no sense."""

from windrow.aggregators.paged.courier import Outage
from windrow.errors import InputError
from windrow.stores.base import Store

__all__ = ["BUFFER_BYTES", "require_settings", "require_store"]

BUFFER_BYTES = 16 << 20


def require_settings(
    page: int, cached_pages: int, outage: object, buffer_bytes: int, wait_s: float
) -> None:
    """Refuse sizes, choices and times that no window can work with."""
    for name, value, least in (("page", page, 8), ("cached_pages", cached_pages, 4)):
        if not isinstance(value, int) or value < least or value & (value - 1):
            raise InputError(f"{name}={value!r}: give a power of two, {least} or more")
    if not isinstance(outage, Outage):
        choices = ", ".join(map(str, Outage))
        raise InputError(f"outage={outage!r}: give one of {choices}")
    if buffer_bytes <= 0 or wait_s < 0:
        raise InputError(
            f"buffer_bytes={buffer_bytes!r}, wait_s={wait_s!r}: give room for at least one byte, "
            "and a time that is not negative"
        )


def require_store(store: object) -> None:
    """Refuse what keeps no pages."""
    if not isinstance(store, Store):
        raise InputError(
            f"store={store!r} is no store; give one of windrow.stores, e.g. MemoryStore()"
        )
