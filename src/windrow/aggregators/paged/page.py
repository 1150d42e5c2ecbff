"""The bytes of a page and of a window's head: a header that tells what it is, and raw contents.

    page    wrpg | checksum | mark of the window | level | number | contents
    head    wrph | checksum | mark of the window | contents

The checksum is over all that follows it, so that a value that is torn, damaged, of another window
or in another page's place is noticed, and named.
"""

import hashlib
import struct
import zlib

from windrow.errors import DamagedPageError

__all__ = ["MARK_BYTES", "head_of", "mark_of", "open_head", "open_page", "page_of"]

_PAGE, _HEAD = b"wrpg", b"wrph"
_VERSION = 3
_START = struct.Struct("<4sI")
_PLACE = struct.Struct("<B8sBQ")  # version, mark, level, number
_OWNER = struct.Struct("<B8s")
MARK_BYTES = 8


def mark_of(window: str, description: str) -> bytes:
    """A few bytes that tell windows of different names or contents apart."""
    told = repr((window, description)).encode(errors="surrogatepass")
    return hashlib.blake2b(told, digest_size=MARK_BYTES).digest()


def page_of(mark: bytes, level: int, number: int, contents: bytes) -> bytes:
    """The value under which a store keeps a page."""
    return _sealed(_PAGE, _PLACE.pack(_VERSION, mark, level, number) + contents)


def open_page(value: bytes | None, mark: bytes, level: int, number: int, window: str) -> bytes:
    """The contents of a page; refuses any other value in its place."""
    name = f"page {number} of level {level} of window {window!r}"
    body = _opened(value, _PAGE, name)
    version, found, at_level, at_number = _PLACE.unpack_from(body)
    _require_version(version, name)
    if (found, at_level, at_number) != (mark, level, number):
        raise DamagedPageError(
            f"{name} holds page {at_number} of level {at_level}"
            f"{'' if found == mark else ' of another window'}; restore the store from a copy"
        )
    return body[_PLACE.size :]


def head_of(mark: bytes, contents: bytes) -> bytes:
    """The value under which a store keeps what a window resumes from."""
    return _sealed(_HEAD, _OWNER.pack(_VERSION, mark) + contents)


def open_head(value: bytes, window: str) -> tuple[bytes, bytes]:
    """The mark of the window that wrote a head, and the contents."""
    name = f"the head of window {window!r}"
    body = _opened(value, _HEAD, name)
    version, mark = _OWNER.unpack_from(body)
    _require_version(version, name)
    return mark, body[_OWNER.size :]


def _sealed(magic: bytes, body: bytes) -> bytes:
    return _START.pack(magic, zlib.crc32(body)) + body


def _opened(value: bytes | None, magic: bytes, name: str) -> bytes:
    if value is None:
        raise DamagedPageError(
            f"{name} is gone from the store; did something else delete it, or a time to live "
            "end? Restore the store from a copy, or start the window anew under another name"
        )
    smallest = _START.size + (_PLACE.size if magic == _PAGE else _OWNER.size)
    if len(value) < smallest or value[:4] != magic:
        raise DamagedPageError(
            f"{name} begins with {value[:4]!r} and has {len(value)} bytes: it is no value of "
            "ours; restore the store from a copy"
        )
    _, checksum = _START.unpack_from(value)
    body = bytes(value[_START.size :])
    if zlib.crc32(body) != checksum:
        raise DamagedPageError(f"{name} is damaged; restore the store from a copy")
    return body


def _require_version(version: int, name: str) -> None:
    if version != _VERSION:
        raise DamagedPageError(
            f"{name} was written in format {version}, and this release reads {_VERSION}; "
            "use the release that wrote it"
        )
