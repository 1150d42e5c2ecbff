"""`windrow plan`: the files it reads, writes and draws."""

import json
import sys
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.planning import PUBLISHED, complaint, published_widths, told
from tests.cli.running import run
from windrow.cli.plan.text import tree
from windrow.topology import from_json, plan, read_plan

# Traces ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten minutes of 20 slow devices and 5 quick ones, and two columns with unusual names."""
    rng = np.random.default_rng(3)
    rows = []
    for device in range(25):
        rate, size = (0.25, 100) if device < 20 else (4.0, 1500)
        moments = rng.uniform(0, 600, int(rate * 600))
        rows += [(moment, f"d{device}", size) for moment in moments]
    path = tmp_path_factory.mktemp("plan") / "items.csv"
    lines = [f"{moment:.6f},{device},{size}" for moment, device, size in sorted(rows)]
    path.write_text("\n".join(["when,device,payload", *lines]) + "\n")
    return path


def test_a_trace_tells_who_sends_what(trace: Path) -> None:
    data = told(
        *("--trace", trace, "--time", "when", "--bytes", "payload"),
        *("--limit", "20/s", "--limit", "20kB/s", "--loss", "0.001"),
    )
    rows = [line.split(",") for line in trace.read_text().splitlines()[1:]]
    moments = np.array([float(row[0]) for row in rows])
    span = moments[-1] - moments[0]
    found = data["measured"]
    assert found["items"] == len(rows) == 20 * 150 + 5 * 2400
    assert found["seconds"] == pytest.approx(span)
    assert found["busiest"] == np.bincount((moments - moments[0]).astype(int)).max()
    assert [(one["count"], one["item_bytes"]) for one in data["sources"]] == [(20, 100), (5, 1500)]
    assert [one["rate"] for one in data["sources"]] == pytest.approx([150 / span, 2400 / span])
    assert data["arrivals"] == found["arrivals"]
    text = run("plan", "--trace", trace, "--time", "when", "--limit", "20/s").stdout
    assert "measured: 15,000 items in 10 min" in text


def test_bursts_and_skew_may_be_given_beside_a_trace(trace: Path) -> None:
    asked = ("--trace", trace, "--time", "when", "--limit", "20/s")
    data = told(*asked, "--burst", "3", "--skew", "1s")
    assert (data["arrivals"]["burst"], data["arrivals"]["skew_s"]) == (3.0, 1.0)


def test_a_burst_that_is_given_holds_for_all_classes_of_a_trace(trace: Path) -> None:
    asked = ("--trace", trace, "--time", "when", "--limit", "20/s", "--loss", "0.001")
    measured, ten = told(*asked), told(*asked, "--burst", "10")
    assert ten["widths"][0] > 2 * measured["widths"][0]


def test_a_burst_that_is_given_holds_for_limits_of_bytes_too(trace: Path) -> None:
    asked = ("--trace", trace, "--time", "when", "--bytes", "payload", "--limit", "50kB/s")
    measured, ten = (told(*asked, "--loss", "0.001", *more) for more in ((), ("--burst", "10")))
    assert ten["widths"][0] > 2 * measured["widths"][0]


def test_a_trace_without_sizes_says_nothing_of_bytes(trace: Path) -> None:
    said = complaint("--trace", trace, "--time", "when", "--limit", "50kB/s")
    assert "does not say how large items are" in said
    assert "--bytes COLUMN, or give a limit of items" in said


