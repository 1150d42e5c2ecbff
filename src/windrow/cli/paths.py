"""Paths on a command line, as the commands take and check them."""

from pathlib import Path
from typing import Any

import click

from windrow.errors import InputError

__all__ = ["PATH", "check_writable"]


class _Path(click.Path):
    """Refuses what no file can be called: click would end with Python's own error."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        try:
            return super().convert(value, param, ctx)
        except ValueError:  # a NUL, or half a character
            self.fail(f"{value!r} is no name that a file can have; give another", param, ctx)


PATH = _Path(path_type=Path)


def check_writable(path: Path, option: str) -> None:
    """Refuse a file that cannot be written, before anything is computed."""
    try:
        is_folder, has_folder = path.is_dir(), path.parent.is_dir()
        path.exists()
    except OSError as error:  # a name that is too long, say
        raise InputError(f"{option} {path}: {error.strerror}; give another path") from None
    if not has_folder:
        raise InputError(f"{option} {path}: there is no folder {path.parent}; make it first")
    if is_folder:
        raise InputError(f"{option} {path} is a folder; name a file in it")
