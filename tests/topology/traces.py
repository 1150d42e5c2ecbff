"""Traces that are drawn, with rates, ticks, periods and clocks that are known."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from windrow.topology import Trace

__all__ = ["poisson", "skewed_clocks", "ticking", "trace_of"]

Columns = tuple[NDArray[np.float64], NDArray[np.int64]]


def trace_of(
    times: NDArray[np.float64],
    devices: NDArray[np.int64],
    sizes: NDArray[np.float64] | None = None,
    periods: NDArray[np.int64] | None = None,
) -> Trace:
    """In order of time, from the first on."""
    order = np.argsort(times, kind="stable")
    return Trace(
        times[order] - times[order[0]],
        devices[order],
        None if sizes is None else sizes[order],
        None if periods is None else periods[order],
    )


def poisson(seed: int, rates: Sequence[float], seconds: float) -> Columns:
    """Each device by itself, at its rate."""
    random = np.random.default_rng(seed)
    counts = random.poisson(np.asarray(rates) * seconds)
    return random.uniform(0, seconds, counts.sum()), np.repeat(np.arange(len(rates)), counts)


def ticking(devices: int, rate: float, seconds: float) -> Columns:
    """All devices at the same moments."""
    ticks = np.arange(int(seconds * rate)) / rate
    return np.tile(ticks, devices), np.repeat(np.arange(devices), len(ticks))


def skewed_clocks(seed: int, columns: Columns, period_s: float, skew_s: float) -> NDArray[np.int64]:
    """The period of each item, by the clock of its device."""
    times, devices = columns
    clocks = np.random.default_rng(seed).normal(0, skew_s, int(devices.max()) + 1)
    return np.floor((times - clocks[devices]) / period_s).astype(np.int64)
