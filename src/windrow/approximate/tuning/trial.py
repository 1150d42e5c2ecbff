"""A trial: windows over a sample, exact ones and such of buckets, side by side."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.lookup import registered
from windrow.algebra.monoid import numeric_of
from windrow.algebra.numeric import FLOAT
from windrow.approximate.compiled.operator import BucketPart, make_bucket_operator
from windrow.approximate.compiled.watched import nothing_watched, time_watched
from windrow.approximate.compiled_approximate_amta import CompiledApproximateAmta
from windrow.approximate.families import bound_code
from windrow.approximate.method import Method
from windrow.approximate.tuning.measured import Answers, Measured, measured_of
from windrow.errors import AggregateError, InputError, WindowError
from windrow.rolling.roll import roll
from windrow.windows import TrailingRows, TrailingTime

__all__ = ["Series", "Trial", "tunable"]

_CELL = 8  # bytes of a field
_NODES = 2  # of a forest, for each of its leaves
_MOMENTS = 500  # at which footprints are looked at, in all
_FEWEST_MOMENTS = 50  # of one series


@dataclass(frozen=True)
class Series:
    """The updates of one key in order: float64 or int64, masked where null; times in microseconds.

    A sample without keys is one series.
    """

    values: Any
    times: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.values)


def tunable() -> list[str]:
    """The names of aggregates that have a compiled window of buckets."""
    names = []
    for name, entry in registered().items():
        example = None if entry.bulky else entry.example
        if example is not None and _code_of(example, FLOAT) is not None:
            names.append(name)
    return names


def _code_of(aggregate: Aggregate[Any], dtype: np.dtype[Any]) -> Any:
    return bound_code(aggregate, dtype if aggregate.columns else None)


class Trial:
    """Tries methods on one aggregate of a sample's windows.

    >>> from windrow import agg, window
    >>> from windrow.approximate import Footprint
    >>> sample = Series(np.arange(1.0, 101.0))
    >>> trial = Trial(agg.mean(), window.trailing(rows=50), [sample])
    >>> tried = trial.of(Footprint(10))
    >>> tried.peak_buckets, tried.held, tried.max_error < 0.2
    (10, 1.0, True)
    """

    def __init__(
        self,
        aggregate: Aggregate[Any],
        window: TrailingRows | TrailingTime,
        series: Sequence[Series],
    ) -> None:
        # By position: the sample's columns have been found already.
        self._aggregate = replace(aggregate, columns=(), tolerance=None)
        self._window = window
        self._dtype = np.dtype(series[0].values.dtype)
        filled = [_filled(own, window) for own in series]
        self._series = [own for own, at in zip(series, filled, strict=True) if at is not None]
        if not self._series:
            longest = max(map(len, series), default=0)
            raise WindowError(
                f"{window!r} never fills: the longest series of the sample has {longest:,} rows; "
                "give a smaller window, or a longer sample"
            )
        # The rows at which each series is measured, once the window has filled.
        moments = max(_MOMENTS // len(self._series), _FEWEST_MOMENTS)
        self._moments = [
            np.unique(np.linspace(at, len(own), moments, dtype=np.int64))
            for own, at in zip(self._series, (at for at in filled if at is not None), strict=True)
        ]
        self.bytes_of_bucket = _NODES * _CELL * self._fields_of_bucket()
        self.bytes_of_update = _NODES * _CELL * self._fields_of_update()
        self._truth = np.concatenate([self._results(own) for own in self._series])
        if not np.isfinite(self._truth).any():
            raise InputError(
                f"{aggregate!r} has no finite result in the sample; give a sample with numbers"
            )
        self.exact = self._whole()

    @property
    def series(self) -> int:
        """How many series fill a window, and are tried."""
        return len(self._series)

    @property
    def rows(self) -> int:
        """How many rows they have."""
        return sum(map(len, self._series))

    def of(self, method: Method) -> Measured:
        """What windows cost and tell that share buckets so."""
        found = [
            self._run(method, own, moments)
            for own, moments in zip(self._series, self._moments, strict=True)
        ]
        answers = [part for parts, _ in found for part in parts]
        value, low, high = (
            np.concatenate([_floats(part[k]) for part in answers]) for k in range(3)
        )
        together = Answers(value, low, high, np.concatenate([part.exact for part in answers]))
        buckets = np.concatenate([seen for _, seen in found])
        return measured_of(method, together, self._truth, buckets, self.bytes_of_bucket, self.exact)

    def _run(
        self, method: Method, series: Series, moments: NDArray[np.int64]
    ) -> tuple[list[Any], NDArray[np.int64]]:
        """The intervals of all updates, and the number of buckets at each moment."""
        window = CompiledApproximateAmta(
            self._aggregate,
            method,
            policy=self._window if isinstance(self._window, TrailingTime) else None,
            dtypes=(self._dtype,),
        )
        at_most = self._window.reach_rows
        columns = [series.values]
        if self._window.reach_us is not None:
            columns.append(series.times)
        parts, buckets, start = [], [], 0
        for end in moments.tolist():
            parts.append(window.roll(*(column[start:end] for column in columns), at_most=at_most))
            buckets.append(window.buckets)
            start = end
        return parts, np.array(buckets, np.int64)

    def _results(self, series: Series) -> NDArray[np.float64]:
        """The exact results; NaN for null."""
        given = pa.array(np.ma.getdata(series.values), mask=np.ma.getmaskarray(series.values))
        found = roll(given, self._aggregate, self._window, times=series.times)
        results: NDArray[np.float64] = found.cast(pa.float64(), safe=False).to_numpy(
            zero_copy_only=False
        )
        return results

    def _whole(self) -> Measured:
        """The exact window."""
        updates = np.concatenate(
            [
                _updates(own, self._window)[moments[0] - 1 :]
                for own, moments in zip(self._series, self._moments, strict=True)
            ]
        )
        mean, peak = float(updates.mean()), int(updates.max())
        return Measured(
            method=None,
            mean_buckets=mean,
            peak_buckets=peak,
            mean_bytes=mean * self.bytes_of_update,
            peak_bytes=peak * self.bytes_of_update,
            of_exact=1.0,
            median_error=0.0,
            p99_error=0.0,
            max_error=0.0,
            exact=1.0,
            bounded=1.0,
            held=1.0,
            width=0.0,
        )

    def _fields_of_bucket(self) -> int:
        code = _code_of(self._aggregate, self._dtype)
        if code is None:
            raise AggregateError(
                f"{self._aggregate!r} of {self._dtype} has no compiled window of buckets; "
                f"give one of {', '.join(tunable())}"
            )
        timed = self._window.reach_us is not None
        watch = time_watched(1, 0) if timed else nothing_watched()
        part = BucketPart(code, 0 if self._aggregate.columns else None)
        return len(make_bucket_operator([part], watch).state)

    def _fields_of_update(self) -> int:
        dtypes = (self._dtype,) * len(self._aggregate.columns)
        numeric = numeric_of(self._aggregate.monoid, dtypes)
        assert numeric is not None  # what has compiled bounds has a numeric form
        return len(numeric.state) + (self._window.reach_us is not None)  # and its time


def _filled(series: Series, window: TrailingRows | TrailingTime) -> int | None:
    """After how many rows a window has filled; None if no row ever leaves one."""
    if window.reach_rows is not None:
        return window.reach_rows if window.reach_rows < len(series) else None
    assert window.reach_us is not None
    assert series.times is not None
    if not len(series) or series.times[-1] - series.times[0] < window.reach_us:
        return None
    return int(np.searchsorted(series.times, series.times[0] + window.reach_us)) + 1


def _updates(series: Series, window: TrailingRows | TrailingTime) -> NDArray[np.int64]:
    """How many updates the window has at each row."""
    ends = np.arange(1, len(series) + 1)
    if window.reach_rows is not None:
        return np.minimum(ends, window.reach_rows)
    assert window.reach_us is not None
    assert series.times is not None
    starts = np.searchsorted(series.times, series.times - window.reach_us, side="right")
    held: NDArray[np.int64] = ends - starts
    return held


def _floats(ends: Any) -> NDArray[np.float64]:
    """Numbers as floats, NaN where they are masked."""
    found: NDArray[np.float64] = np.ma.filled(ends.astype(np.float64), np.nan)
    return found
