"""A file replaced as a whole: after a crash it is the old one or the new one."""

import os
from pathlib import Path

__all__ = ["replace_file", "sync_folder"]


def replace_file(path: Path, content: bytes) -> None:
    """Return when the file will have this content after any crash."""
    aside = path.with_name(path.name + ".new")
    with aside.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """A new file survives a crash only when its folder has been written too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
