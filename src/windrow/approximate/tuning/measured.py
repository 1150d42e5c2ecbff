"""What a setting costs and what it is worth: footprint, errors and intervals."""

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windrow.approximate.method import Method

__all__ = ["Answers", "Measured", "measured_of"]

# Floats that were added in another order differ in their last digits: that is no error.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Measured:
    """One setting on a sample; errors are shares of the exact result.

    Footprints are those of one window from when it has filled; errors and intervals are those of
    all results.  A bucket, or an update of an exact window, is two nodes of a forest.  Methods that
    learn have most buckets at first: the mean tells what they take in the long run.
    """

    method: Method | None  # None: the exact window
    mean_buckets: float
    peak_buckets: int
    mean_bytes: float
    peak_bytes: int
    of_exact: float  # bytes on average, as a share of those of the exact window
    median_error: float
    p99_error: float
    max_error: float  # infinite where an exact result is 0 and its approximation is not
    exact: float  # the share of results that are exact, and say so
    bounded: float  # the share of results that have an interval
    held: float  # the share of these whose interval contains the exact result
    width: float  # of intervals on average, as a share of the results' average magnitude

    @property
    def error(self) -> tuple[float, ...]:
        """How wrong it is: the largest error decides, and among equals the others do."""
        return self.max_error, self.p99_error, self.median_error


@dataclass(frozen=True)
class Answers:
    """Results and their intervals, one row for each update; NaN where there is none."""

    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    exact: NDArray[np.bool_]


def measured_of(
    method: Method,
    answers: Answers,
    truth: NDArray[np.float64],
    buckets: NDArray[np.int64],
    bytes_of_bucket: int,
    whole: Measured,
) -> Measured:
    """Compares answers with the exact results; `buckets` are counts at some moments.

    `whole` is the exact window.  Results that are not finite are left out: there is no share of
    them.
    """
    known = np.isfinite(truth)
    value, low, high, right = (
        array[known] for array in (answers.value, answers.low, answers.high, truth)
    )
    errors = _errors(value, right)
    slack = _ROUNDING * np.abs(right)
    bounded = np.isfinite(low) & np.isfinite(high)
    held = (low - slack <= right) & (right <= high + slack)
    magnitude, width = _mean(np.abs(right[bounded])), _mean((high - low)[bounded])
    # Errors that occurred, not numbers between two of them.
    median, p99, largest = np.quantile(errors, (0.5, 0.99, 1.0), method="higher").tolist()
    mean, peak = float(buckets.mean()), int(buckets.max())
    return Measured(
        method=method,
        mean_buckets=mean,
        peak_buckets=peak,
        mean_bytes=mean * bytes_of_bucket,
        peak_bytes=peak * bytes_of_bucket,
        of_exact=mean * bytes_of_bucket / whole.mean_bytes,
        median_error=median,
        p99_error=p99,
        max_error=largest,
        exact=float(answers.exact[known].mean()),
        bounded=float(bounded.mean()),
        held=_mean(held[bounded]) if bounded.any() else 1.0,
        width=width / magnitude if magnitude else (inf if width else 0.0),
    )


def _mean(numbers: NDArray[Any]) -> float:
    return float(numbers.mean()) if len(numbers) else 0.0


def _errors(value: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    away = np.abs(value - right)
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = away / np.abs(right)
    errors[away <= _ROUNDING * np.abs(right)] = 0.0
    errors[~np.isfinite(value)] = np.inf  # a result that should have been one
    return errors
