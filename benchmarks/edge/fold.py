"""What folding rows costs a leaf: rows per CPU second, by aggregate, keys, windows and batch."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.findings import Bar, Experiment, Findings, Table, at_least, chosen
from benchmarks.measure import Bench, Case, Measured, summary, uncollected
from windrow import agg, window
from windrow.algebra.aggregate import Aggregate
from windrow.columnar.result_types import result_type
from windrow.engines.aligned import AlignedWindows
from windrow.engines.definition import Definition

__all__ = ["FOLD", "FoldSizes", "run"]

_ROWS_PER_SECOND = 100_000  # of event time
_SCHEMA = pa.schema(
    [
        ("k0", pa.string()),
        pa.field("t", pa.int64(), nullable=False),
        pa.field("n", pa.int64(), nullable=False),
        ("v0", pa.float64()),
    ]
)
_AGGREGATES: dict[str, Aggregate[Any]] = {"max": agg.max("v0"), "median": agg.median("v0")}


@dataclass(frozen=True)
class FoldSizes:
    """Rows of a batch, how many batches, and numbers of keys and of windows."""

    rows: tuple[int, ...]
    batches: int
    keys: tuple[int, ...]
    windows: tuple[int, ...]


def run(sizes: FoldSizes, bench: Bench) -> Findings:
    """CPU time of one process, cases in turns."""
    measured: list[Measured] = []
    for rows in sizes.rows:
        cases = [(name, keys, 1) for name in _AGGREGATES for keys in sizes.keys]
        cases += [(name, 1, windows) for name in _AGGREGATES for windows in sizes.windows[1:]]
        measured += _in_turns(rows, sizes.batches, cases, bench)
    lines = [
        [m.contender, *(f"{m.case[part]:,}" for part in ("keys", "windows", "rows")), _millions(m)]
        for m in measured
    ]
    header = ["", "keys", "windows", "rows a batch", "million rows / CPU s"]
    return Findings(measured, [Table("folded into slices", header, lines)], _bars(measured, sizes))


def _in_turns(
    rows: int, batches: int, cases: Sequence[tuple[str, int, int]], bench: Bench
) -> list[Measured]:
    bench.progress.begin(f"batches of {rows:,} rows")
    engines = [_engine(name, windows) for name, _, windows in cases]
    spent: list[list[float]] = [[] for _ in cases]
    with uncollected():
        for turn in range(bench.repetitions + 1):
            for place, (_, keys, _) in enumerate(cases):
                given = _batches(rows, batches, keys)
                start = time.process_time_ns()
                for batch in given:
                    engines[place].fold(batch)
                if turn:  # before that, kernels are compiled or loaded
                    spent[place].append((time.process_time_ns() - start) / (rows * batches))
    measured = []
    for (name, keys, windows), own in zip(cases, spent, strict=True):
        case: Case = {"keys": keys, "windows": windows, "rows": rows}
        measured.append(summary(name, case, own, rows * batches))
    bench.progress.end(", ".join(f"{m.contender} {_millions(m)} M/s" for m in measured))
    return measured


def _engine(name: str, windows: int) -> AlignedWindows:
    aggregate = _AGGREGATES[name]
    kinds = [(f"w{k}" if windows > 1 else "", k) for k in range(1, windows + 1)]
    result = result_type(aggregate, [_SCHEMA.field(column).type for column in aggregate.columns])
    tumbling = tuple((own, window.tumbling(f"{k} s")) for own, k in kinds)
    return AlignedWindows(Definition(tumbling, ((name, aggregate),), _SCHEMA, (result,)))


@cache
def _batches(rows: int, batches: int, keys: int) -> list[pa.Table]:
    """Rows in the order of time, each of any key."""
    rng = np.random.default_rng(0)
    number = rows * batches
    names = pa.array([f"sensor-{key:06}" for key in range(keys)])
    columns = [
        names.take(pa.array(rng.integers(keys, size=number))),
        1_700_000_000_000_000 + np.arange(number) * (1_000_000 // _ROWS_PER_SECOND),
        np.arange(number),
        rng.uniform(0, 100, number),
    ]
    table = pa.table(columns, schema=_SCHEMA)
    return [table.slice(start, rows) for start in range(0, number, rows)]


def _millions(measured: Measured) -> str:
    return f"{1000 / measured.median:.1f}"


def _bars(measured: Sequence[Measured], sizes: FoldSizes) -> list[Bar]:
    """Those of a whole leaf; folding alone must leave room for the rest of it."""

    def speeds(name: str, keys: int, windows: int) -> list[float]:
        found = chosen(measured, contender=name, keys=keys, windows=windows)
        return [1000 / one.median for one in found]

    def ratios(name: str, keys: int, windows: int) -> list[float]:
        pairs = zip(speeds(name, keys, windows), speeds(name, 1, 1), strict=True)
        return [own / one for own, one in pairs]

    most_windows = sizes.windows[-1]
    unit = "million rows / CPU s"
    return [
        at_least("max, one key and window", 8, speeds("max", 1, 1), unit),
        at_least("median, one key and window", 3, speeds("median", 1, 1), unit),
        at_least(f"max, {sizes.keys[-1]:,} keys", 5 * 0.4, speeds("max", sizes.keys[-1], 1), unit),
        at_least(f"max, {most_windows:,} windows : one", 0.8, ratios("max", 1, most_windows), "×"),
    ]


FOLD = Experiment(
    "fold",
    "How many rows does a leaf fold in a second of its processor?",
    run,
    full=FoldSizes((10_000, 100_000), 10, (1, 10, 1_000, 100_000), (1, 1_000)),
    quick=FoldSizes((10_000,), 3, (1, 100_000), (1, 1_000)),
)
