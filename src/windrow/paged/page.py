"""The bytes of a page and of a window's head: a header that identifies it, and raw contents.

    page    wrpg | checksum | version | mark of the window | level | number | contents
    head    wrph | checksum | version | mark of the window | which head it is | contents
    seal    wrps | checksum | how the newest head begins

The checksum is over all that follows it, so that a value that is torn, damaged, of another window
or in another page's place is detected, and named.  The seal is stored apart from the head: if one
of the two is lost, or comes from an older copy of the store, the other one shows it.
"""

import hashlib
import struct
import zlib

from windrow.errors import DamagedPageError

__all__ = [
    "damaged",
    "head_of",
    "mark_of",
    "open_head",
    "open_page",
    "page_of",
    "require_seal",
    "seal_of",
]

_PAGE, _HEAD, _SEAL = b"wrpg", b"wrph", b"wrps"
_VERSION = 4
_START = struct.Struct("<4sI")
_PLACE = struct.Struct("<B8sBQ")  # version, mark, level, number
_OWNER = struct.Struct("<B8sQ")  # version, mark, number of the head
_SEALED = _START.size + _OWNER.size  # how much of a head its seal repeats
_SMALLEST = {_PAGE: _PLACE.size, _HEAD: _OWNER.size, _SEAL: _SEALED}
MARK_BYTES = 8


def damaged(window: str, found: str) -> DamagedPageError:
    """The error that says what was found of a window in its store, and what can be done."""
    return DamagedPageError(
        f"{found}; restore the store from a copy, or give the window up with "
        f"store.delete({window!r}) and start again"
    )


def mark_of(window: str, description: str) -> bytes:
    """A few bytes that distinguish windows with different names or contents."""
    identity = repr((window, description)).encode(errors="surrogatepass")
    return hashlib.blake2b(identity, digest_size=MARK_BYTES).digest()


def page_of(mark: bytes, level: int, number: int, contents: bytes) -> bytes:
    """The value under which a store keeps a page."""
    return _sealed(_PAGE, _PLACE.pack(_VERSION, mark, level, number) + contents)


def open_page(value: bytes | None, mark: bytes, level: int, number: int, window: str) -> bytes:
    """The contents of a page; refuses any other value in its place."""
    name = f"page {number} of level {level} of window {window!r}"
    body = _opened(value, _PAGE, name, window)
    version, found, at_level, at_number = _PLACE.unpack_from(body)
    _require_version(version, name)
    if (found, at_level, at_number) != (mark, level, number):
        raise damaged(
            window,
            f"{name} holds page {at_number} of level {at_level}"
            f"{'' if found == mark else ' of another window'}",
        )
    return body[_PLACE.size :]


def head_of(mark: bytes, number: int, contents: bytes) -> bytes:
    """The value under which a store keeps what a window resumes from, each with its number."""
    return _sealed(_HEAD, _OWNER.pack(_VERSION, mark, number) + contents)


def open_head(value: bytes, window: str) -> tuple[bytes, int, bytes]:
    """The mark of the window that wrote a head, which one it is, and the contents."""
    name = f"the head of window {window!r}"
    body = _opened(value, _HEAD, name, window)
    version, mark, number = _OWNER.unpack_from(body)
    _require_version(version, name)
    return mark, number, body[_OWNER.size :]


def seal_of(head: bytes) -> bytes:
    """The value stored apart from the head that says which head was written last."""
    return _sealed(_SEAL, head[:_SEALED])


def require_seal(head: bytes, seal: bytes | None, window: str) -> None:
    """Refuse a head that is not the one that was written last."""
    if head[:_SEALED] != _opened(seal, _SEAL, f"the seal of window {window!r}", window):
        raise damaged(
            window,
            f"the head of window {window!r} is not the one that was written last: only a part of "
            "the store was restored, or something else wrote to it",
        )


def _sealed(magic: bytes, body: bytes) -> bytes:
    return _START.pack(magic, zlib.crc32(body)) + body


def _opened(value: bytes | None, magic: bytes, name: str, window: str) -> bytes:
    if value is None:
        raise damaged(
            window,
            f"{name} is gone from the store (something else deleted it, or the server dropped it)",
        )
    if len(value) < _START.size + _SMALLEST[magic] or value[:4] != magic:
        raise damaged(
            window,
            f"{name} begins with {value[:4]!r} and has {len(value)} bytes: it is not windrow's",
        )
    _, checksum = _START.unpack_from(value)
    body = bytes(value[_START.size :])
    if zlib.crc32(body) != checksum:
        raise damaged(window, f"{name} is damaged")
    return body


def _require_version(version: int, name: str) -> None:
    if version != _VERSION:
        raise DamagedPageError(
            f"{name} was written in format {version}, and this release reads {_VERSION}; "
            "use the release that wrote it"
        )
