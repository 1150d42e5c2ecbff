"""`windrow simulate`: what it reads, tells, asserts and draws."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.running import run
from windrow.topology import (
    Arrivals,
    Limit,
    Node,
    Plan,
    Reduction,
    Routing,
    Sources,
    common_tick,
    plan,
    read_trace,
    write_plan,
)
from windrow.topology.plan import Layer
from windrow.topology.simulation import BackOff, Bursts, Refusal, Sending, simulate

pytestmark = pytest.mark.xdist_group("simulation")  # one process compiles it

SOURCES = Sources(500, 0.5)
SHORT = ("--duration", "5min")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published plan, which uses limits up; one with a margin; and one that is narrow below."""
    path = tmp_path_factory.mktemp("simulate")
    write_plan(plan(SOURCES, nodes=20), path / "full.json")
    write_plan(plan(SOURCES, nodes=20, loss=0.001), path / "safe.json")
    tick = plan(SOURCES, nodes=20, loss=0.001, arrivals=common_tick([SOURCES]))
    write_plan(tick, path / "tick.json")
    write_plan(_narrow(), path / "narrow.json")
    return path


def _narrow() -> Plan:
    """Nodes of the first layer take all there is; the sink only one state in a second."""
    layers = [
        Layer(width, Node(Limit(items=limit)), Routing.ITEM, 250.0, 0.0, 250.0)
        for width, limit in ((13, 1000.0), (1, 1.0))
    ]
    return Plan((SOURCES,), Reduction(period_s=10.0), Arrivals(), tuple(layers))


def told(*arguments: Any) -> Any:
    result = run("simulate", *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))


def complaint(*arguments: Any) -> str:
    result = run("simulate", *arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return result.stderr


# What is simulated -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ((), {}),
        (("--sending", "periodic", "--seed", "7"), {"sending": Sending.PERIODIC, "seed": 7}),
        (("--jitter", "100ms"), {"sending": Sending.TICK, "jitter_s": 0.1}),
        (
            ("--burst", "3", "--burst-share", "5%", "--burst-length", "30s"),
            {"sending": Sending.BURSTY, "bursts": Bursts(3.0, 30.0, 0.05)},
        ),
        (
            ("--retry", "--back-off", "2s"),
            {"on_refusal": Refusal.RETRY, "back_off": BackOff(2.0)},
        ),
        (("--routing", "source", "--skew", "2s"), {"routing": Routing.SOURCE, "skew_s": 2.0}),
    ],
)
def test_options_say_what_is_simulated(
    folder: Path, options: tuple[str, ...], arguments: dict[str, Any]
) -> None:
    [found] = told(folder / "full.json", *SHORT, *options)["runs"]
    wanted = simulate(plan(SOURCES, nodes=20), duration_s=300.0, **arguments)
    told_layers = [asdict(layer) for layer in wanted.layers]
    assert found["layers"] == json.loads(json.dumps(told_layers))
    assert [period["lost"] for period in found["periods"]] == [
        list(period.lost) for period in wanted.periods
    ]
    assert found["error"] == wanted.error


def test_nothing_appears_or_disappears(folder: Path) -> None:
    [found] = told(folder / "full.json", *SHORT, "--sending", "tick", "--skew", "3s")["runs"]
    assert found["sent"] == 150 * 500  # every two seconds each of them
    assert found["layers"][0]["offered"] == found["sent"]
    for layer in found["layers"]:
        assert layer["offered"] == layer["accepted"] + layer["dropped"] + layer["waiting"]
    for number, layer in enumerate(found["layers"]):
        assert layer["lost"] == sum(period["lost"][number] for period in found["periods"])
    for period in found["periods"]:
        assert period["arrived"] == period["expected"] - sum(period["lost"])
        assert period["error"] == sum(period["lost"]) / period["expected"]
    assert found["lost"] == sum(layer["lost"] for layer in found["layers"]) > 0


def test_sources_send_as_the_plan_was_made_for(folder: Path) -> None:
    assert told(folder / "full.json", *SHORT)["sending"] == "poisson"
    assert told(folder / "tick.json", *SHORT)["sending"] == "tick"


