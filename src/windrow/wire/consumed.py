"""How far those who read a log have come: what all of them have passed may be forgotten.

A reader that has come to a record for good notes its number in a file of its own, beside the log.
The writer of the log takes the smallest of all, and may call `Log.drop_before` with it.
"""

import json
import os
from pathlib import Path

from windrow.errors import StoreError

__all__ = ["consumed", "note_consumed"]

_FOLDER = "consumed"


def note_consumed(folder: Path, reader: str, number: int) -> None:
    """Say that a reader will not ask again for records below a number."""
    own = folder / _FOLDER
    try:
        own.mkdir(exist_ok=True)
        hidden = own / f".{reader}.{os.getpid()}"
        hidden.write_text(json.dumps({"record": number}), encoding="utf-8")
        hidden.replace(own / f"{reader}.json")
    except OSError:
        return  # a log that readers may only read is never shortened on their account


def consumed(folder: Path) -> int | None:
    """The number below which no reader asks again for a record; None if none has noted anything."""
    numbers = []
    for path in sorted((folder / _FOLDER).glob("*.json")):
        try:
            numbers.append(int(json.loads(path.read_text(encoding="utf-8"))["record"]))
        except (ValueError, KeyError, TypeError):
            raise StoreError(
                f"{path} does not say how far a reader has come; remove it if that reader is gone"
            ) from None
    return min(numbers, default=None)
