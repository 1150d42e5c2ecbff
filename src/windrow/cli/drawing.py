"""What all drawings of the command line look like, and whether one can be written."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from windrow.cli.options import check_writable
from windrow.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["check_picture", "dress", "entitle"]

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


def entitle(figure: "Figure", title: str, x: float = 0.01, **place: Any) -> None:
    """A title on the left."""
    figure.suptitle(title, x=x, ha="left", fontsize=13, color=INK, weight="bold", **place)


def dress(axes: "Axes", size: float) -> None:
    """A faint grid instead of spines and ticks, and labels of this size."""
    axes.tick_params(which="both", length=0, labelsize=size, colors=INK)
    axes.grid(color=FAINT, lw=0.7)
    axes.set_axisbelow(True)
    axes.spines[:].set_visible(False)
