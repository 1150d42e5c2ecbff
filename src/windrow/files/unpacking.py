"""The bytes of a file of text, unpacked if its name says that it is packed, up to a limit."""

import io
from pathlib import Path
from typing import Any, BinaryIO

from windrow.errors import InputError

__all__ = ["PACKED", "require_growth", "unpacked"]

PACKED = frozenset({".gz", ".bz2", ".zst"})

_HARMLESS_BYTES = 1 << 30
_MOST_GROWTH = 100  # text packs to a tenth, hardly ever to a hundredth
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def unpacked(path: Path) -> BinaryIO:
    """A stream of UTF-8 bytes; it refuses to grow without bound, and UTF-16."""
    stream = io.BufferedReader(_Unpacked(path), 1 << 20)
    try:
        if stream.peek(2)[:2] in _UTF_16:
            raise InputError(
                f"{path} is UTF-16; convert it, e.g. with iconv -f UTF-16 -t UTF-8 {path}"
            )
    except BaseException:
        stream.close()
        raise
    return stream


def require_growth(path: Path, size: int) -> None:
    """Refuse a small file that holds far more than any packing would explain."""
    if size > _HARMLESS_BYTES and size > _MOST_GROWTH * path.stat().st_size:
        raise InputError(
            f"{path} has {path.stat().st_size:,} bytes and unpacks to {size:,} or more; give a "
            "file that is not packed, or a smaller part of it"
        )


class _Unpacked(io.RawIOBase):
    """Arrow's stream of a file, with the bytes it gave counted."""

    def __init__(self, path: Path) -> None:
        import pyarrow as pa

        self._path = path
        self._stream = pa.input_stream(str(path))  # the ending says how it is packed
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        got: int = self._stream.readinto(buffer)
        self._given += got
        require_growth(self._path, self._given)
        return got

    def close(self) -> None:
        self._stream.close()
        super().close()
