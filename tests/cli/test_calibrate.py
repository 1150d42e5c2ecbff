"""`windrow calibrate`: what it measures, keeps, tells and forgets."""

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.cli.running import run
from windrow.algebra.lookup import registered
from windrow.cli.calibrate import aggregates, pipeline
from windrow.compiler.setting import Compile, compiling
from windrow.plan import calibrated
from windrow.plan.constants import OTHER, Constants, Price
from windrow.plan.shipped import SHIPPED


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "cache"
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(path))
    monkeypatch.setattr(aggregates, "_ROWS", {"compiled": 256, "interpreted": 256})
    return path


@pytest.fixture(autouse=True)
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels run interpreted: what is kept and told does not depend on how long they take."""
    monkeypatch.setattr(aggregates, "compiling_now", lambda: compiling(Compile.NEVER))


def told(*arguments: Any) -> Any:
    result = run("calibrate", *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def complaint(*arguments: Any) -> str:
    result = run("calibrate", *arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    return result.stderr


def test_one_aggregate_is_measured_and_kept_beside_the_others() -> None:
    found = Constants.from_dict(told("--only", "argmax"))
    assert found.interpreted["argmax"] != SHIPPED.price("argmax", compiled=False)
    assert found.interpreted["argmax"].lift > 0
    assert {**found.interpreted, "argmax": None} == {**SHIPPED.interpreted, "argmax": None}
    assert (found.stage, found.read, found.sent) == (SHIPPED.stage, SHIPPED.read, SHIPPED.sent)
    assert found.source.startswith("measured on this machine on 20")
    assert calibrated.constants() == found


def test_an_aggregate_may_run_compiled_or_interpreted() -> None:
    found = told("--only", "max", "--only", "median")
    for kind, name in (("compiled", "max"), ("interpreted", "max"), ("interpreted", "median")):
        price = found[kind][name]
        assert price["lift"] > 0
        assert price["combine"] > 0
    assert "median" not in set(found["compiled"]) - set(SHIPPED.compiled)


@pytest.mark.parametrize("name", list(registered()))
def test_every_aggregate_of_the_catalogue_can_be_measured(name: str) -> None:
    entry = registered()[name]
    kinds = aggregates.kinds_of(entry)
    assert kinds
    for kind, rows in kinds.items():
        assert kind in ("compiled", "interpreted")
        price = aggregates.measured(entry, kind, rows)
        assert price.lift > 0
        assert price.combine > 0


def test_what_was_measured_is_told_as_a_table() -> None:
    result = run("calibrate", "--only", "max")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("constants measured on this machine")
    assert lines[1].startswith("a stage takes ")
    assert lines[2].split() == ["ns", "lift", "combine", "interpreted", "lift", "combine"]
    assert any(line.startswith("max ") for line in lines)
    assert lines[-1].startswith("all others ")


def test_measured_constants_can_be_forgotten() -> None:
    told("--only", "max")
    assert run("calibrate", "--forget").stdout == "forgotten\n"
    assert calibrated.constants() is SHIPPED
    assert "nothing to forget" in run("calibrate", "--forget").stdout


def test_bad_options_are_refused() -> None:
    assert "--only 'maximum' is no aggregate" in complaint("--only", "maximum")
    assert "leave --only and --json out" in complaint("--forget", "--json")
    assert "--seconds" in complaint("--seconds", "0")


def test_constants_that_cannot_be_kept_are_told_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(tmp_path / "file" / "cache"))
    result = run("calibrate", "--only", "max", "--json")
    assert result.exit_code == 0
    assert "could not be kept" in result.stderr
    assert "max" in json.loads(result.stdout)["compiled"]


def test_all_that_costs_is_measured(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "_TIMES", 1)
    monkeypatch.setattr(pipeline, "_MANY", 20_000)
    monkeypatch.setattr("windrow.cli.calibrate.command.registered", _two)
    found = Constants.from_dict(told("--seconds", "3"))
    assert found.stage > 0
    assert found.compiled[OTHER] != Price(0, 0)
    assert calibrated.constants() == found


def _two() -> Any:
    return {name: registered()[name] for name in ("max", "last")}
