"""The benchmarks work: on tiny sizes, each gives a full report, and its contenders agree."""

import json
import re
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import windrow as wr
from benchmarks import __main__ as command
from benchmarks import report
from benchmarks.clocked import clock_cost
from benchmarks.data import AGGREGATES, LONGEST_RUN
from benchmarks.experiments import EXPERIMENTS
from benchmarks.experiments.bulk import BulkSizes
from benchmarks.experiments.grouped import GroupedSizes
from benchmarks.experiments.policies import PolicySizes
from benchmarks.experiments.roll import RollSizes
from benchmarks.experiments.start import StartSizes
from benchmarks.experiments.structures import StructureSizes
from benchmarks.experiments.user import UserSizes
from benchmarks.findings import Experiment, Table, at_least, at_most
from benchmarks.measure import Bench, Contender, DisagreementError, percentiles
from benchmarks.progress import Progress
from windrow import window

pytestmark = pytest.mark.xdist_group("benchmarks")

TINY: dict[str, Any] = {
    "roll": RollSizes((4, 64), rows=1000, pandas_rows=500, river_rows=50, river_window=64),
    "user": UserSizes((8,), rows=500),
    "grouped": GroupedSizes(rows=2000, keys=5, windows=("1 hour",)),
    "structures": StructureSizes(
        (16, 64), 16, 16, steps=50, compiled_steps=200, aggregates=("sum", LONGEST_RUN)
    ),
    "bulk": BulkSizes(256, (1, 64), 5, python_held=64, python_counts=(1, 16), python_times=5),
    "policies": PolicySizes((16,), rows=1000),
    "start": StartSizes(imports=1, rolls=1, modules=("windrow",)),
}


def quiet(stream: StringIO | None = None) -> Bench:
    return Bench(repetitions=3, progress=Progress(stream or StringIO()))


def tiny(experiment: Experiment[Any]) -> Experiment[Any]:
    return replace(experiment, full=TINY[experiment.name])


# Of these, two are in the run below, and all compile kernels by the dozen.
LONG = ("roll", "structures", "bulk", "policies", "start")


@pytest.mark.parametrize(
    "experiment",
    [
        pytest.param(e, id=e.name, marks=[pytest.mark.slow] if e.name in LONG else [])
        for e in EXPERIMENTS
    ],
)
def test_an_experiment_measures_all_it_shows(experiment: Experiment[Any]) -> None:
    # Contenders that disagree raise: to come back is to agree.
    findings = experiment.run(TINY[experiment.name], quiet())
    assert findings.measured
    for m in findings.measured:
        assert 0 < m.best <= m.median
        assert m.percentiles is None or list(m.percentiles) == ["p50", "p90", "p99", "max"]
    for table in findings.tables:
        assert table.rows
        assert {len(row) for row in table.rows} == {len(table.header)}


@pytest.mark.slow
def test_a_run_writes_figures_and_pictures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    some = [tiny(e) for e in EXPERIMENTS if e.name in ("roll", "bulk")]
    replace(command.SUITE, experiments=some).main(["--out", str(tmp_path / "new")])
    written = json.loads((tmp_path / "new" / "bench.json").read_text(encoding="utf-8"))
    assert list(written["experiments"]) == ["roll", "bulk"]
    assert {"cpus", "python", "numpy", "numba"} <= written["machine"].keys()
    for name, found in written["experiments"].items():
        assert {"contender", "case", "best", "median"} <= found["measured"][0].keys()
        assert (tmp_path / "new" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    output = capsys.readouterr()
    assert re.search(r"^evicting 512K of 2\^22 .* not measured$", output.out, re.M)
    assert re.search(r"^roll, max: faster than pandas .* ≥ 4 x", output.out, re.M)
    assert output.err == ""  # not a terminal


def test_an_unknown_experiment_is_refused() -> None:
    with pytest.raises(SystemExit, match="no experiment rol; there are roll, user"):
        command.main(["--only", "rol"])


def test_other_answers_are_not_measured() -> None:
    wrong = Contender("wrong", lambda: [1.0, 2.0], 2, expected=np.array([1.0, 3.0]))
    with pytest.raises(DisagreementError, match=r"wrong gives other answers for max, window 2\^16"):
        quiet().side_by_side({"aggregate": "max", "window": 1 << 16}, [wrong])


def test_contenders_take_turns() -> None:
    calls: list[str] = []
    contenders = [Contender(name, lambda name=name: calls.append(name)) for name in "ab"]  # type: ignore[misc]
    quiet().side_by_side({}, contenders)
    assert calls == [*"ab"] * 4  # one to warm up


def test_progress_is_told_to_terminals_only() -> None:
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    terminal, pipe = Terminal(), StringIO()
    for stream in (terminal, pipe):
        bench = quiet(stream)
        bench.progress.enter("roll")
        bench.side_by_side({"aggregate": "max", "window": 1024}, [Contender("ours", lambda: None)])
    line = r" +0:00  roll: max, window 2\^10 … ours [\d.,]+ [µm]?n?s\n"
    assert re.fullmatch(line, terminal.getvalue())
    assert pipe.getvalue() == ""


def test_a_bar_is_held_against_the_worst_figure() -> None:
    assert at_most("a", 10, [3.0, 12.0], "ns").met is False
    assert at_most("a", 10, [3.0, 10.0], "ns").met is True
    assert at_least("b", 4, [9.0, 3.9], "x").found == 3.9
    assert at_least("b", 4, [], "x").met is None
    text = report.render(report.summary_table([at_most("a", 10, [12.0], "ns")]))
    assert re.search(r"^a\s+≤ 10 ns\s+12\.0 ns\s+NOT MET$", text, re.M)


def test_numbers_stand_to_the_right() -> None:
    text = report.render(
        Table("t", ["name", "ns"], [["a", "1.00"], ["bcdef", "26,041"], ["c", ""]])
    )
    assert text.splitlines()[4:] == ["a        1.00", "bcdef  26,041", "c"]


def test_percentiles_are_of_single_operations() -> None:
    assert percentiles(range(101)) == {"p50": 50, "p90": 90, "p99": 99, "max": 100}


def test_reading_the_clock_in_compiled_code_takes_time() -> None:
    assert 0 <= np.median(clock_cost(100)) < 1e6


def test_the_longest_run_of_each_window_is_right() -> None:
    # No contender has it: here is what it would say.
    values, rows = np.array([1.0, 2.0, 0.5, 3.0, 4.0, 4.0, 5.0]), 4
    rolled = wr.roll(
        values, AGGREGATES[LONGEST_RUN], window.trailing(rows=rows), times=np.arange(len(values))
    )
    assert rolled["length"].tolist() == [1, 2, 2, 2, 3, 3, 2]