def test_the_plan_of_a_trace_adapts_to_other_classes(trace: Path, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    run("plan", "--trace", trace, "--time", "when", "--limit", "20/s", "--out", path)
    changed = json.loads(run("plan", path, "--class", "count=5,rate=3/s", "--json").stdout)
    assert [one["count"] for one in changed["sources"]] == [5]


def test_a_column_that_a_trace_lacks_is_named(trace: Path) -> None:
    said = complaint("--trace", trace, "--limit", "20/s", "--time", "wehn")
    assert f"--time wehn: {trace} has no such column; it has when, device, payload" in said
    said = complaint("--trace", trace, "--limit", "20/s")
    assert "name the one to take, --time when" in said


# Plan files --------------------------------------------------------------------------------


def test_a_plan_file_holds_the_plan(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    asked = (*PUBLISHED, "--price", "0.015", "--loss", "0.001", "--period", "5min", "--size", "9B")
    written = run("plan", *asked, "--out", path, "--json")
    assert written.stderr == f"written: {path}\n"
    assert from_json(written.stdout) == read_plan(path)  # what is told is a plan file too
    assert json.loads(run("plan", path, "--json").stdout) == json.loads(written.stdout)
    assert run("plan", path).stdout == run("plan", *asked).stdout


def test_a_plan_adapts_to_other_sources(tmp_path: Path) -> None:
    before, after = tmp_path / "plan.json", tmp_path / "new.json"
    run("plan", *PUBLISHED, "--out", before)
    result = run("plan", before, "--new-sources", "950", "--out", after)
    assert result.exit_code == 0
    wanted = published_widths(Fraction(475, 20))
    assert list(read_plan(after).widths) == wanted
    data = told(before, "--new-sources", "950")["change"]
    assert (data["before"], data["after"]) == ([13, 7, 4, 2, 1], wanted)
    assert data["start"] - data["stop"] == sum(wanted) - 27
    assert data["start"] == sum(move["start"] for move in data["moves"])
    assert f"start {data['start']} nodes, stop {data['stop']}" in result.stdout
    back = told(after, "--new-sources", "500")["change"]
    assert (back["start"], back["stop"]) == (data["stop"], data["start"])


def test_a_plan_of_classes_adapts_to_other_classes(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    classes = ("--class", "count=100,rate=2/s", "--class", "count=10,rate=5/s")
    run("plan", *classes, "--limit", "20/s", "--out", path)
    said = complaint(path, "--new-sources", "950")
    assert "the plan has 2 classes of sources; give each as it will be, --class " in said
    data = told(path, "--class", "count=200,rate=2/s", "--class", "count=10,rate=5/s")
    assert data["change"]["after"][0] == ceil((400 + 50) / 20)


# Drawings ----------------------------------------------------------------------------------


@given(st.integers(1, 10**7), st.integers(40, 200))
def test_the_tree_fits_the_terminal_and_shows_every_node_or_says_that_it_does_not(
    sources: int, columns: int
) -> None:
    made = plan(sources, rate=0.5, nodes=20)
    head, *rows = tree(made, columns)
    assert f"{sources:,} source" in head
    assert len(rows) == len(made.widths)
    for row, width in zip(rows, made.widths, strict=True):
        assert len(row) <= columns
        assert f" {width:,} at " in row
        assert ("…" in row) == (row.count("●") != width)


@pytest.mark.parametrize("sources", ["1", "500", "1e6"])
def test_a_picture_is_drawn(tmp_path: Path, sources: str) -> None:
    from matplotlib.image import imread

    path = tmp_path / "tree.png"
    asked = ("--sources", sources, *PUBLISHED[2:], "--size", "9B", "--draw", path)
    result = run("plan", *asked)
    assert result.exit_code == 0, result.output
    assert result.stderr == f"drawn: {path}\n"
    picture = imread(path)
    ink: Any = (picture[..., :3] < 0.9).any(axis=-1)
    assert 0.005 < ink.mean() < 0.5
    blue: Any = np.abs(picture[..., :3] - np.array([0x00, 0x72, 0xB2]) / 255) < 0.02
    filled = blue.all(axis=-1)
    assert filled.any(axis=1).mean() > 0.1  # nodes of every layer


def test_a_picture_as_svg_and_pdf(tmp_path: Path) -> None:
    for name, begin in (("tree.svg", b"<?xml"), ("tree.pdf", b"%PDF")):
        assert run("plan", *PUBLISHED, "--draw", tmp_path / name).exit_code == 0
        assert (tmp_path / name).read_bytes().startswith(begin)


def test_a_picture_needs_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    said = complaint(*PUBLISHED, "--draw", tmp_path / "tree.png")
    assert "needs matplotlib; pip install 'windrow[plot]', or leave --draw out" in said
