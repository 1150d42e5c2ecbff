"""What lies where on a Redis server.

    prefix:{name}:lease         who holds the window, until when
    prefix:{name}:window        a hash: who opened it last, and which spaces it has
    prefix:{name}:space:levels  a hash: the values of one space, by number

One hash to a space, rather than a key to a page.  A window's time to live is then renewed by one
command for each of its few spaces; pages with keys of their own would run out one by one, the
oldest first, or cost a command each.  A window is deleted, and windows are listed, without looking
at pages.  Braces make a cluster keep all keys of a window together, so that one script may change
them; the window fills one node's memory, not the cluster's.

Names and prefixes are escaped like parts of an address, braces always: keys begin alike only if
prefix and name are the same.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import quote, unquote

__all__ = [
    "HOLDER",
    "WRITTEN",
    "Places",
    "field",
    "halves",
    "names_among",
    "names_pattern",
    "space_field",
    "spaces_among",
]

# In the hash of the window: the token of its last opening, and the number of its last write.
HOLDER, WRITTEN = b"holder", b"written"

_SPACE = b"space:"


class Places(NamedTuple):
    """The keys of one window."""

    lease: str
    window: str
    spaces: str  # how the keys of its spaces begin

    @classmethod
    def of(cls, prefix: str, name: str) -> "Places":
        """Where a window lies."""
        tagged = f"{_escaped_prefix(prefix)}:{{{quote(name, safe='', errors='surrogatepass')}}}"
        return cls(f"{tagged}:lease", f"{tagged}:window", f"{tagged}:space:")

    def space(self, space: str) -> str:
        """The key of one space."""
        return self.spaces + space


def field(number: int) -> bytes:
    """Where a value lies in the hash of its space."""
    return number.to_bytes(8, "big")


def halves(number: int) -> tuple[int, int]:
    """A number as a script takes it: Lua's numbers are exact only up to 2^53."""
    return number >> 32, number & 0xFFFF_FFFF


def space_field(space: str) -> bytes:
    """Where the hash of the window notes that it has a space."""
    return _SPACE + space.encode()


def spaces_among(fields: Iterable[bytes]) -> set[str]:
    """The spaces that a window has, by the fields of its hash."""
    return {each[len(_SPACE) :].decode() for each in fields if each.startswith(_SPACE)}


def names_pattern(prefix: str) -> str:
    """What the keys of windows look like, for SCAN; what is escaped holds no wildcards."""
    return f"{_escaped_prefix(prefix)}:{{*}}:window"


def names_among(prefix: str, keys: Iterable[bytes]) -> set[str]:
    """The windows whose keys these are; a space called `window` has a key that looks like one."""
    escaped = re.escape(_escaped_prefix(prefix)).encode()
    shape = re.compile(escaped + rb":\{([A-Za-z0-9_.~%-]+)\}:window")
    found = map(shape.fullmatch, keys)
    return {unquote(match[1].decode(), errors="surrogatepass") for match in found if match}


def _escaped_prefix(prefix: str) -> str:
    # Colons and slashes stay: rights on a server are given for patterns like "app:*".
    return quote(prefix, safe=":/", errors="surrogatepass")
