"""Measures a trace: rate classes of its sources, how bursty they are, how their clocks differ.

Items have a time and a device; if it is known, how many bytes they had, and their period.
"""

from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windrow.arguments import shown
from windrow.errors import InputError
from windrow.topology.arrivals import Arrivals
from windrow.topology.checks import require_kind
from windrow.topology.margin import SECONDS, log_poisson_tail
from windrow.topology.model import Sources

__all__ = ["Measured", "Trace", "measured"]

_DIGITS = 6  # of a second that clocks tell
_YEAR_S = 366 * 86_400.0
_LONGEST_S = 10 * _YEAR_S  # its seconds are counted one by one


@dataclass(frozen=True, eq=False)
class Trace:
    """Items in order of time: seconds since the first one, device numbers, bytes and periods.

    >>> Trace(np.array([0.0, 1.5, 3.0]), devices=np.array([0, 1, 0])).seconds
    3.0
    """

    times_s: NDArray[np.float64]
    devices: NDArray[np.int64]
    sizes: NDArray[np.float64] | None = None
    periods: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        for name, column in vars(self).items():
            if column is not None or name in ("times_s", "devices"):
                _require_numbers(column, name)
        if len(self.times_s) < 2 or self.times_s[-1] <= self.times_s[0]:
            raise InputError(
                f"the trace has {len(self.times_s)} items at a single moment, so rates are "
                "unknown; give one that spans some minutes"
            )
        if self.seconds > _LONGEST_S:
            raise InputError(
                f"the trace spans {self.seconds / _YEAR_S:,.0f} years: times that are numbers are "
                "taken as seconds; give seconds, or timestamps"
            )

    @property
    def seconds(self) -> float:
        """The time from the first item to the last."""
        return float(self.times_s[-1] - self.times_s[0])


def _require_numbers(column: object, name: str) -> None:
    if not isinstance(column, np.ndarray) or column.ndim != 1 or column.dtype.kind not in "iuf":
        raise InputError(
            f"{name}={shown(column)} is no column of numbers; give an array of one dimension, e.g. "
            f"{name}=np.array([0, 1, 2])"
        )


@dataclass(frozen=True)
class Measured:
    """What a plan needs to know of a trace."""

    sources: tuple[Sources, ...]
    arrivals: Arrivals
    seconds: float
    items: int
    busiest: int  # items of the busiest second
    dispersion: float  # variance of items a second over their mean: 1 for Poisson


def measured(trace: Trace) -> Measured:
    """The classes of devices in a trace, how bursty they are, and how far their clocks are off.

    >>> trace = Trace(np.arange(0.0, 60.0, 0.5), devices=np.arange(120) % 4)
    >>> [one] = measured(trace).sources
    >>> one.count, round(one.rate, 2)
    (4, 0.5)
    """
    require_kind(Trace, trace, "trace")
    seconds = np.floor(trace.times_s - trace.times_s[0]).astype(np.int64)
    _, devices = np.unique(trace.devices, return_inverse=True)
    counts = np.bincount(seconds)
    seen = len(counts) * (int(devices.max()) + 1)
    busy = busy_rates(devices, seconds, len(counts), seen)
    labels = _classes(trace, devices, busy)
    classes = (
        _class(trace, number, devices, seconds, labels, busy)
        for number in range(int(labels.max()) + 1)
    )
    sources, bursts = zip(*classes, strict=True)
    several = zip(*bursts, strict=True)
    return Measured(
        sources,
        Arrivals(burst(counts, trace.seconds), _skew(trace), "measured", *several),
        trace.seconds,
        len(trace.times_s),
        int(counts.max()),
        dispersion(counts),
    )


def _classes(
    trace: Trace, devices: NDArray[np.int64], busy: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Of each device: those that are alike within a factor of two are of one class.

    What is compared is how much they send, how large it is, and how much more they send at times.
    """
    items = np.bincount(devices)
    sizes = np.ones(len(items))
    if trace.sizes is not None:
        sizes = np.maximum(np.bincount(devices, weights=trace.sizes) / items, 1)
    alike = np.floor(np.log2([items, sizes, np.maximum(busy * trace.seconds / items, 1)]))
    _, classes = np.unique(alike, axis=1, return_inverse=True)
    return classes.reshape(-1).astype(np.int64)


def _class(
    trace: Trace,
    number: int,
    devices: NDArray[np.int64],
    seconds: NDArray[np.int64],
    labels: NDArray[np.int64],
    busy: NDArray[np.float64],
) -> tuple[Sources, tuple[float, ...]]:
    """Sources, and the bursts of all together and of the busiest one: of items, and of bytes."""
    length = int(seconds[-1]) + 1
    own = labels[devices] == number
    _, devices = np.unique(devices[own], return_inverse=True)
    count, seconds = int(devices.max()) + 1, seconds[own]
    rate = len(devices) / count / trace.seconds
    bursts = [
        burst(np.bincount(seconds, minlength=length), trace.seconds),
        max(float(busy[labels == number].max()) / rate, 1.0),
    ]
    sizes = np.zeros(len(devices)) if trace.sizes is None else trace.sizes[own]
    mean, largest = float(sizes.mean()), float(sizes.max())
    name, most = f"class {number + 1}", largest if largest > mean else None
    sources = Sources(count, rate, mean, name, most)
    if most is None:  # bytes come as items do
        return sources, (bursts[0], bursts[0], bursts[1], bursts[1])
    weights = sizes / largest  # in items of the largest size, as plans reckon them
    seen = length * len(labels)
    busiest = float(busy_rates(devices, seconds, length, seen, weights).max())
    heavy = [
        burst(np.bincount(seconds, weights, minlength=length), trace.seconds),
        max(busiest / (rate * mean / largest), 1.0),
    ]
    return sources, (bursts[0], heavy[0], bursts[1], heavy[1])


def _skew(trace: Trace) -> float:
    """The deviation of when devices change the period; 0 if the trace does not show it.

    A device changed between its last item of a period and its first of the next: the middle is
    taken, and what that guess adds to the variance is taken off.
    """
    if trace.periods is None:
        return 0.0
    order = np.lexsort((trace.times_s, trace.devices))
    times, devices, periods = (a[order] for a in (trace.times_s, trace.devices, trace.periods))
    changes = (devices[1:] == devices[:-1]) & (periods[1:] == periods[:-1] + 1)
    if not changes.any():
        return 0.0
    middles = (times[1:] + times[:-1])[changes] / 2
    gaps = np.diff(times)[changes]
    _, period = np.unique(periods[1:][changes], return_inverse=True)
    ideal = np.bincount(period, weights=middles) / np.bincount(period)
    variance = float(((middles - ideal[period]) ** 2 - gaps**2 / 12).mean())
    return round(sqrt(max(variance, 0.0)), _DIGITS)


# Chance alone makes a busiest second; only what it does not explain is a burst.
_BLOCK_S = 60  # busiest seconds are compared minute by minute
_FEW_BLOCKS = 10
_EVEN = 1.5  # counts of Poisson have a variance of their mean; up to here that will do
_EULER = 0.5772156649015329
_HALVINGS = 60
_ROUNDING = 1e-9
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
    return np.maximum(np.ceil(busiest - _ROUNDING), 1)


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
