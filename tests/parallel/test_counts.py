"""The formulas give what simulated units count, up to 64 of them; and the bars hold."""

from dataclasses import astuple, replace
from typing import Any

import pytest

from windrow import agg
from windrow.errors import InputError
from windrow.parallel.counts import Counts, Delivery, best_block, counts, largest_share
from windrow.parallel.methods import Method
from windrow.parallel.simulation import Simulated, simulate, simulate_trailing
from windrow.parallel.simulation.unit import stable_hash
from windrow.parallel.trailing import trailing_counts
from windrow.parallel.workload import Travel, Workload
from windrow.windows import Aligned

UNITS = [1, 3, 7, 64]
HASHED = (Method.HANDSHAKE, Method.HASH_ONCE)
IN_TURN = (Method.ROUND_ROBIN, Method.ROUND_ROBIN_CYCLIC, Method.PANES)

#: Overlapping windows, 1000/270, gaps between windows, tumbling ones of several keys.
WORKLOADS = [
    Workload(rows=270, spacing=1, size=60, every=10),
    Workload(rows=270, spacing=10, size=1_000, every=270, keys=3, offset=30, start=-1_320),
    Workload(rows=280, spacing=5, size=40, every=100, keys=2),
    Workload(rows=300, spacing=1, size=50, every=50, keys=5, start=-100),
]


def both(
    method: Method, workload: Workload, units: int, delivery: Delivery = Delivery.OWNERS
) -> tuple[Simulated, Counts]:
    block = best_block(workload, units)
    rows = [
        (workload.start + n * workload.spacing, n % workload.keys, 1) for n in range(workload.rows)
    ]
    window = Aligned(workload.size, workload.every, workload.offset)
    options: dict[str, Any] = {"block": block, "delivery": delivery}
    found = simulate(
        rows, window, method, units, aggregate=agg.count(), travel=workload.travel, **options
    )
    return found, counts(method, workload, units, **options)


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda w: f"{w.size}/{w.every}")
@pytest.mark.parametrize("units", UNITS)
def test_windows_in_turn_cost_exactly_what_the_formulas_say(workload: Workload, units: int) -> None:
    for method in IN_TURN:
        for delivery in Delivery:
            found, told = both(method, workload, units, delivery)
            assert astuple(found.total) == pytest.approx(astuple(told.total))
            for counted, most in zip(astuple(found.busiest), astuple(told.busiest), strict=True):
                assert counted <= most + 1e-6


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda w: f"{w.size}/{w.every}")
@pytest.mark.parametrize("units", UNITS)
def test_what_a_hash_spreads_is_as_expected(workload: Workload, units: int) -> None:
    for method in HASHED:
        for delivery in Delivery:
            found, told = both(method, workload, units, delivery)
            exact = ("hashes", "lifts", "combines", "results", "memory")
            for part in exact:
                assert getattr(found.total, part) == pytest.approx(getattr(told.total, part))
            assert found.total.copies == pytest.approx(told.total.copies, rel=0.15)
            assert found.busiest.lifts == pytest.approx(told.busiest.lifts, rel=0.5)


@pytest.mark.parametrize("units", UNITS)
def test_rows_between_two_windows_cost_only_units_that_see_all_rows(units: int) -> None:
    between = Workload(rows=10, spacing=1, size=50, every=1_000, keys=2, start=100)
    for travel in Travel:
        for method in (Method.KEYS, Method.TIME, *IN_TURN, *HASHED):
            for delivery in Delivery:
                workload = replace(between, travel=travel)
                found, told = both(method, workload, units, delivery)
                assert astuple(found.total) == astuple(told.total)
                assert astuple(found.busiest) == astuple(told.busiest)


@pytest.mark.parametrize("travel", Travel)
@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda w: f"{w.size}/{w.every}")
@pytest.mark.parametrize("units", UNITS)
def test_blocks_cost_what_the_formulas_say(workload: Workload, units: int, travel: Travel) -> None:
    workload = replace(workload, travel=travel)
    # Windows at the ends of the data are not full, and a block may begin anywhere in them.
    ends = workload.keys * workload.slices_per_window * max(4, workload.slices_per_window)
    per_slice = workload.covered_rows / workload.slices if travel is Travel.ROWS else 1
    for method in (Method.KEYS, Method.TIME):
        found, told = both(method, workload, units)
        assert found.total.results == told.total.results
        assert found.total.memory == told.total.memory
        assert told.total.combines - ends <= found.total.combines <= told.total.combines
        assert abs(found.total.copies - told.total.copies) <= ends * per_slice / 2
        assert found.total.lifts == pytest.approx(told.total.lifts, abs=ends * per_slice / 2)
        if workload.keys == 1:
            assert found.busiest.results == told.busiest.results
            assert found.busiest.combines <= told.busiest.combines


