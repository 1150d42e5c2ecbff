"""The benchmarks of approximate windows work: small runs report all they measure, and hold."""

from collections import deque
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

from benchmarks.approx.__main__ import EXPERIMENTS
from benchmarks.approx.errors import Errors
from benchmarks.approx.footprints import FOOTPRINTS, FootprintSizes
from benchmarks.approx.plots import PLOTS
from benchmarks.approx.scenarios import HopScenario, MaxScenario, MeanScenario, Scenario
from benchmarks.approx.times import TIMES, TimeSizes
from benchmarks.measure import Bench
from benchmarks.progress import Progress
from windrow.approximate import Footprint
from windrow.approximate.interval import Intervals

pytestmark = [
    pytest.mark.xdist_group("approximate benchmarks"),
    pytest.mark.usefixtures("always_compiled"),  # as `make bench-approx` runs them
]


def quiet() -> Bench:
    return Bench(repetitions=2, progress=Progress(StringIO()))


@pytest.mark.slow
def test_reduced_windows_keep_their_promises(tmp_path: Path) -> None:
    found = FOOTPRINTS.run(FootprintSizes(40_000, 3_000, chunk=1 << 12), quiet())
    by = {(m.case["scenario"], m.contender): m for m in found.measured}
    assert len(by) == len(found.measured) == sum(len(table.rows) for table in found.tables)
    for (scenario, name), m in by.items():
        assert float(m.case["coverage"]) == 1.0, (scenario, name)
        if name.startswith("sum-like"):
            assert m.at("max") <= float(name.split()[1]) / 100
    assert float(by["hop", "hop"].case["right"]) == 1.0
    assert by["hop", "hop"].median < 5.0
    assert not found.bars  # they are for windows of the published size
    PLOTS["footprints"](found.measured, tmp_path / "footprints.png")
    assert (tmp_path / "footprints.png").stat().st_size > 10_000


@pytest.mark.slow
def test_times_are_measured_side_by_side(tmp_path: Path) -> None:
    found = TIMES.run(TimeSizes(window=2_000, updates=4_096), quiet())
    assert {m.contender for m in found.measured} == {"exact", "approximate"}
    assert all(m.median > 0 for m in found.measured)
    assert len(found.bars) == 2
    PLOTS["times"](found.measured, tmp_path / "times.png")
    assert (tmp_path / "times.png").stat().st_size > 10_000


def test_every_experiment_has_a_picture() -> None:
    assert {experiment.name for experiment in EXPERIMENTS} == set(PLOTS)


@pytest.mark.parametrize("scenario", [MeanScenario(50), MaxScenario(50)])
def test_exact_results_are_those_of_the_last_readings(scenario: Scenario) -> None:
    readings = np.round(np.random.default_rng(1).uniform(1.0, 64.0, 400), 3) * 1024 // 1
    held: deque[float] = deque(maxlen=50)
    found = np.concatenate([scenario.see(part) for part in np.split(readings, 8)])
    of = np.mean if isinstance(scenario, MeanScenario) else np.max
    for reading, result in zip(readings.tolist(), found.tolist(), strict=True):
        held.append(reading)
        assert result == pytest.approx(of(held), rel=1e-15)


def test_hops_leave_together_in_exact_and_in_approximate_windows() -> None:
    readings, scenario = np.arange(1.0, 2_001.0), HopScenario(300)
    window, sizes = scenario.new([Footprint(10**6)]), []
    for part in np.split(readings, 10):
        exact = scenario.see(part)
        rolled = scenario.roll(window, part)
        assert np.array_equal(np.asarray(rolled.value), exact)
        sizes.append(len(window))
    assert max(sizes) <= 300
    assert min(sizes[2:]) >= 190


def test_errors_are_counted() -> None:
    errors = Errors()
    exact = np.array([10.0, 10.0, 20.0, 20.0])
    value = np.array([10.0, 11.0, 20.0, 25.0])
    low = np.ma.masked_array([10.0, 9.0, 20.0, 0.0], [False, False, False, True])
    high = np.ma.masked_array([10.0, 9.5, 20.0, 0.0], [False, False, False, True])
    errors.add(Intervals(value, low, high, np.array([True, False, True, False])), exact)
    assert (errors.right, errors.exact, errors.largest) == (0.5, 0.5, 0.25)
    assert errors.coverage == pytest.approx(2 / 3)
    assert errors.bounded == 0.75
    assert (errors.changes, errors.right_changes, errors.dishonest) == (2, 1.0, 0)
