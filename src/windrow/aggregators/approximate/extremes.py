"""The generalised extreme value distribution, fitted by probability-weighted moments.

The estimators are those of Hosking, Wallis and Wood (1985): closed forms, good for few numbers.
"""

from collections.abc import Sequence
from math import exp, gamma, inf, log
from typing import NamedTuple

__all__ = ["ExtremeValues", "fitted"]

_EULER = 0.5772156649015329
_FLAT = 1e-6  # a shape this near to zero is Gumbel's: the other formula divides by it


class ExtremeValues(NamedTuple):
    """Location, scale and shape; the shape's sign is Hosking's: below 0 there is no upper end."""

    location: float
    scale: float
    shape: float

    def quantile(self, share: float) -> float:
        """The value that is not exceeded with this probability."""
        reduced = -log(share)
        if abs(self.shape) < _FLAT:
            return self.location - self.scale * log(reduced)
        return self.location + self.scale * (1 - exp(self.shape * log(reduced))) / self.shape

    @property
    def lower_end(self) -> float:
        """The least value there can be."""
        return self.location + self.scale / self.shape if self.shape < -_FLAT else -inf


def fitted(maxima: Sequence[float]) -> ExtremeValues:
    """The distribution of block maxima."""
    ordered = sorted(maxima)
    number = len(ordered)
    first = second = third = 0.0
    for place, value in enumerate(ordered):
        first += value
        second += value * place / (number - 1)
        third += value * place * (place - 1) / ((number - 1) * (number - 2))
    first, second, third = first / number, second / number, third / number
    spread = 2 * second - first
    if spread <= 0 or 3 * third - first == 0:
        return ExtremeValues(first, 0.0, 0.0)  # all alike
    skew = spread / (3 * third - first) - log(2) / log(3)
    shape = max(7.8590 * skew + 2.9554 * skew * skew, -0.99)
    if abs(shape) < _FLAT:
        scale = spread / log(2)
        return ExtremeValues(first - _EULER * scale, scale, 0.0)
    bend = gamma(1 + shape)
    scale = spread * shape / (bend * -_expm1(-shape * log(2)))
    return ExtremeValues(first + scale * (bend - 1) / shape, scale, shape)


def _expm1(power: float) -> float:
    return exp(power) - 1
