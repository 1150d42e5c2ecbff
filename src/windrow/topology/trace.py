"""Measures a trace: rate classes of its sources, how bursty they are, how their clocks differ.

Items have a time and a device; if it is known, how many bytes they had, and their period.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from windrow.arguments import shown
from windrow.errors import InputError
from windrow.topology.arrivals import Arrivals
from windrow.topology.bursts import burst, busy_rates, dispersion
from windrow.topology.checks import require_kind
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
    classes = [
        _class(trace, number, devices, seconds, labels, busy)
        for number in range(int(labels.max()) + 1)
    ]
    bursts = zip(*(one.bursts for one in classes), strict=True)
    return Measured(
        tuple(one.sources for one in classes),
        Arrivals(burst(counts, trace.seconds), _skew(trace), "measured", *bursts),
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


@dataclass(frozen=True)
class _Class:
    """Sources, and the bursts of all together and of the busiest one: of items, and of bytes."""

    sources: Sources
    bursts: tuple[float, ...]


def _class(
    trace: Trace,
    number: int,
    devices: NDArray[np.int64],
    seconds: NDArray[np.int64],
    labels: NDArray[np.int64],
    busy: NDArray[np.float64],
) -> _Class:
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
        return _Class(sources, (bursts[0], bursts[0], bursts[1], bursts[1]))
    weights = sizes / largest  # in items of the largest size, as plans reckon them
    seen = length * len(labels)
    busiest = float(busy_rates(devices, seconds, length, seen, weights).max())
    heavy = [
        burst(np.bincount(seconds, weights, minlength=length), trace.seconds),
        max(busiest / (rate * mean / largest), 1.0),
    ]
    return _Class(sources, (bursts[0], heavy[0], bursts[1], heavy[1]))


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
