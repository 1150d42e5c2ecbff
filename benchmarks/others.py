"""The same aggregates by other libraries, as far as they have them."""

from collections.abc import Callable
from math import exp, log, sqrt
from typing import Any

import bottleneck
import numpy as np
import pandas as pd
from river import stats, utils

from benchmarks.data import Floats

__all__ = ["BOTTLENECK", "PANDAS", "RIVER", "RiverWindow"]

# From a column and the number of rows in a window to a result for each row.
Rolling = Callable[[Floats, int], Any]


def _rolling(values: Floats, window: int) -> Any:
    return pd.Series(values).rolling(window, min_periods=1)


PANDAS: dict[str, Rolling] = {
    "sum": lambda values, window: _rolling(values, window).sum().to_numpy(),
    "max": lambda values, window: _rolling(values, window).max().to_numpy(),
    "geometric mean": lambda values, window: np.exp(
        _rolling(np.log(values), window).mean().to_numpy()
    ),
    "std dev": lambda values, window: _rolling(values, window).std().to_numpy(),
}

BOTTLENECK: dict[str, Rolling] = {
    "sum": lambda values, window: bottleneck.move_sum(values, window, min_count=1),
    "max": lambda values, window: bottleneck.move_max(values, window, min_count=1),
    "geometric mean": lambda values, window: np.exp(
        bottleneck.move_mean(np.log(values), window, min_count=1)
    ),
    "std dev": lambda values, window: bottleneck.move_std(values, window, min_count=1, ddof=1),
}


class RiverWindow:
    """A rolling statistic of river's: one update after the other."""

    def __init__(
        self,
        statistic: Any,
        read: Callable[[float], float] = float,
        tell: Callable[[float], float] = float,
    ) -> None:
        self._update, self._get = statistic.update, statistic.get
        self._read, self._tell = read, tell

    def step(self, value: float) -> float:
        """Take a value in; the result for the window that ends with it."""
        self._update(self._read(value))
        return self._tell(self._get())


RIVER: dict[str, Callable[[int], RiverWindow]] = {
    "sum": lambda window: RiverWindow(utils.Rolling(stats.Sum, window_size=window)),
    "max": lambda window: RiverWindow(stats.RollingMax(window)),
    "geometric mean": lambda window: RiverWindow(
        utils.Rolling(stats.Mean, window_size=window), log, exp
    ),
    "std dev": lambda window: RiverWindow(
        utils.Rolling(stats.Var, window_size=window), float, sqrt
    ),
}
