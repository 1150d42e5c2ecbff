"""How much busier than an average second the busiest are: of many devices, and of single ones.

Chance alone makes a busiest second; only what it does not explain is a burst.
"""

from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windrow.topology.margin import SECONDS, log_poisson_tail

__all__ = ["burst", "busy_rates", "dispersion"]

_BLOCK_S = 60  # busiest seconds are compared minute by minute
_FEW_BLOCKS = 10
_EVEN = 1.5  # counts of Poisson have a variance of their mean; up to here that will do
_EULER = 0.5772156649015329
_HALVINGS = 60
_DIGITS = 1e-9
_BY_CHANCE = 0.05  # a second that this share of random traces would have is not a burst


def dispersion(counts: NDArray[Any]) -> float:
    """The variance of items a second over their mean: 1 for Poisson."""
    return float(counts.var() / counts.mean())


def burst(counts: NDArray[Any], seconds: float) -> float:
    """Items of the busiest second to be expected in an hour, over those of an average one."""
    mean = float(counts.sum()) / seconds
    if dispersion(counts) <= _EVEN:
        return max(1.0, _explained(int(_whole(counts.max())), len(counts)) / mean)
    return max(1.0, _busiest(counts) / mean)


def busy_rates(
    devices: NDArray[np.int64],
    seconds: NDArray[np.int64],
    length: int,
    seen: int,
    weights: NDArray[Any] | None = None,
) -> NDArray[np.float64]:
    """For each device, by its number: items of a busy second, or their weight.

    That is its mean, unless a second is so busy that chance does not explain it, among all the
    seconds of devices that were seen.
    """
    cells, places = np.unique(devices * length + seconds, return_inverse=True)
    owners, sums = cells // length, np.bincount(places, weights).astype(np.float64)
    means = np.bincount(owners, sums) / length
    is_even = np.bincount(owners, sums**2) / length - means**2 <= _EVEN * means
    busiest = np.maximum.reduceat(sums, np.searchsorted(owners, np.arange(len(means))))
    wholes, which = np.unique(_whole(busiest), return_inverse=True)
    explained = np.array([_explained(int(one), seen) for one in wholes])[which]
    busy = np.where(is_even, explained, busiest)
    return np.where(explained <= means, means, busy)


def _whole(busiest: Any) -> Any:
    """The fewest items that there can be, if not all weigh the same."""
    return np.maximum(np.ceil(busiest - _DIGITS), 1)


def _explained(busiest: int, seconds: int) -> float:
    """The mean of Poisson counts that occasionally have a second this busy."""
    low, high = 0.0, float(busiest)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_rarer = log_poisson_tail(middle, busiest) + log(seconds) < log(_BY_CHANCE)
        low, high = (middle, high) if is_rarer else (low, middle)
    return high


def _busiest(counts: NDArray[Any]) -> float:
    """Of an hour, by Gumbel's law fitted to the busiest second of each minute (L-moments)."""
    blocks = len(counts) // _BLOCK_S
    if blocks < _FEW_BLOCKS:
        return float(counts.max())
    maxima = np.sort(counts[: blocks * _BLOCK_S].reshape(blocks, _BLOCK_S).max(axis=1))
    first = float(maxima.mean())
    ranks = np.arange(blocks) / (blocks - 1)
    scale = max(2 * float((ranks * maxima).mean()) - first, 0.0) / log(2)
    in_an_hour = first - _EULER * scale + scale * log(SECONDS / _BLOCK_S)
    return max(in_an_hour, float(counts.max()))
