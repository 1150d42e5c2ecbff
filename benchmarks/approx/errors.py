"""How wrong results were: shares of exact ones, and the distribution of relative errors."""

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Floats
from windrow.approximate.interval import Intervals

__all__ = ["EDGES", "Errors"]

# Relative errors are counted in 20 classes for each power of ten.
EDGES = np.logspace(-12, 1, 13 * 20 + 1)
_EVERY = 16  # of which one is counted: neighbours are wrong alike


class Errors:
    """Results of one window, compared with exact ones."""

    def __init__(self) -> None:
        self.results = 0
        self.changes = 0
        self._right = self._right_changes = self._inside = self._bounded = self._exact = 0
        self._dishonest = 0
        self.largest = 0.0
        self._counts: NDArray[np.int64] = np.zeros(len(EDGES) + 1, np.int64)
        self._last = np.nan

    def add(self, found: Intervals, exact: Floats) -> None:
        """Compare some consecutive results."""
        values = np.ma.getdata(found.value)
        errors = np.abs(values - exact) / np.abs(exact)
        # Means are divided sums: their last digit may differ, and they are right.
        right = errors <= 4e-16
        changed = np.diff(exact, prepend=self._last) != 0
        self._last = exact[-1]
        self.results += len(exact)
        self.changes += int(changed.sum())
        self._right += int(right.sum())
        self._right_changes += int((right & changed).sum())
        self._exact += int(found.exact.sum())
        self._dishonest += int((found.exact & ~right).sum())
        known = ~np.ma.getmaskarray(found.low)
        low, high = np.ma.getdata(found.low), np.ma.getdata(found.high)
        slack = 4e-16 * np.abs(exact)
        inside = known & (low <= exact + slack) & (exact - slack <= high)
        self._bounded += int(known.sum())
        self._inside += int(inside.sum())
        self.largest = max(self.largest, float(errors.max()))
        places = np.searchsorted(EDGES, np.where(right, 0.0, errors)[::_EVERY])
        self._counts += np.bincount(places, minlength=len(EDGES) + 1)

    @property
    def right(self) -> float:
        """The share of results that were right."""
        return self._right / self.results

    @property
    def right_changes(self) -> float:
        """The same, of results that differ from the one before."""
        return self._right_changes / self.changes

    @property
    def exact(self) -> float:
        """The share of results that were called exact."""
        return self._exact / self.results

    @property
    def dishonest(self) -> int:
        """How many results were called exact and were not."""
        return self._dishonest

    @property
    def coverage(self) -> float:
        """Of all intervals, the share that the exact result was in."""
        return self._inside / self._bounded if self._bounded else 1.0

    @property
    def bounded(self) -> float:
        """The share of results that had an interval."""
        return self._bounded / self.results

    def percentiles(self) -> dict[str, float]:
        """The error that shares of the results do not exceed."""
        share = np.cumsum(self._counts) / self._counts.sum()
        tops = np.concatenate([[0.0], EDGES])
        ranks = [*range(1, 100), 99.9]
        return {f"p{rank:g}": float(tops[np.searchsorted(share, rank / 100)]) for rank in ranks} | {
            "max": self.largest
        }