@pytest.mark.parametrize("units", [2, 8, 64])
def test_few_slices_are_copied_where_blocks_are_four_windows_long(units: int) -> None:
    """1.3 times their number at most, with blocks of four times the slices of a window."""
    workload = Workload(rows=12_000, spacing=1, size=60, every=1)
    told = counts(Method.TIME, workload, units, block=4 * workload.slices_per_window)
    assert told.total.copies <= 1.3 * workload.slices
    assert counts(Method.PANES, workload, 64).total.forwards == 60 * workload.slices
    small = Workload(rows=3_000, spacing=1, size=12, every=1)
    rows = [(n, None, 1) for n in range(small.rows)]
    found = simulate(rows, Aligned(12, 1), Method.TIME, units, aggregate=agg.count(), block=48)
    assert found.total.copies <= 1.3 * small.slices


@pytest.mark.parametrize("size", [12, 100])
def test_one_key_keeps_64_units_equally_busy(size: int) -> None:
    workload = Workload(rows=32_000, spacing=10, size=10 * size, every=100)
    found, told = both(Method.TIME, workload, 64)
    for part in ("lifts", "combines", "copies", "results"):
        mean = getattr(found.total, part) / 64
        assert getattr(found.busiest, part) <= 1.2 * mean
        assert getattr(told.busiest, part) <= 1.2 * getattr(told.total, part) / 64


@pytest.mark.parametrize("units", [2, 3, 7, 16, 64])
@pytest.mark.parametrize("share", [0.5, 0.51, 0.9])
def test_rows_of_wide_trailing_windows_are_sent_three_times_at_most(
    units: int, share: float
) -> None:
    rows = 100 * units
    reach = round(rows * share)
    firsts = [max(place - reach, 0) for place in range(rows)]
    found = simulate_trailing(range(rows), firsts, units, aggregate=agg.sum())
    told = trailing_counts(rows, reach, units)
    assert sum(found.rows) == pytest.approx(told.total.lifts)
    assert max(found.rows) == pytest.approx(told.busiest.lifts)
    assert max(found.rows) <= 3.3 * rows / units
    assert max(unit.copies for unit in found.units) <= told.busiest.copies
    assert max(unit.combines for unit in found.units) <= told.busiest.combines
    assert list(found.results) == [sum(range(f, n + 1)) for n, f in enumerate(firsts)]


def test_narrow_trailing_windows_need_only_what_they_reach() -> None:
    firsts = [max(place - 5, 0) for place in range(640)]
    found = simulate_trailing(range(640), firsts, 64, aggregate=agg.sum())
    assert sum(found.rows) == trailing_counts(640, 5, 64).total.lifts == 955


def test_more_keys_than_units_share_blocks_evenly() -> None:
    workload = Workload(rows=10**7, spacing=1, size=10_000, every=10_000, keys=1_000)
    assert counts(Method.KEYS, replace(workload, hottest=0.9), 8).busiest.results == 900 * 1_000
    by_time = counts(Method.TIME, workload, 8, block=125)
    assert by_time.busiest.results == by_time.total.results / 8


@pytest.mark.parametrize(("pieces", "units"), [(1, 64), (64, 64), (1_000, 64), (1_000, 2), (5, 7)])
def test_the_largest_share_of_what_a_hash_spreads(pieces: int, units: int) -> None:
    trials = []
    for trial in range(200):
        named = [stable_hash((trial, piece)) % units for piece in range(pieces)]
        trials.append(max(named.count(unit) for unit in range(units)))
    assert sum(trials) / len(trials) == pytest.approx(largest_share(pieces, units), rel=0.15)


def test_wrong_numbers_are_refused() -> None:
    workload = WORKLOADS[0]
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(InputError, match=f"units={wrong}"):
            counts(Method.KEYS, workload, wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="block=0"):
        counts(Method.TIME, workload, 2, block=0)
    with pytest.raises(InputError, match="AUTO"):
        counts(Method.AUTO, workload, 2)
    with pytest.raises(InputError, match="every=0"):
        replace(workload, every=0)
    with pytest.raises(InputError, match="hottest=2"):
        replace(workload, hottest=2)
    with pytest.raises(InputError, match="reach=-1"):
        trailing_counts(10, -1, 2)
