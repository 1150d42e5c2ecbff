"""What a trace tells, where it is known: rates, classes, bursts and skews."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.topology.traces import poisson, skewed_clocks, ticking, trace_of
from windrow import topology
from windrow.errors import InputError
from windrow.topology import Trace, measured

THREE_DECADES = [0.01] * 200 + [0.1] * 100 + [1.0] * 50 + [10.0] * 5


def found_bytes(sizes: NDArray[np.float64]) -> float:
    """Of the heaviest storm of sixty items."""
    return float(sizes.reshape(-1, 60).sum(axis=1).max())


@given(
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 20)), min_size=2, max_size=200),
    st.booleans(),
)
def test_classes_have_all_devices_and_send_all_there_is(
    rows: list[tuple[int, int]], with_sizes: bool
) -> None:
    milliseconds, devices = (np.array(column) for column in zip(*rows, strict=True))
    times = milliseconds / 1_000
    if np.ptp(times) == 0:
        return
    sizes = 10.0 ** (devices % 5) if with_sizes else None
    found = measured(trace_of(times, devices, sizes))
    seconds = np.ptp(times)
    assert sum(one.count for one in found.sources) == len(set(devices.tolist()))
    assert sum(one.items for one in found.sources) == pytest.approx(len(rows) / seconds)
    sent = sum(one.items * one.item_bytes for one in found.sources)
    assert sent == pytest.approx(0 if sizes is None else sizes.sum() / seconds)
    assert found.items == len(rows)
    assert found.seconds == pytest.approx(seconds)
    assert found.arrivals.burst >= 1


def test_classes_hold_devices_of_about_one_rate() -> None:
    times, devices = poisson(3, THREE_DECADES, 3_600)
    found = measured(trace_of(times, devices)).sources
    rates = sorted(one.rate for one in found)
    assert rates[0] < 0.02
    assert rates[-1] == pytest.approx(10, rel=0.05)
    own = np.bincount(devices) / np.ptp(times)
    for rate in (0.1, 1.0, 10.0):
        near = [one for one in found if rate / 2 < one.rate < rate * 2]
        assert sum(one.count for one in near) == np.sum((own > rate / 2) & (own < rate * 2))


def test_devices_of_other_sizes_are_other_classes() -> None:
    times, devices = poisson(4, [1.0] * 20, 600)
    sizes = np.where(devices < 5, 50_000.0, 100.0)
    found = measured(trace_of(times, devices, sizes)).sources
    assert {one.item_bytes for one in found} == {50_000.0, 100.0}
    assert sum(one.count for one in found if one.item_bytes == 50_000) == 5


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "rates", [[0.5] * 500, THREE_DECADES, [1 / 60] * 240, [1 / 60] * 20, [20.0]]
)
def test_independent_items_have_no_burst(seed: int, rates: list[float]) -> None:
    found = measured(trace_of(*poisson(seed, rates, 3_600)))
    assert found.arrivals.burst == pytest.approx(1, abs=0.2)
    assert found.dispersion == pytest.approx(1, abs=0.2)


@pytest.mark.parametrize("seed", range(3))
def test_single_devices_that_send_by_chance_have_no_bursts(seed: int) -> None:
    found = measured(trace_of(*poisson(seed, THREE_DECADES, 3_600)))
    # Classes hold rates within a factor of two: the busiest may have twice the mean.
    assert max(found.arrivals.source_bursts) < 2.2


@pytest.mark.parametrize("with_sizes", [False, True])
def test_a_device_that_bursts_is_a_class_of_its_own(with_sizes: bool) -> None:
    times, devices = poisson(11, [1.0] * 50, 900)
    storms = np.repeat(np.arange(15) * 60.0, 60)
    sizes = np.repeat([100.0, 100.0], [len(times), len(storms)])
    sizes[::7] = 1_000.0
    found = measured(
        trace_of(
            np.concatenate([times, storms]),
            np.concatenate([devices, np.full(len(storms), 50)]),
            sizes if with_sizes else None,
        )
    )
    in_busy_seconds = {
        one.count: (one.rate * burst, one.rate * byte_burst * one.item_bytes)
        for one, burst, byte_burst in zip(
            found.sources,
            found.arrivals.source_bursts,
            found.arrivals.source_byte_bursts,
            strict=True,
        )
    }
    items, bytes_ = in_busy_seconds[1]
    assert items == pytest.approx(60)
    assert bytes_ == pytest.approx(found_bytes(sizes[len(times) :]) if with_sizes else 0, rel=0.02)


@pytest.mark.parametrize("seconds", [60, 3_600])
def test_a_common_tick_bursts_as_it_must(seconds: float) -> None:
    found = measured(trace_of(*ticking(500, 0.5, seconds)))
    assert found.busiest == 500
    assert found.arrivals.burst == pytest.approx(2, rel=2 / seconds + 0.01)
    in_the_busiest = found.arrivals.burst * sum(one.items for one in found.sources)
    assert in_the_busiest == pytest.approx(500)


def test_a_storm_now_and_then_is_a_burst() -> None:
    times, devices = poisson(5, [0.5] * 200, 3_600)
    storms = np.repeat(np.arange(120, 3_600, 600) + 0.5, 200)
    everyone = np.tile(np.arange(200), len(storms) // 200)
    found = measured(trace_of(np.concatenate([times, storms]), np.concatenate([devices, everyone])))
    mean = (len(times) + len(storms)) / found.seconds
    assert found.arrivals.burst * mean >= found.busiest


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("skew", [0.5, 2.0, 5.0])
def test_skews_of_clocks_are_found(seed: int, skew: float) -> None:
    columns = poisson(seed, [1.0] * 300, 1_200)
    periods = skewed_clocks(seed + 100, columns, 60, skew)
    found = measured(trace_of(*columns, periods=periods)).arrivals.skew_s
    assert found == pytest.approx(skew, rel=0.2)


def test_clocks_without_skew_have_next_to_none() -> None:
    columns = poisson(7, [2.0] * 300, 1_200)
    found = measured(trace_of(*columns, periods=skewed_clocks(0, columns, 60, 0.0)))
    assert found.arrivals.skew_s < 0.1


def test_a_trace_without_periods_tells_no_skew() -> None:
    assert measured(trace_of(*poisson(8, [1.0] * 10, 100))).arrivals.skew_s == 0


def test_a_trace_of_a_single_period_tells_no_skew() -> None:
    times, devices = poisson(8, [1.0] * 10, 100)
    found = measured(trace_of(times, devices, periods=np.zeros(len(times), np.int64)))
    assert found.arrivals.skew_s == 0


def test_what_is_measured_can_be_planned() -> None:
    times, devices = ticking(500, 0.5, 600)
    found = measured(trace_of(times, devices))
    plan = topology.plan(found.sources, nodes=20, arrivals=found.arrivals, loss=0.01)
    assert plan.widths[0] > 500 / 20
    assert plan.rate == pytest.approx(len(times) / found.seconds)


@pytest.mark.parametrize("times", [[], [5.0], [5.0, 5.0]])
def test_a_trace_of_no_length_is_refused(times: list[float]) -> None:
    with pytest.raises(InputError, match=f"has {len(times)} items at a single moment"):
        Trace(np.array(times), np.zeros(len(times), np.int64))
