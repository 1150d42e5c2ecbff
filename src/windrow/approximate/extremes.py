"""The generalised extreme value distribution, fitted by probability-weighted moments.

The estimators are those of Hosking, Wallis and Wood (1985): closed forms, good for few numbers.
A distribution is a tuple: location, scale and shape, whose sign is Hosking's: below 0 there is no
upper end.  The functions are plain, so that kernels can compile them.
"""

from math import exp, gamma, inf, log
from typing import Any, TypeAlias

__all__ = ["ExtremeValues", "fit_sorted", "lower_end_of", "quantile_of"]

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
