"""Max-like buckets: only what may become the window's extremum opens one (A²MTA, method 2).

Extremes are predicted by the generalised extreme value distribution, fitted by probability-weighted
moments.  The estimators are those of Hosking, Wallis and Wood (1985): closed forms, good for few
numbers.  A distribution is a tuple: location, scale and shape, whose sign is Hosking's: below 0
there is no upper end.  The functions are plain, so that kernels can compile them.
"""

from dataclasses import dataclass
from math import exp, gamma, inf, log
from typing import Any, TypeAlias

from windrow.algebra.within import require_confidence
from windrow.approximate.layout import Layout
from windrow.arguments import shown, whole
from windrow.errors import InputError

__all__ = ["EXTREMA", "MaxLike", "deciding_number", "fit_sorted", "lower_end_of", "quantile_of"]

ExtremeValues: TypeAlias = tuple[float, float, float]

_EULER = 0.5772156649015329
_FLAT = 1e-6  # a shape this near to zero is Gumbel's: the other formula divides by it


def fit_sorted(maxima: Any) -> ExtremeValues:
    """The distribution of block maxima, which are in ascending order."""
    number = len(maxima)
    first = second = third = 0.0
    for place in range(number):
        value = maxima[place]
        first += value
        second += value * place / (number - 1)
        third += value * place * (place - 1) / ((number - 1) * (number - 2))
    first, second, third = first / number, second / number, third / number
    spread = 2 * second - first
    if spread <= 0 or 3 * third - first == 0:
        return (first, 0.0, 0.0)  # all alike
    skew = spread / (3 * third - first) - log(2.0) / log(3.0)
    shape = max(7.8590 * skew + 2.9554 * skew * skew, -0.99)
    if abs(shape) < _FLAT:
        scale = spread / log(2.0)
        return (first - _EULER * scale, scale, 0.0)
    bend = gamma(1 + shape)
    scale = spread * shape / (bend * (1 - exp(-shape * log(2.0))))
    return (first + scale * (bend - 1) / shape, scale, shape)


def quantile_of(values: ExtremeValues, share: float) -> float:
    """The value that is not exceeded with this probability."""
    location, scale, shape = values
    reduced = -log(share)
    if abs(shape) < _FLAT:
        return location - scale * log(reduced)
    return location + scale * (1 - exp(shape * log(reduced))) / shape


def lower_end_of(values: ExtremeValues) -> float:
    """The least value there can be."""
    location, scale, shape = values
    return location + scale / shape if shape < -_FLAT else -inf


# How many of the 30 blocks of a window count as independent: on the readings of
# `windrow.datasets.server_memory`, 30 make an eighth of all results wrong, 3 thrice the buckets.
_INDEPENDENT = 10

# Where a state of the catalogue has the number that decides, and which way it does.
_DECIDING: dict[str, tuple[int | None, float]] = {
    "max": (None, 1.0),
    "min": (None, -1.0),
    "argmax": (1, 1.0),
    "argmin": (1, -1.0),
    "max_count": (0, 1.0),
    "min_count": (0, -1.0),
}
EXTREMA = tuple(_DECIDING)


@dataclass(frozen=True)
class MaxLike:
    """Updates that are not expected to become the maximum share a bucket.

    The maxima of the last 30 blocks of updates are a sample of extreme values.  An update above the
    lower bound of their distribution, at the given `confidence`, is a candidate and opens a bucket.
    Minima work the same way, mirrored.

    A block has `block` updates.  With `"auto"` it is a thirtieth of the longest recent window, so
    the sample covers about one window, and candidates are the updates that may become the maximum
    of all thirty blocks together.  Those count as ten independent blocks, since high values come
    in clusters.

    >>> MaxLike(block=1000)
    MaxLike(block=1000, confidence=0.95)
    """

    block: int | str = "auto"
    confidence: float = 0.95

    def __post_init__(self) -> None:
        require_confidence(self.confidence)
        number = None if isinstance(self.block, str) else whole(self.block)
        is_auto = isinstance(self.block, str) and self.block == "auto"
        if not is_auto and (number is None or not 1 <= number < 1 << 63):
            raise InputError(f'block={shown(self.block)}: give a number of updates, or "auto"')

    @property
    def share(self) -> float:
        """The share of blocks whose extrema are allowed to be no candidates."""
        together = _INDEPENDENT if self.block == "auto" else 1
        return float((1 - self.confidence) ** (1 / together))

    def places(self, layout: Layout) -> list[int]:
        """The numbers of the aggregates that are extrema."""
        names = [part.aggregate.monoid.name for part in layout.parts]
        places = [number for number, name in enumerate(names) if name in _DECIDING]
        if not places:
            raise InputError(
                f"MaxLike needs an extremum, one of {', '.join(_DECIDING)}; the window has {names}"
            )
        return places


def deciding_number(name: str, state: Any) -> tuple[bool, float]:
    """The number that decides in a state of an extremum, upwards, if there is one."""
    place, sign = _DECIDING[name]
    if state is None:
        return False, 0.0
    decides = state if place is None else state[place]
    try:
        return True, sign * float(decides)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"MaxLike predicts numbers, and {shown(decides)} is none; use "
            "SumLike(absolute=...), which bounds the number of updates, or Footprint"
        ) from None
