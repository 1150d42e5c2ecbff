"""What a trace tells of its sources: rate classes, how their items bunch, how their clocks differ.

Items have a time and a device; if it is known, how many bytes they had, and their period.
"""

from dataclasses import dataclass
from math import ceil, log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windrow.errors import InputError
from windrow.planning.topology.arrivals import Arrivals
from windrow.planning.topology.margin import SECONDS, log_poisson_tail
from windrow.planning.topology.model import Sources

__all__ = ["Measured", "Trace", "measured"]

_BLOCK_S = 60  # busiest seconds are compared minute by minute
_FEW_BLOCKS = 10
_EVEN = 1.5  # counts of Poisson have a variance of their mean; up to here that will do
_EULER = 0.5772156649015329
_HALVINGS = 60
_DIGITS = 1e-9
_BY_CHANCE = 0.05  # a second so busy that so many traces have one is no burst
_YEAR_S = 366 * 86_400.0
_LONGEST_S = 10 * _YEAR_S  # its seconds are counted one by one


@dataclass(frozen=True, eq=False)
class Trace:
    """Items in order of time: seconds from the first, the number of the device, bytes, period."""

    times_s: NDArray[np.float64]
    devices: NDArray[np.int64]
    sizes: NDArray[np.float64] | None = None
    periods: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        if len(self.times_s) < 2 or self.times_s[-1] <= self.times_s[0]:
            raise InputError(
                f"the trace has {len(self.times_s)} items in no time at all: rates cannot be told; "
                "give one that spans some minutes"
            )
        if self.seconds > _LONGEST_S:
            raise InputError(
                f"the trace spans {self.seconds / _YEAR_S:,.0f} years: times that are numbers are "
                "taken as seconds; give seconds, or timestamps"
            )

    @property
    def seconds(self) -> float:
        """How long it is."""
        return float(self.times_s[-1] - self.times_s[0])


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
    """Rate classes of its devices, the burst factors of its seconds, and the skew of its clocks."""
    seconds = np.floor(trace.times_s - trace.times_s[0]).astype(np.int64)
    counts = np.bincount(seconds)
    classes = _classes(trace)
    # What a class sends in each second, as long as the trace is.
    own = [classes == one for one in _known(classes)]
    items = [np.bincount(seconds[one], minlength=len(counts)) for one in own]
    bursts = tuple(_burst(one, trace.seconds) for one in items)
    heavy = (
        tuple(_byte_burst(trace, seconds, one) for one in own) if trace.sizes is not None else ()
    )
    return Measured(
        tuple(_sources(trace, classes, one) for one in _known(classes)),
        Arrivals(_burst(counts, trace.seconds), _skew(trace), "measured", bursts, heavy),
        trace.seconds,
        len(trace.times_s),
        int(counts.max()),
        _dispersion(counts),
    )


def _classes(trace: Trace) -> NDArray[np.int64]:
    """Of each item: devices whose rates and sizes are within a factor of two are of one class."""
    _, devices, items = np.unique(trace.devices, return_inverse=True, return_counts=True)
    sizes = np.zeros(len(items))
    if trace.sizes is not None:
        sizes = np.bincount(devices, weights=trace.sizes) / items
    labels = np.stack([np.floor(np.log2(items)), np.floor(np.log2(np.maximum(sizes, 1)))])
    _, classes = np.unique(labels, axis=1, return_inverse=True)
    return classes.astype(np.int64)[devices]


def _known(classes: NDArray[np.int64]) -> range:
    return range(int(classes.max()) + 1)


def _sources(trace: Trace, classes: NDArray[np.int64], number: int) -> Sources:
    own = classes == number
    devices, items = len(np.unique(trace.devices[own])), int(own.sum())
    sizes = np.zeros(items) if trace.sizes is None else trace.sizes[own]
    return Sources(
        devices,
        items / devices / trace.seconds,
        float(sizes.mean()),
        f"class {number + 1}",
        float(sizes.max()) if sizes.max() > sizes.mean() else None,
    )


def _byte_burst(trace: Trace, seconds: NDArray[np.int64], own: NDArray[np.bool_]) -> float:
    """The burst of a class's bytes, counted in items of the largest size, as plans reckon them."""
    assert trace.sizes is not None
    sizes = trace.sizes[own]
    weights = sizes / sizes.max() if sizes.any() else np.ones_like(sizes)
    length = int(seconds[-1]) + 1
    return _burst(np.bincount(seconds[own], weights=weights, minlength=length), trace.seconds)


def _dispersion(counts: NDArray[Any]) -> float:
    return float(counts.var() / counts.mean())


def _burst(counts: NDArray[Any], seconds: float) -> float:
    """Items of the busiest second to be expected in an hour, over those of an average one."""
    mean = float(counts.sum()) / seconds
    if _dispersion(counts) <= _EVEN:
        return max(1.0, _explained(ceil(counts.max() - _DIGITS), len(counts)) / mean)
    return max(1.0, _busiest(counts) / mean)


def _explained(busiest: int, seconds: int) -> float:
    """The mean of Poisson's counts that have a second so busy, in so many, now and then.

    Chance alone makes a busiest second; where that explains it, there is no burst.
    """
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


def _skew(trace: Trace) -> float:
    """The deviation of when devices change the period; 0 if the trace does not tell.

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
    return sqrt(max(variance, 0.0))
