"""What survives a process: small files in one cache folder, each written whole or not at all."""

import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path

__all__ = ["cache_folder", "load", "save"]

_CHECKSUM_BYTES = hashlib.sha256().digest_size


def cache_folder() -> Path:
    """Where compiled code is kept: `WINDROW_CACHE_DIR`, or the user's own cache folder."""
    named = os.environ.get("WINDROW_CACHE_DIR")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    return Path(base) / "windrow"


def load(key: str, ending: str) -> bytes | None:
    """What was saved under this key, if anything was and it is intact."""
    with suppress(OSError):
        stored = _path(key, ending).read_bytes()
        checksum, content = stored[:_CHECKSUM_BYTES], stored[_CHECKSUM_BYTES:]
        if hashlib.sha256(content).digest() == checksum:
            return content
    return None


def save(key: str, ending: str, content: bytes) -> None:
    """Keep content under a key; where nothing can be written, the next process only loses time."""
    path = _path(key, ending)
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        # Written aside and renamed: another process sees the whole file or none.
        handle, aside = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(content).digest() + content)
        Path(aside).replace(path)


def _path(key: str, ending: str) -> Path:
    return cache_folder() / f"{hashlib.sha256(key.encode()).hexdigest()}.{ending}"
