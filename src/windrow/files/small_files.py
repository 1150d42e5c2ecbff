"""Small files from anywhere: read without waiting for a pipe nobody writes to, up to a limit."""

import os
from pathlib import Path

from windrow.errors import InputError

__all__ = ["read_small"]

_AT_ONCE = getattr(os, "O_NONBLOCK", 0)  # Windows has no pipes in its file system


def read_small(path: Path, most: int) -> str:
    """The text of a file; `InputError` says why there is none, without naming the file."""
    try:
        with open(path, "rb", opener=_open) as file:  # Path.open takes no opener
            os.set_blocking(file.fileno(), True)
            data = file.read(most + 1)
    except OSError as error:
        raise InputError(f"{error.strerror or error}") from None
    except ValueError:  # a NUL in its name
        raise InputError("no name that a file can have") from None
    if len(data) > most:
        raise InputError(f"more than {most:,} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("not UTF-8") from None


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | _AT_ONCE)
