"""Pictures that commands draw: which files they may be, and their colours."""

from pathlib import Path

from windrow.cli.paths import check_writable
from windrow.errors import InputError

__all__ = ["BLUE", "FAINT", "GREEN", "GREY", "INK", "ORANGE", "VERMILION", "check_picture"]

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
