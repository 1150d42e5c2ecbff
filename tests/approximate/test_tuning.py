"""Settings tried on a sample: figures recomputed plainly, the frontier, and what to take."""

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np
import pytest

from windrow import agg, window
from windrow.approximate import ApproximateAmta, Footprint, MaxLike, SumLike
from windrow.approximate.tuning import (
    Measured,
    Target,
    Why,
    frontier,
    knee,
    recommend,
    settings_for,
)
from windrow.approximate.tuning.trial import Series, Trial, tunable
from windrow.errors import AggregateError, InputError, WindowError

pytestmark = pytest.mark.xdist_group("tuning")  # one process compiles the windows

WINDOW = 60
MEAN_FIELDS = 6  # size, total, least and most prefix, magnitude, values
MAX_FIELDS = 5  # size; the greatest of all and of all but the first, and whether there is one


def numbers(rows: int = 400) -> list[float | None]:
    """Readings around 20 that waver, some of them missing."""
    drawn = np.random.default_rng(3).normal(20.0, 3.0, rows)
    return [None if row % 17 == 5 else round(float(x), 2) for row, x in enumerate(drawn)]


def series(values: Sequence[float | None], times: Any = None) -> Series:
    masked = np.ma.masked_invalid(np.array(values, float))
    return Series(masked, None if times is None else np.array(times, np.int64))


