"""Max-like buckets: only what may become the window's extremum opens one (A²MTA, method 2).

Extremes are predicted by the generalised extreme value distribution, fitted by probability-weighted
moments.  The estimators are those of Hosking, Wallis and Wood (1985): closed forms, good for few
numbers.  A distribution is a tuple: location, scale and shape, whose sign is Hosking's: below 0
there is no upper end.  The functions are plain, so that kernels can compile them.
"""

from collections import deque
from dataclasses import dataclass
from math import exp, gamma, inf, isfinite, log
from typing import Any, TypeAlias

from windrow.algebra.within import require_confidence
from windrow.approximate.layout import Bucket, Layout
from windrow.approximate.method import Window
from windrow.approximate.prediction import LEAST
from windrow.arguments import shown, whole
from windrow.errors import InputError

__all__ = ["EXTREMA", "MaxLike", "fit_sorted", "lower_end_of", "quantile_of"]

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

    def grouper(self, layout: Layout) -> "_Candidates":
        """What decides in a window of such buckets."""
        return _Candidates([_Extremum(self, *place) for place in self.places(layout)])

    def places(self, layout: Layout) -> list[tuple[int, int | None, float]]:
        """The extrema: the number of an aggregate, where its state decides, and which way."""
        names = [part.aggregate.monoid.name for part in layout.parts]
        places = [(number, *_DECIDING[n]) for number, n in enumerate(names) if n in _DECIDING]
        if not places:
            raise InputError(
                f"MaxLike needs an extremum, one of {', '.join(_DECIDING)}; the window has {names}"
            )
        return places


class _Candidates:
    """Max-like buckets at work, for all extrema of a window."""

    def __init__(self, extrema: list["_Extremum"]) -> None:
        self._extrema = extrema

    def joins(self, fresh: Bucket, joined: Bucket, held: int) -> bool:
        """If it is no candidate for any."""
        return not any(extremum.is_candidate(fresh) for extremum in self._extrema)

    def inserted(self, fresh: Bucket, held: int, window: Window, *, began: bool) -> None:
        """The update is one of the block's."""
        for extremum in self._extrema:
            extremum.take(fresh, held)

    def evicted(self, count: int, held: int) -> None:
        """What left has nothing to do with what comes."""

    def dump(self) -> Any:
        """The blocks of all extrema."""
        return [extremum.dump() for extremum in self._extrema]

    def load(self, data: Any) -> None:
        """Take over what `dump` gave."""
        for extremum, own in zip(self._extrema, data, strict=True):
            extremum.load(own)


class _Extremum:
    """The blocks of one extremum, and from where on a number is a candidate; upwards."""

    def __init__(self, method: MaxLike, part: int, place: int | None, sign: float) -> None:
        self._method, self._part, self._place, self._sign = method, part, place, sign
        self._maxima: deque[float] = deque(maxlen=LEAST)
        self._lengths: deque[int] = deque([1], maxlen=LEAST)  # of the window, at the most
        self._highest, self._taken = -inf, 0
        self._threshold = -inf

    def is_candidate(self, fresh: Bucket) -> bool:
        """Whether it may become the extremum; a null cannot."""
        number = self._number(fresh)
        return number is not None and not number < self._threshold

    def take(self, fresh: Bucket, held: int) -> None:
        """Extend the block, and end it when it is long enough."""
        number = self._number(fresh)
        if number is not None and isfinite(number):
            self._highest = max(self._highest, number)
        self._taken += 1
        self._lengths[-1] = max(self._lengths[-1], held)
        if self._taken < self._block:
            return
        if isfinite(self._highest):
            self._maxima.append(self._highest)
        self._lengths.append(held)
        self._highest, self._taken = -inf, 0
        if len(self._maxima) == LEAST:
            values = fit_sorted(sorted(self._maxima))
            self._threshold = max(quantile_of(values, self._method.share), lower_end_of(values))

    def dump(self) -> Any:
        """The blocks as plain values."""
        block = self._highest, self._taken, self._threshold
        return list(self._maxima), list(self._lengths), block

    def load(self, data: Any) -> None:
        """Take over what `dump` gave."""
        maxima, lengths, (self._highest, self._taken, self._threshold) = data
        self._maxima, self._lengths = deque(maxima, LEAST), deque(lengths, LEAST)

    @property
    def _block(self) -> int:
        if isinstance(self._method.block, int):
            return self._method.block
        return max(self._lengths) // LEAST + 1

    def _number(self, fresh: Bucket) -> float | None:
        state: Any = fresh.states[self._part]
        if state is None:
            return None
        decides = state if self._place is None else state[self._place]
        try:
            return self._sign * float(decides)
        except (TypeError, ValueError, OverflowError):
            raise InputError(
                f"MaxLike predicts numbers, and {shown(decides)} is none; use "
                "SumLike(absolute=...), which bounds the number of updates, or Footprint"
            ) from None
