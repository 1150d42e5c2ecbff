"""Command lines of junk: they end with 0 or 2, say why in words of ours, and end soon.

What would start Spark or the compiler is stopped right before: all that is read is read by then.
"""

import random
import re
from pathlib import Path
from typing import Any

import click
import pyarrow as pa
import pyarrow.parquet
import pytest
from click.testing import CliRunner

from tests.cli.support import GOOD, STREAM
from tests.fuzz.texts import changed, junk, within_seconds
from windrow.cli import main

assert isinstance(main, click.Group)
TREE = main.commands["tree"]
assert isinstance(TREE, click.Group)
# By the words that call them; the other commands of `tree` are about trees that run.
COMMANDS: dict[tuple[str, ...], click.Command] = {
    (name,): one for name, one in main.commands.items() if one is not TREE
}
COMMANDS |= {("tree", name): TREE.commands[name] for name in ("keys", "make")}
NEAR: dict[str, tuple[str, ...]] = {
    "aggregate": ("mean", "sum", "max", "count", "median", "stddev(temp, ddof=0)"),
    "arrivals": ("tick", "poisson"),
    "back_off": ("1s", "200ms"),
    "burst": ("1.5", "4"),
    "burst_share": ("5%", "1"),
    "by": ("device", "ts"),
    "bytes": ("bytes", "device"),
    "classes": ("count=100,rate=2/s,size=1kB,name=meters", "count=5,rate=1/min"),
    "column": ("temp", "device"),
    "confidence": ("0.95", "1"),
    "device": ("device", "temp"),
    "draw": ("tree.png",),
    "duration": ("1h", "10s"),
    "emit": ("change", "close"),
    "hottest": ("10%", "1"),
    "limit": ("20", "1"),
    "limits": ("20/s", "1MB/s"),
    "loss": ("0.001", "0.5"),
    "margin": ("10%", "0.99"),
    "master": ("local[1]",),
    "new_sources": ("950", "1e12"),
    "nodes": ("items=20/s,bytes=1MB/s,price=0.01,delay=20ms,name=shard", "preset=kinesis"),
    "out": ("new.json",),
    "period": ("20min", "1s"),
    "plot": ("new.png",),
    "preset": ("kinesis", "gateway"),
    "rate": ("0.5/s", "1/min", "1e9/s"),
    "routing": ("item", "source"),
    "seed": ("0", "7"),
    "seeds": ("1", "10"),
    "sending": ("poisson", "tick", "trace", "bursty", "periodic"),
    "settings": ("sink.path=x", "strategy=kernel", "spark.a=b"),
    "size": ("100", "1 hour", "1kB"),
    "sources": ("500", "1e6", "1e18"),
    "target_error": ("0.1%",),
    "target_bytes": ("1MB",),
    "time": ("ts",),
}
NEEDED = {
    "plan": ("sources", "rate", "limits"),
    "tune": ("aggregate", "size", "column"),
}
# Ours come after a semicolon or in brackets, or are all that is said; click points at its help.
WAY_OUT = re.compile(r"; |\(.+\)|: (?:say|give|write|name) |--help")


