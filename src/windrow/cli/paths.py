"""Paths on a command line, as the commands take and check them, and files they draw into."""

from pathlib import Path
from typing import Any

import click

from windrow.errors import InputError

__all__ = [
    "BLUE",
    "FAINT",
    "GREEN",
    "GREY",
    "INK",
    "ORANGE",
    "PATH",
    "VERMILION",
    "check_picture",
    "check_writable",
]


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


_ENDINGS = (".png", ".svg", ".pdf")

INK, FAINT, GREY = "#333333", "#dddddd", "#888888"
# Okabe and Ito's, which everyone can tell apart.
BLUE, GREEN = "#0072b2", "#009e73"
ORANGE, VERMILION = "#e69f00", "#d55e00"


def check_picture(path: Path | None, option: str) -> None:
    """Refuse a picture that cannot be written, before anything is computed."""
    if path is None:
        return
    if path.suffix.casefold() not in _ENDINGS:
        raise InputError(f"{option} {path}: give a file that ends with {', '.join(_ENDINGS)}")
    check_writable(path, option)
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise InputError(
            f"{option} {path} needs matplotlib; pip install 'windrow[plot]', or leave {option} out"
        ) from None
