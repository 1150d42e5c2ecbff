"""The benchmarks of nodes near the devices work: small runs report and draw all they measure."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from benchmarks.edge.__main__ import EXPERIMENTS
from benchmarks.edge.delays import LATENCY, LatencySizes
from benchmarks.edge.fold import FOLD, FoldSizes
from benchmarks.edge.leaves import LEAF, LeafSizes
from benchmarks.edge.plots import PLOTS
from benchmarks.edge.roots import ROOT, RootSizes
from benchmarks.edge.scaling import KEYS, SCALING, WINDOWS, Sizes
from benchmarks.edge.traffic import TRAFFIC, TrafficSizes
from benchmarks.findings import Experiment
from benchmarks.measure import Bench
from benchmarks.progress import Progress

pytestmark = pytest.mark.trees

_TINY: list[tuple[Experiment[Any], Any, int]] = [
    (LEAF, LeafSizes(500, 4, (1, 20), 10), 6),
    (SCALING, Sizes((1, 2), 200, 1), 1),
    (WINDOWS, Sizes((1, 3), 100, 1), 0),
    (KEYS, Sizes((1, 7), 100, 1), 0),
    (TRAFFIC, TrafficSizes((2, 3), 500, 5, 30), 4),
    (LATENCY, LatencySizes(20, 50, (75,)), 2),
    (ROOT, RootSizes((1, 2), 30, 2, 3, 5), 2),
]


def _quiet() -> Bench:
    return Bench(repetitions=1, progress=Progress(StringIO()))


def test_every_case_of_folding_is_measured() -> None:
    found = FOLD.run(FoldSizes((200,), 2, (1, 50), (1, 20)), _quiet())
    cases = {(one.contender, one.case["keys"], one.case["windows"]) for one in found.measured}
    shapes = ((1, 1), (50, 1), (1, 20))
    assert cases == {(name, *shape) for name in ("max", "median") for shape in shapes}
    assert len(found.bars) == 4
    assert all(bar.found is not None for bar in found.bars)


def test_every_experiment_has_a_tiny_run() -> None:
    assert {FOLD, *(experiment for experiment, _, _ in _TINY)} == set(EXPERIMENTS)


@pytest.mark.parametrize(("experiment", "sizes", "bars"), _TINY)
def test_an_experiment_reports_and_draws_all_it_measures(
    experiment: Experiment[Any], sizes: Any, bars: int, tmp_path: Path
) -> None:
    found = experiment.run(sizes, _quiet())
    assert found.measured
    assert found.tables
    assert len(found.bars) == bars
    assert all(bar.found is not None for bar in found.bars)
    path = tmp_path / f"{experiment.name}.png"
    PLOTS[experiment.name](found.measured, path)
    assert path.stat().st_size