def reached(*arguments: Any, **options: Any) -> Any:
    """All has been read, and work would begin."""
    raise click.exceptions.Exit(0)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of good files, and commands that end where work would begin."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("windrow.cli.run.opened", reached)
    monkeypatch.setattr("windrow.cli.state.opened", reached)
    monkeypatch.setattr("windrow.edge.processes.starting.process_of", reached)
    monkeypatch.setattr("windrow.cli.calibrate.command._measured", reached)
    monkeypatch.setattr("windrow.approximate.tuning.trial.Trial", reached)
    monkeypatch.setattr("windrow.topology.simulation.running._compiled", reached)
    for module in ("tune.plot", "plan.picture", "simulate.picture"):
        monkeypatch.setattr(f"windrow.cli.{module}.draw", reached)
    rows = {"ts": [0.5, 1.0, 2.5], "device": ["a", "b", "a"], "temp": [1, 2, 4], "bytes": [1, 1, 9]}
    pa.parquet.write_table(pa.table(rows), "rows.parquet")
    Path("rows.csv").write_text("ts,device,temp,bytes\n0,a,1,1\n1,b,2,2\n2,a,3,3\n")
    Path("rows.jsonl").write_text('{"ts": 0, "device": "a", "temp": 1}\n{"ts": 9, "device": "b"}\n')
    Path("job.yaml").write_text(GOOD)
    Path("stream.yaml").write_text(STREAM)
    Path("checkpoint").mkdir()
    plans: list[list[str]] = [[], ["--loss", "0.001"], ["--keys", "50"]]
    for number, more in enumerate(plans):
        made = ["plan", "--sources", "500", "--rate", "0.5/s", "--limit", "20/s", *more]
        assert CliRunner().invoke(main, [*made, "--out", f"{number}.json"]).exit_code == 0
    return tmp_path


def a_file(rng: random.Random) -> str:
    """One of the good files, one that was changed, or no file at all."""
    good = [path.name for path in Path().iterdir() if not path.name.startswith("changed")]
    name = rng.choice(good) if good else "job.yaml"
    if rng.random() < 0.1:
        return junk(rng)
    if rng.random() < 0.6 or not Path(name).is_file():
        return name
    text = changed(Path(name).read_text("latin-1"), rng)
    path = Path(f"changed{Path(name).suffix}")
    path.write_text(text, encoding=rng.choice(("latin-1", "utf-8", "utf-16")), errors="replace")
    return path.name


def a_value(option: click.Parameter, rng: random.Random) -> str:
    if rng.random() < 0.2:
        return junk(rng)
    if isinstance(option.type, click.Path):
        near = NEAR.get(option.name or "", ())
        return rng.choice(near) if near and rng.random() < 0.8 else a_file(rng)
    value = rng.choice(NEAR.get(option.name or "", ("10%", "5", "2s")))
    return changed(value, rng) if rng.random() < 0.2 else value


def a_command_line(rng: random.Random) -> list[str]:
    words, command = rng.choice(sorted(COMMANDS.items(), key=lambda one: one[0]))
    name = words[-1]
    arguments = [p for p in command.params if isinstance(p, click.Argument)]
    options = [p for p in command.params if isinstance(p, click.Option)]
    chosen = [p for p in options if p.name in NEEDED.get(name, ()) and rng.random() < 0.9]
    chosen += rng.sample(options, min(len(options), rng.choice((0, 1, 1, 2, 3))))
    line = [*words]
    for option in chosen:
        line.append(rng.choice(option.opts))
        if not option.is_flag:
            line.append(a_value(option, rng))
    if rng.random() < (0.15 if name == "plan" else 0.95):
        line += [a_file(rng) for _ in arguments]
    if rng.random() < 0.05:
        line.insert(rng.randrange(len(line) + 1), junk(rng))
    return [part for part in line if part != "--debug"]  # which shows tracebacks


def fault(line: list[str]) -> str | None:
    """What is wrong with how a command line ends, if anything is."""
    with within_seconds(20):
        done = CliRunner().invoke(main, line)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        return f"raises {done.exception!r}"
    if done.exit_code not in {0, 2} or "Traceback" in done.output:
        return f"ends with {done.exit_code}: {done.output[:2000]}"
    if done.exit_code == 2 and not WAY_OUT.search(done.stderr):
        return f"has no way out: {done.stderr[:2000]}"
    return None


def check(seed: int, count: int) -> None:
    rng = random.Random(seed)
    for number in range(count):
        line = a_command_line(rng)
        assert (wrong := fault(line)) is None, f"{number} of seed {seed}: {line} {wrong}"


def test_some_command_lines_of_junk_run_or_are_refused(folder: Path) -> None:
    check(seed=0, count=200)


@pytest.mark.slow
def test_many_command_lines_of_junk_run_or_are_refused(folder: Path) -> None:
    check(seed=1, count=20_000)