def plain(kind: str, values: Sequence[float | None], rows: int, method: Any) -> dict[str, float]:
    """What a trial should find, from the window of Python's objects and lists of values."""
    kept = ApproximateAmta({"mean": agg.mean, "max": agg.max}[kind](), method)
    buckets, errors, exact, bounded, held, widths, sizes = [], [], [], [], [], [], []
    for row, value in enumerate(values):
        kept.insert(value)
        kept.evict(max(len(kept) - rows, 0))
        if row + 1 >= rows:
            buckets.append(kept.buckets)
        found = kept.query()
        inside = [x for x in values[max(row + 1 - rows, 0) : row + 1] if x is not None]
        truth = max(inside) if kind == "max" else sum(inside) / len(inside)
        error = abs(found.value - truth) / abs(truth)
        errors.append(error if error > 1e-9 else 0.0)
        exact.append(found.exact)
        bounded.append(found.low is not None)
        if found.low is not None:
            held.append(found.low - 1e-9 <= truth <= found.high + 1e-9)
            widths.append(found.high - found.low)
            sizes.append(abs(truth))
    errors.sort()
    return {
        "mean_buckets": sum(buckets) / len(buckets),
        "peak_buckets": max(buckets),
        "median_error": errors[len(errors) // 2],
        "p99_error": errors[-(-99 * (len(errors) - 1) // 100)],
        "max_error": errors[-1],
        "exact": sum(exact) / len(exact),
        "bounded": sum(bounded) / len(bounded),
        "held": sum(held) / len(held),
        "width": sum(widths) / sum(sizes),
    }


def figures(measured: Measured, names: Sequence[str]) -> dict[str, float]:
    return {name: getattr(measured, name) for name in names}


@pytest.fixture(scope="module")
def trial() -> Trial:
    return Trial(agg.mean("temp"), window.trailing(rows=WINDOW), [series(numbers())])


@pytest.mark.parametrize(
    "method", [SumLike(relative=0.05), SumLike(relative=0.2), Footprint(5), Footprint(20)]
)
def test_figures_are_those_of_a_plain_recomputation(trial: Trial, method: Any) -> None:
    expected = plain("mean", numbers(), WINDOW, method)
    found = trial.of(method)
    assert figures(found, list(expected)) == pytest.approx(expected, rel=1e-6, abs=1e-12)
    assert found.held == 1.0
    assert found.peak_bytes == found.peak_buckets * 2 * 8 * MEAN_FIELDS
    assert found.mean_bytes == pytest.approx(found.mean_buckets * 2 * 8 * MEAN_FIELDS)
    # An exact window keeps a sum and a count of each update.
    assert found.of_exact == pytest.approx(found.mean_bytes / (WINDOW * 2 * 8 * 2))


def test_a_recomputation_of_another_window_does_not_agree(trial: Trial) -> None:
    wrong = plain("mean", numbers(), WINDOW + 1, Footprint(5))
    found = figures(trial.of(Footprint(5)), list(wrong))
    assert found != pytest.approx(wrong, rel=1e-6, abs=1e-12)


@pytest.mark.slow
def test_extrema_are_tried_too() -> None:
    tried = Trial(agg.max("temp"), window.trailing(rows=WINDOW), [series(numbers())])
    for method in (MaxLike(), MaxLike(3)):
        expected = plain("max", numbers(), WINDOW, method)
        found = tried.of(method)
        assert figures(found, list(expected)) == pytest.approx(expected, rel=1e-6, abs=1e-12)
        assert found.peak_bytes == found.peak_buckets * 2 * 8 * MAX_FIELDS


def test_keys_have_windows_of_their_own_and_pool_their_results(trial: Trial) -> None:
    values = numbers()
    first, second, short = values[:150], values[150:], values[:WINDOW]
    both = Trial(
        agg.mean(), window.trailing(rows=WINDOW), [series(x) for x in (first, second, short)]
    )
    assert (both.series, both.rows) == (2, 400)  # one of them never fills a window
    found = both.of(Footprint(10))
    parts = [plain("mean", own, WINDOW, Footprint(10)) for own in (first, second)]
    assert found.peak_buckets == max(part["peak_buckets"] for part in parts)
    assert found.max_error == pytest.approx(max(part["max_error"] for part in parts))
    assert found.exact == pytest.approx((150 * parts[0]["exact"] + 250 * parts[1]["exact"]) / 400)


@pytest.mark.slow
def test_a_window_of_time_holds_what_is_younger_than_it_is_long() -> None:
    values = [float(x) for x in range(1, 121)]
    times = [10 * row + row % 3 for row in range(120)]
    tried = Trial(agg.mean(), window.trailing("200us"), [series(values, times)])
    updates = [sum(t - 200 < other <= t for other in times[: k + 1]) for k, t in enumerate(times)]
    filled = next(k for k, t in enumerate(times) if t - times[0] >= 200)
    assert tried.exact.peak_buckets == max(updates[filled:])
    assert tried.exact.mean_buckets == pytest.approx(np.mean(updates[filled:]))
    found = tried.of(Footprint(4))
    assert found.peak_buckets == 4
    assert found.held == 1.0
    assert 0 < found.max_error < 0.2


def test_what_cannot_be_tried_is_refused() -> None:
    with pytest.raises(WindowError, match=r"rows=400\) never fills: .* has 400 rows"):
        Trial(agg.mean(), window.trailing(rows=400), [series(numbers())])
    with pytest.raises(InputError, match="has no finite result"):
        Trial(agg.mean(), window.trailing(rows=3), [series([None] * 10)])
    with pytest.raises(AggregateError, match=r"give one of .*mean"):
        Trial(agg.median(), window.trailing(rows=3), [series(numbers())])


def test_what_is_tunable_has_compiled_bounds() -> None:
    found = set(tunable())
    assert found >= {"count", "sum", "mean", "variance", "stddev", "min", "max"}
    assert not found & {"median", "distinct", "concat", "argmax"}


def test_settings_suit_the_aggregate_and_the_window() -> None:
    sums = settings_for(agg.sum(), 1_000, 10_000, relative=0.003, buckets=77)
    bounds = [one.relative for one in sums if isinstance(one, SumLike)]
    limits = [one.buckets for one in sums if isinstance(one, Footprint)]
    assert len(bounds) + len(limits) == len(sums)
    assert bounds[0] == 1e-6
    assert bounds[-1] == 0.2
    assert 0.003 in bounds
    assert limits == [5, 10, 20, 50, 77, 100, 200, 500, 1_000]
    extrema = settings_for(agg.max(), 1_000, 10_000, confidence=0.9)
    blocks = [one.block for one in extrema if isinstance(one, MaxLike)]
    # Thirty blocks must be over half-way through the sample.
    assert blocks == ["auto", 2, 5, 10, 20, 50, 100]
    assert all(one.confidence == 0.9 for one in extrema if isinstance(one, MaxLike))


def measured(size: float, error: float, *, peak: int = 0, method: Any = None) -> Measured:
    return Measured(
        method=method or Footprint(1),
        mean_buckets=size,
        peak_buckets=peak or int(size),
        mean_bytes=size,
        peak_bytes=peak or int(size),
        of_exact=0.5,
        median_error=error,
        p99_error=error,
        max_error=error,
        exact=0.5,
        bounded=1.0,
        held=1.0,
        width=error,
    )


def test_the_frontier_rises_in_footprint_and_falls_in_error() -> None:
    rng = np.random.default_rng(8)
    tried = [measured(*pair) for pair in rng.integers(1, 60, (200, 2)).tolist()]
    kept = frontier(tried)
    sizes, errors = [one.mean_bytes for one in kept], [one.max_error for one in kept]
    assert sizes == sorted(set(sizes))
    assert errors == sorted(set(errors), reverse=True)
    for one in tried:
        beaten = any(
            other.mean_bytes <= one.mean_bytes
            and other.max_error <= one.max_error
            and (other.mean_bytes, other.max_error) != (one.mean_bytes, one.max_error)
            for other in tried
        )
        same = [o for o in kept if (o.mean_bytes, o.max_error) == (one.mean_bytes, one.max_error)]
        assert beaten != bool(same)


def test_the_knee_is_where_the_frontier_bends() -> None:
    bend = measured(100, 0.01)
    steep, flat = [measured(90, 0.5), measured(95, 0.1)], [measured(1e4, 0.009)]
    assert knee([*steep, bend, *flat, measured(1e5, 0.0)]) is bend
    assert knee([measured(10, inf), measured(20, 0.0)]).max_error == 0.0


def test_a_recommendation_meets_its_target() -> None:
    tried = [measured(10, 0.1, peak=80), measured(20, 0.05), measured(40, 0.01), measured(80, 0.0)]
    within = recommend(tried, Target(error=0.05))
    assert (within.chosen.mean_bytes, within.why) == (20, Why.MEETS)
    # The first has fewer bytes on average, but needs more of them at times.
    fitting = recommend(tried, Target(bytes=25))
    assert (fitting.chosen.mean_bytes, fitting.why) == (20, Why.MEETS)
    too_small = recommend(tried, Target(bytes=5))
    assert (too_small.chosen.mean_bytes, too_small.why) == (20, Why.NEAREST)
    too_exact = recommend(tried[:2], Target(error=0.001))
    assert (too_exact.chosen.mean_bytes, too_exact.why) == (20, Why.NEAREST)
    assert recommend(tried, Target()).why is Why.KNEE


def test_an_exact_window_is_recommended_with_the_nearest_that_is_smaller() -> None:
    whole = Measured(**{**vars(measured(80, 0.0)), "method": None})
    nearest = measured(40, 0.01)
    found = recommend([whole, measured(20, 0.05), nearest], Target(error=0.001))
    assert (found.chosen, found.why, found.runner_up) == (whole, Why.MEETS, nearest)
