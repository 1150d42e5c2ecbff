"""What a whole leaf takes: rows in, log, frames out; and what a safe log costs it."""

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.edge.cores import SECOND, Forgetful, batches, job, replaced
from benchmarks.findings import Bar, Experiment, Findings, Table, at_least, chosen
from benchmarks.measure import Bench, Case, Measured, summary, uncollected
from windrow.edge import leaf as leaf_module
from windrow.edge.clock import Pace
from windrow.edge.leaf import Batch, Leaf
from windrow.edge.sources.rows import json_rows
from windrow.wire.log import Disk, Log
from windrow.wire.messages import Ack, Frame, Message, Welcome, encode

__all__ = ["LEAF", "LeafSizes", "run"]

_CREDIT = 1 << 40


@dataclass(frozen=True)
class LeafSizes:
    """Rows of a batch, how many batches, and numbers of keys and of windows."""

    rows: int
    batches: int
    keys: tuple[int, ...]
    windows: int


def run(sizes: LeafSizes, bench: Bench) -> Findings:
    """CPU time of one process, cases in turns."""
    few, many = sizes.keys[0], sizes.keys[-1]
    cases = [(name, keys, 1, "log") for name in ("max", "mean", "median") for keys in sizes.keys]
    cases += [("max", few, sizes.windows, "log"), ("max", few, 1, "JSON"), ("max", few, 1, "none")]
    cases += [("max", many, 1, "none")] if many != few else []
    spent: list[list[float]] = [[] for _ in cases]
    number = sizes.rows * sizes.batches
    bench.progress.begin(f"{number:,} rows")
    with uncollected():
        for turn in range(bench.repetitions + 1):
            for place, (name, keys, windows, kind) in enumerate(cases):
                given = batches(sizes.batches, sizes.rows, keys)
                nanoseconds = _leaf(name, windows, kind, given)
                if turn:  # before that, kernels are compiled or loaded
                    spent[place].append(nanoseconds / number)
    measured = []
    for (name, keys, windows, kind), own in zip(cases, spent, strict=True):
        case: Case = {"keys": keys, "windows": windows, "source": kind}
        measured.append(summary(name, case, own, number))
    bench.progress.end(", ".join(f"{m.contender} {_millions(m)} M/s" for m in measured))
    lines = [
        [m.contender, f"{m.case['keys']:,}", f"{m.case['windows']:,}", _KINDS[kind], _millions(m)]
        for m in measured
        for kind in [str(m.case["source"])]
    ]
    header = ["", "keys", "windows", "", "million rows / CPU s"]
    return Findings(measured, [Table("rows into a leaf", header, lines)], _bars(measured, sizes))


_KINDS = {"log": "Arrow, log on disk", "JSON": "JSON lines, log on disk", "none": "Arrow, no log"}


def _leaf(name: str, windows: int, kind: str, given: Sequence[pa.Table]) -> int:
    """The nanoseconds that a leaf's processor spends on batches."""
    asked = "{tumbling: 1 second}"
    if windows > 1:
        asked = _named({f"w{k}": f"{{tumbling: {k} seconds}}" for k in range(1, windows + 1)})
    text = job(name, asked)
    if kind == "none":
        with replaced(leaf_module, "rows_as_bytes", lambda _: b""):
            return _spent(Forgetful(), text, given)
    with tempfile.TemporaryDirectory() as folder:
        log = Log(Path(folder) / "log")
        try:
            return _spent(log, text, given, as_json=kind == "JSON")
        finally:
            log.close()


def _spent(disk: Disk, text: str, given: Sequence[pa.Table], *, as_json: bool = False) -> int:
    leaf = Leaf("leaf", disk, [text], Pace(live=False))
    query = leaf.queries[0]
    leaf.step(0)
    leaf.receive(Welcome((query,), 0, {}, {}, {}, _CREDIT), 1)
    contents = [_lines(rows) if as_json else rows for rows in given]
    schema = leaf.schema
    start = time.process_time_ns()
    for number, content in enumerate(contents):
        rows = json_rows(content, schema).table if isinstance(content, bytes) else content
        leaf.insert([Batch("source", rows, number)], SECOND)
        _acknowledged(leaf, leaf.step(SECOND))
    leaf.end()
    leaf.step(SECOND)
    return time.process_time_ns() - start


def _acknowledged(leaf: Leaf, messages: Sequence[Message]) -> None:
    for message in messages:
        encode(message)
        if isinstance(message, Frame):
            leaf.receive(Ack(message.query, message.to, message.to, _CREDIT), SECOND)


def _named(windows: dict[str, str]) -> str:
    return "{" + ", ".join(f"{name}: {window}" for name, window in windows.items()) + "}"


def _lines(rows: pa.Table) -> bytes:
    times = rows["ts"].cast(pa.timestamp("us")).cast(pa.string()).to_pylist()
    columns: Any = zip(times, rows["sensor"].to_pylist(), rows["temp"].to_pylist(), strict=True)
    lines = (f'{{"ts":"{t}","sensor":"{s}","temp":{v!r}}}' for t, s, v in columns)
    return "\n".join(lines).encode()


def _millions(measured: Measured) -> str:
    return f"{1000 / measured.median:.2f}"


def _bars(measured: Sequence[Measured], sizes: LeafSizes) -> list[Bar]:
    def speed(name: str, keys: int, windows: int = 1, source: str = "log") -> float:
        found = chosen(measured, contender=name, keys=keys, windows=windows, source=source)
        return 1000 / found[0].median

    few, many = sizes.keys[0], sizes.keys[-1]
    unit = "million rows / CPU s"
    one = speed("max", few)
    windows = speed("max", few, sizes.windows)
    safe = [speed("max", keys) / speed("max", keys, source="none") for keys in {few, many}]
    return [
        at_least(f"max, {few:,} key", 5, [one], unit),
        at_least(f"median, {few:,} key", 2, [speed("median", few)], unit),
        at_least(f"max, {many:,} keys : {few:,}", 0.4, [speed("max", many) / one], "×"),
        at_least(f"max, {sizes.windows:,} windows : one", 0.8, [windows / one], "×"),
        at_least("JSON lines", 0.5, [speed("max", few, source="JSON")], unit),
        at_least("max, log on disk : none", 0.7, safe, "×"),
    ]


LEAF = Experiment(
    "leaf",
    "How many rows does a whole leaf take in a second of its processor?",
    run,
    full=LeafSizes(100_000, 20, (1, 1_000, 100_000), 1_000),
    quick=LeafSizes(100_000, 10, (1, 100_000), 1_000),
)
