"""The benchmarks of topologies work: small runs report all they measure, and hold."""

from io import StringIO
from pathlib import Path

import pytest

from benchmarks.findings import chosen
from benchmarks.measure import Bench
from benchmarks.progress import Progress
from benchmarks.topology.__main__ import EXPERIMENTS
from benchmarks.topology.drops import DROPS, DropSizes
from benchmarks.topology.plots import PLOTS
from benchmarks.topology.retransmission import RETRANSMISSION, RetrySizes
from benchmarks.topology.scale import SCALE, ScaleSizes
from benchmarks.topology.sizes import SIZES

pytestmark = pytest.mark.xdist_group("simulations")


@pytest.fixture
def quiet() -> Bench:
    return Bench(repetitions=2, progress=Progress(StringIO()))


def test_a_margin_loses_nothing_and_without_one_the_tick_does(quiet: Bench, tmp_path: Path) -> None:
    found = DROPS.run(DropSizes(10, 3_960.0), quiet)
    assert all(bar.met for bar in found.bars)
    for one in chosen(found.measured, topology="with a margin"):
        assert one.median == 0
    for one in chosen(found.measured, topology="13 + 7 + 1"):
        first, second, sink = (float(share) for share in str(one.case["dropped"]).split())
        assert sink > second  # as published: the sink is overrun
        assert first > 0
    _check_picture("drops", found.measured, tmp_path)


def test_more_gateways_are_delayed_more(quiet: Bench, tmp_path: Path) -> None:
    found = RETRANSMISSION.run(RetrySizes((10, 180, 240), 7_200.0), quiet)
    few, some, many = (one.median for one in found.measured)
    assert few == 0 < some < many
    _check_picture("retransmission", found.measured, tmp_path)


def test_sizes_are_the_published_ones(quiet: Bench, tmp_path: Path) -> None:
    found = SIZES.run((500, 950), quiet)
    [table] = found.tables
    for row in table.rows:
        assert row[1] == row[-1]
    _check_picture("sizes", found.measured, tmp_path)


def test_plans_and_simulations_are_timed(quiet: Bench, tmp_path: Path) -> None:
    found = SCALE.run(ScaleSizes([1_000, 10_000], 2_000), quiet)
    assert all(one.median > 0 for one in found.measured)
    assert len(found.bars) == 2
    _check_picture("scale", found.measured, tmp_path)


def test_every_experiment_has_a_picture() -> None:
    assert {experiment.name for experiment in EXPERIMENTS} == set(PLOTS)


def _check_picture(name: str, measured: object, folder: Path) -> None:
    path = folder / f"{name}.png"
    PLOTS[name](measured, path)  # type: ignore[arg-type]
    assert path.stat().st_size > 10_000