def test_a_trace_is_replayed(folder: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    moments = np.sort(rng.uniform(0, 100, 3000))
    path = tmp_path / "items.csv"
    rows = [f"{moment:.3f},d{row % 50}" for row, moment in enumerate(moments)]
    path.write_text("\n".join(["when,device", *rows]) + "\n")
    data = told(folder / "full.json", "--trace", path, "--time", "when")
    assert data["sending"] == "trace"
    [found] = data["runs"]
    assert found["sent"] == 3000
    trace = read_trace(path, time="when")
    wanted = simulate(plan(SOURCES, nodes=20), sending=Sending.TRACE, trace=trace)
    assert found["duration_s"] == wanted.duration_s
    assert found["lost"] == wanted.lost


# What is told ------------------------------------------------------------------------------


def test_losses_deep_in_the_tree_are_told_by_what_they_stand_for(folder: Path) -> None:
    [found] = told(folder / "narrow.json", *SHORT)["runs"]
    first, sink = found["layers"]
    assert first["dropped"] == 0
    assert sink["lost"] > 10 * sink["dropped"] > 0
    text = run("simulate", folder / "narrow.json", *SHORT).stdout
    each = f"{sink['lost'] / sink['dropped']:,.0f}"
    assert f"layer 2 dropped {sink['dropped']:,} tuples of {each} items each" in text
    rows = [line.split() for line in text.splitlines() if line.strip()[:2] in ("1 ", "2 ")]
    assert [row[-3] for row in rows] == ["0", f"{sink['lost']:,}"]


def test_right_periods_are_counted_and_the_worst_is_named(folder: Path) -> None:
    [found] = told(folder / "narrow.json", *SHORT)["runs"]
    right = sum(not period["error"] for period in found["periods"])
    text = run("simulate", folder / "narrow.json", *SHORT).stdout
    assert f"results   {right} of {len(found['periods'])} periods right; the worst" in text
    assert "latency   from the end of a period to its result: half of all items" in text


def test_delays_are_told_where_refused_tuples_are_sent_again(folder: Path) -> None:
    dropped = run("simulate", folder / "full.json", *SHORT).stdout
    assert "delayed" not in dropped
    again = run("simulate", folder / "full.json", *SHORT, "--retry").stdout
    assert "delayed" in again
    assert "refused tuples are sent again after about 1 s" in again
    assert "lost      nothing of" in again


def test_several_seeds_are_told_beside_each_other(folder: Path) -> None:
    data = told(folder / "full.json", *SHORT, "--seed", "3", "--seeds", "4")
    assert [one["seed"] for one in data["runs"]] == [3, 4, 5, 6]
    worst = max(data["runs"], key=lambda one: one["error"])
    assert data["worst_seed"] == worst["seed"]
    text = run("simulate", folder / "full.json", *SHORT, "--seed", "3", "--seeds", "4").stdout
    assert f"seed {worst['seed']}, which lost most" in text


# What is asserted --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["safe.json", "tick.json"])
def test_a_plan_with_a_margin_loses_nothing(folder: Path, name: str) -> None:
    result = run("simulate", folder / name, *SHORT, "--seeds", "10", "--assert-no-loss")
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    assert "lost      nothing of" in result.stdout


@pytest.mark.parametrize("sending", ["poisson", "tick"])
def test_a_plan_without_a_margin_loses_items_and_the_assertion_fails(
    folder: Path, sending: str
) -> None:
    asked = (folder / "full.json", *SHORT, "--sending", sending)
    assert run("simulate", *asked).exit_code == 0
    failed = run("simulate", *asked, "--assert-no-loss")
    assert failed.exit_code == 1
    [found] = told(*asked)["runs"]
    dropped = found["layers"][0]["dropped"]
    said = f"windrow: {folder / 'full.json'} loses {found['lost']:,} of {found['sent']:,} items"
    assert failed.stderr.startswith(said)
    assert f"layer 1 dropped {dropped:,} tuples" in failed.stderr
    assert failed.stderr.count("\n") == 1


def test_what_fails_the_assertion_is_told_to_programs_all_the_same(folder: Path) -> None:
    result = run("simulate", folder / "full.json", *SHORT, "--assert-no-loss", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["lossless"] is False


# Drawings ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["full.json", "safe.json"])  # with losses, and without any
def test_a_picture_is_drawn(folder: Path, tmp_path: Path, name: str) -> None:
    from matplotlib.image import imread

    path = tmp_path / "simulated.png"
    result = run("simulate", folder / name, *SHORT, "--skew", "1s", "--plot", path)
    assert result.exit_code == 0, result.output
    assert result.stderr == f"drawn: {path}\n"
    picture = imread(path)
    ink: Any = (picture[..., :3] < 0.9).any(axis=-1)
    assert 0.02 < ink.mean() < 0.6
    assert ink.any(axis=0).mean() > 0.7  # from the left to the right
    red: Any = np.abs(picture[..., :3] - np.array([0xD5, 0x5E, 0x00]) / 255) < 0.02
    area = red.all(axis=-1).mean()
    assert (area > 0.02) == (name == "full.json")  # bars of losses


def test_a_picture_of_a_moment_in_which_nothing_happens(tmp_path: Path) -> None:
    write_plan(plan(1, rate=1e-6, nodes=1), tmp_path / "plan.json")
    path = tmp_path / "simulated.svg"
    result = run("simulate", tmp_path / "plan.json", "--duration", "1s", "--plot", path)
    assert result.exit_code == 0, result.output
    assert "no result left the sink in time" in result.stdout
    assert path.read_bytes().startswith(b"<?xml")


# What cannot be ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--sending trace", "--sending trace: say of which items, --trace FILE"),
        ("--sending tick --burst 3", "--burst 3 belongs to --sending bursty; ask for that, or"),
        ("--burst 3 --jitter 1s", "--jitter 1s belongs to --sending tick"),
        ("--burst 3 --burst-share 50%", "--burst-share 0.5 of the time leave no rate for the rest"),
        ("--burst x", "--burst x: give a number of 0 or more"),
        ("--back-off 1s", "--back-off 1s is that of refused tuples; add --retry"),
        ("--retry --back-off 0s", "--back-off 0.0s is not a number above 0"),
        ("--duration 0s", "--duration 0s: give a duration above 0, such as 1h"),
        ("--burst-length 0s", "--burst-length 0s: give a duration above 0, such as 10s"),
        ("--duration 5", "--duration 5 has no unit"),
        ("--seed -1", "--seed -1: give a whole number of 0 or more"),
        ("--seed 1.5", "--seed 1.5: give a whole number of 0 or more"),
        ("--seeds 0", "--seeds 0: give a whole number of 1 or more"),
        ("--time ts", "--time ts is a column of a trace; say of which, --trace FILE"),
        ("--trace nowhere.csv", "nowhere.csv: there is no such file"),
        ("--plot picture.txt", "--plot picture.txt: give a file that ends with .png, .svg, .pdf"),
    ],
)
def test_what_cannot_be_is_named_with_a_way_out(folder: Path, options: str, said: str) -> None:
    assert said in complaint(folder / "full.json", *options.split())


def test_files_that_are_no_plans_are_named(tmp_path: Path) -> None:
    assert "nowhere.json cannot be read" in complaint("nowhere.json")
    other = tmp_path / "other.json"
    other.write_text("no plan")
    assert "other.json is not JSON" in complaint(other)
