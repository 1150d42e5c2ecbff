"""The benchmarks of parallel windows work: small runs report all they count, and hold."""

from io import StringIO
from pathlib import Path

import pytest

from benchmarks.findings import chosen
from benchmarks.measure import Bench
from benchmarks.parallel.__main__ import EXPERIMENTS
from benchmarks.parallel.blocks import BLOCKS, BlockSizes
from benchmarks.parallel.latency import LATENCY
from benchmarks.parallel.plots import PLOTS
from benchmarks.parallel.published import Contender
from benchmarks.parallel.throughput import METHODS, THROUGHPUT
from benchmarks.progress import Progress
from windrow.parallel.methods import Method


@pytest.fixture
def quiet() -> Bench:
    return Bench(repetitions=1, progress=Progress(StringIO()))


def test_the_published_shapes_come_out(quiet: Bench, tmp_path: Path) -> None:
    found = THROUGHPUT.run((1, 7, 14, 28), quiet)
    assert [bar for bar in found.bars if not bar.met] == []
    _check_picture("throughput", found.measured, tmp_path)


def test_lines_answer_sooner_than_rings(quiet: Bench, tmp_path: Path) -> None:
    found = LATENCY.run((7, 28), quiet)
    rings = {Method.ROUND_ROBIN: Method.ROUND_ROBIN_CYCLIC, Method.HANDSHAKE: Method.HASH_ONCE}
    for line, ring in rings.items():
        soon = chosen(found.measured, contender=Contender(line).name)
        late = chosen(found.measured, contender=Contender(ring).name)
        assert all(a.median < b.median for a, b in zip(soon, late, strict=True))
    _check_picture("latency", found.measured, tmp_path)


def test_time_blocks_are_the_fastest_on_many_units(quiet: Bench, tmp_path: Path) -> None:
    found = METHODS.run((1, 64), quiet)
    for setting in ("hash", "panes", "in turn"):
        at_64 = chosen(found.measured, setting=setting, units=64)
        assert max(at_64, key=lambda one: one.median).contender == "time"
    _check_picture("methods", found.measured, tmp_path)


def test_blocks_stay_within_their_bars(quiet: Bench, tmp_path: Path) -> None:
    found = BLOCKS.run(BlockSizes((1, 4), 60, (2, 64)), quiet)
    assert [bar for bar in found.bars if not bar.met] == []
    _check_picture("blocks", found.measured, tmp_path)


def test_every_experiment_has_a_picture() -> None:
    assert {experiment.name for experiment in EXPERIMENTS} == set(PLOTS)


def _check_picture(name: str, measured: object, folder: Path) -> None:
    path = folder / f"{name}.png"
    PLOTS[name](measured, path)  # type: ignore[arg-type]
    assert path.stat().st_size > 10_000
