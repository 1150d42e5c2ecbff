"""What lies where in the database of a RocksStore.

    "layout"                           which of these layouts it is
    "next"                             the identity of the next new window
    "w" name                           the identity of a window: all that `names` reads
    "p" identity length space number   a value; big-endian, so that numbers sort in their space

Identities are numbers of 8 bytes, never used twice: no window's keys begin like another's, whatever
their names, and the values of a deleted window cannot turn up in a new one.
"""

__all__ = ["following", "identity", "pages_prefix", "place", "window_key", "window_name"]

LAYOUT_KEY, LAYOUT = b"layout", b"windrow pages 1"
NEXT_KEY = b"next"
WINDOWS, AFTER_WINDOWS = b"w", b"x"  # the keys of windows lie in [WINDOWS, AFTER_WINDOWS)

_PAGES = b"p"


def window_key(name: str) -> bytes:
    """The key that holds a window's identity."""
    # surrogatepass: any Python text is a name, even text that is not Unicode
    return WINDOWS + name.encode("utf-8", "surrogatepass")


def window_name(key: bytes) -> str:
    """The name of the window whose identity this key holds."""
    return key[len(WINDOWS) :].decode("utf-8", "surrogatepass")


def identity(number: int) -> bytes:
    """A window's identity."""
    return number.to_bytes(8, "big")


def following(window: bytes) -> bytes:
    """The identity after this one."""
    return identity(int.from_bytes(window, "big") + 1)


def pages_prefix(window: bytes) -> bytes:
    """How the keys of a window's values begin, and no other keys."""
    return _PAGES + window


def place(prefix: bytes, space: str, number: int) -> bytes:
    """The key of one value."""
    # The length keeps spaces apart: without it, "a" would begin like "ab".
    return b"%b%c%b%b" % (prefix, len(space), space.encode(), number.to_bytes(8, "big"))
