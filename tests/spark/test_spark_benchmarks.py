"""The benchmarks on Spark work: on tiny sizes, each gives a full report, and both sides agree."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from benchmarks.findings import Experiment, Findings, Table, at_least
from benchmarks.measure import Bench, DisagreementError
from benchmarks.memory import watched
from benchmarks.progress import Progress
from benchmarks.spark import __main__ as command
from benchmarks.spark import markdown
from benchmarks.spark.choice import ChoiceSizes
from benchmarks.spark.cold import ColdSizes
from benchmarks.spark.contenders import require_same
from benchmarks.spark.experiments import EXPERIMENTS, LONG
from benchmarks.spark.frames import DefaultSizes, FramesSizes
from benchmarks.spark.hopping import HoppingSizes
from benchmarks.spark.many_slides import ManySlidesSizes
from benchmarks.spark.one_key import OneKeySizes
from benchmarks.spark.segments import SegmentsSizes
from benchmarks.spark.several import SeveralSizes
from benchmarks.spark.stream_hopping import StreamHoppingSizes
from benchmarks.spark.stream_hot import StreamHotSizes
from benchmarks.spark.stream_large import StreamLargeSizes
from benchmarks.spark.stream_plain import StreamPlainSizes
from benchmarks.spark.stream_trailing import StreamTrailingSizes

pytestmark = pytest.mark.slow

TINY: dict[str, Any] = {
    "cold": ColdSizes(rows=(100,), aggregates=("max",), ways=("roll",)),
    "hopping": HoppingSizes(rows=300, keys=2, slides=(1, 60)),
    "many-slides": ManySlidesSizes(rows=300, keys=2, windows=((600, 60, "noop"),)),
    "several": SeveralSizes(rows=300, keys=2),
    "one_key": OneKeySizes(rows=300),
    "choice": ChoiceSizes(rows=100_000, interpreted=300),  # fewer are not sampled
    "default-frame": DefaultSizes(rows=300, frame=20),
    "frames": FramesSizes(rows=300, frames=(2, 20)),
    "segment-tree": SegmentsSizes(
        rows=300, keys=3, frames=(10,), global_rows=300, global_frames=(20,)
    ),
    "stream-large": StreamLargeSizes(windows=(10, 20), rows=10, batches=1),
    "stream-trailing": StreamTrailingSizes(batches=3, rows=200, keys=(1, 50)),
    "stream-hot": StreamHotSizes(batches=3, rows=200),
    "stream-plain": StreamPlainSizes(batches=3, rows=200, keys=10),
    "stream-hopping": StreamHoppingSizes(batches=3, rows=200, keys=3),
}
QUICKEST = ("many-slides", "frames", "segment-tree")  # the others take a while even so
HERE = [
    pytest.param(e, id=e.name, marks=() if e.name in QUICKEST else pytest.mark.slow)
    for e in EXPERIMENTS
    if e.name in TINY
]


def quiet() -> Bench:
    return Bench(repetitions=1, progress=Progress(StringIO()))


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("experiment", HERE)
def test_an_experiment_measures_all_it_shows(experiment: Experiment[Any]) -> None:
    # Sides that disagree raise: to come back is to agree.
    findings = experiment.run(TINY[experiment.name], quiet())
    assert findings.measured
    assert all(0 < m.best <= m.median for m in findings.measured)
    assert findings.bars
    assert {bar.met for bar in findings.bars} <= {True, False}  # all of them measured
    for table in findings.tables:
        assert {len(row) for row in table.rows} == {len(table.header)}


def test_every_experiment_has_tiny_sizes_or_starts_spark_itself() -> None:
    assert {experiment.name for experiment in EXPERIMENTS} == {*TINY, "cluster", "cores"}


def test_queries_that_differ_in_a_value_are_not_compared(spark: SparkSession) -> None:
    queries = {
        "one": lambda: spark.range(3),
        "same": lambda: spark.range(3).orderBy("id", ascending=False),
        "other": lambda: spark.range(1, 4),
    }
    require_same({}, {name: queries[name] for name in ("one", "same")})
    with pytest.raises(DisagreementError, match="other gives other answers than one for rows 3"):
        require_same({"rows": 3}, queries)


def test_a_run_writes_figures_and_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextmanager
    def no_session() -> Iterator[None]:
        yield

    def fail(sizes: int, bench: Bench) -> Findings:
        raise DisagreementError("they differ")

    def find(sizes: int, bench: Bench) -> Findings:
        table = Table("times", ["rows", "windrow"], [[str(sizes), "1 s"]])
        return Findings([], [table], [at_least("as fast", 2, [3.0], "x")], ["a note"])

    broken = Experiment("broken", "does it fail", fail, full=1, quick=1)
    works = Experiment("works", "does it work", find, full=7, quick=5)
    monkeypatch.setattr(command, "session", no_session)
    monkeypatch.setattr(command, "EXPERIMENTS", (broken, works))
    with pytest.raises(SystemExit, match="failed: broken"):
        command.main(["--quick", "--out", str(tmp_path)])
    written = json.loads((tmp_path / "bench-spark.json").read_text(encoding="utf-8"))
    assert list(written["experiments"]) == ["works"]
    assert "pyspark" in written["machine"]
    page = (tmp_path / "bench-spark.md").read_text(encoding="utf-8")
    assert "| as fast | ≥ 2 x | 3.00 x | met |" in page
    assert "| rows | windrow |\n| --- | --- |\n| 5 | 1 s |\n\na note\n\nMemory" in page
    assert re.search(r"broken: FAILED.*they differ", capsys.readouterr().out, re.S)


def test_what_takes_long_is_run_when_it_is_named() -> None:
    names = [experiment.name for experiment in LONG]
    assert names == ["default-frame-1m"]
    with pytest.raises(SystemExit, match=f"there are .*{names[0]}"):
        command.main(["--only", "nothing"])


def test_a_page_of_nothing_yet_has_its_bars() -> None:
    assert markdown.page({"cpus": 2}, [], []).startswith("# Windows on Spark, measured\n\ncpus 2.")


def test_memory_is_looked_at_while_it_is_held() -> None:
    with watched() as peak:
        held = bytearray(1_000_000)
    assert peak.bytes is None or peak.bytes > len(held)
    assert re.fullmatch(r"unknown|\d+\.\d GB", str(peak))
