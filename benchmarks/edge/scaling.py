"""What more leaves, windows and keys cost the busiest node, in a tree and with a central root."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from benchmarks.edge.cores import MODES, Cores, batches, job, mode
from benchmarks.findings import Bar, Experiment, Findings, Table, at_most, chosen
from benchmarks.measure import Bench, Case, Measured, summary, uncollected

__all__ = ["KEYS", "SCALING", "WINDOWS", "Sizes", "throughput"]


@dataclass(frozen=True)
class Sizes:
    """How many of what is varied, and how long rows come."""

    numbers: tuple[int, ...]
    rows: int  # a second of event time, of each leaf
    seconds: int


_COUNT = "count, 10,000 rows"
_WARM = 2  # seconds that do not count: kernels are compiled, and the first windows end
_PER_SECOND = 10  # batches


def _scaling(sizes: Sizes, bench: Bench) -> Findings:
    measured: list[Measured] = []
    for leaves in sizes.numbers:
        for name in ("max", "mean", "median"):
            for way in MODES:
                case = {"aggregate": name, "leaves": leaves}
                measured += _busiest(way, case, job(name), leaves, 1, sizes, bench)
        # Rows travel for such a window in any case.
        text = job("max", "{count: {size: 10000, every: 10000}}")
        case = {"aggregate": _COUNT, "leaves": leaves}
        measured += _busiest("tree", case, text, leaves, 1, sizes, bench)
    bars = []
    most, least = sizes.numbers[-1], sizes.numbers[0]
    costs = []
    for name in ("max", "mean", "median"):
        own = [_at_leaf(measured, name, leaves) for leaves in (least, most)]
        costs.append(own[1] / own[0])
    bars.append(at_most(f"CPU of a leaf, {most} leaves : {least}", 1.1, costs, "×"))
    return _found(measured, "leaves", "throughput of all leaves together", bars)


def _at_leaf(measured: Sequence[Measured], name: str, leaves: int) -> float:
    return chosen(measured, contender="tree, a leaf", aggregate=name, leaves=leaves)[0].median


def _windows(sizes: Sizes, bench: Bench) -> Findings:
    measured: list[Measured] = []
    for windows in sizes.numbers:
        tenths = np.random.default_rng(0).integers(10, 201, windows)
        tenths[0] = 10
        named = (f"w{k}: {{tumbling: {100 * tenth} ms}}" for k, tenth in enumerate(tenths))
        asked = "{" + ", ".join(named) + "}"
        for name in ("max", "median"):
            for way in MODES:
                case = {"aggregate": name, "windows": windows}
                measured += _busiest(way, case, job(name, asked), 1, 1, sizes, bench)
    return _found(measured, "windows", "throughput by concurrent windows of 1 to 20 s", [])


def _keys(sizes: Sizes, bench: Bench) -> Findings:
    measured: list[Measured] = []
    for keys in sizes.numbers:
        for name in ("max", "median"):
            for way in MODES:
                case = {"aggregate": name, "keys": keys}
                measured += _busiest(way, case, job(name), 1, keys, sizes, bench)
    return _found(measured, "keys", "throughput by keys", [])


def _busiest(
    way: str, case: Case, text: str, leaves: int, keys: int, sizes: Sizes, bench: Bench
) -> list[Measured]:
    """Nanoseconds per row of all leaves: at the busiest node, at one leaf, and at the root."""
    names = [f"leaf-{place}" for place in range(leaves)]
    turns = (sizes.seconds + _WARM) * _PER_SECOND
    given = [
        batches(turns, sizes.rows // _PER_SECOND, keys, per_second=sizes.rows, seed=place)
        for place in range(leaves)
    ]
    all_rows = sizes.rows * sizes.seconds * leaves
    busiest, at_leaf, at_root = [], [], []
    bench.progress.begin(f"{way}, {', '.join(map(str, case.values()))}")
    with uncollected(), mode(way):
        for _ in range(max(1, bench.repetitions // 2)):
            cores = Cores({"root": names}, text)
            for place, turn in enumerate(zip(*given, strict=True)):
                if place == _WARM * _PER_SECOND:
                    cores.forget()
                for name, rows in zip(names, turn, strict=True):
                    cores.insert(name, rows)
            own = sorted(cores.spent[name] for name in names)[leaves // 2]
            at_leaf.append(own / (all_rows / leaves))
            at_root.append(cores.spent["root"] / all_rows)
            busiest.append(max(at_leaf[-1] / leaves, at_root[-1]))
    found = [(way, busiest), (f"{way}, a leaf", at_leaf), (f"{way}, the root", at_root)]
    bench.progress.end(f"{1000 / min(busiest):.1f} million rows / s")
    return [summary(name, case, spent, all_rows) for name, spent in found]


def throughput(measured: Measured) -> float:
    """Million rows a second that a tree takes when its busiest node has nothing left."""
    return 1000 / measured.median


def _found(measured: Sequence[Measured], along: str, title: str, bars: Sequence[Bar]) -> Findings:
    parts = dict.fromkeys((str(m.case["aggregate"]), int(m.case[along])) for m in measured)
    lines = []
    for name, number in parts:
        line = [name, f"{number:,}"]
        for way in MODES:
            for part, unit in (("", throughput), (", a leaf", _ns), (", the root", _ns)):
                found = chosen(measured, contender=way + part, aggregate=name, **{along: number})
                line.append(f"{unit(found[0]):.1f}" if found else "")
        lines.append(line)
    header = ["", along]
    header += list(chain(*([f"{way}: M rows/s", "leaf ns", "root ns"] for way in MODES)))
    notes = ["M rows/s: of all leaves, when the busiest node has no processor time left"]
    if along == "windows":
        notes.append("in the first seconds of event time: longer windows have not ended yet")
    return Findings(measured, [Table(title, header, lines)], bars, notes)


def _ns(measured: Measured) -> float:
    return measured.median


SCALING = Experiment(
    "scaling",
    "How does a tree scale with its leaves, beside a root that does all the work?",
    _scaling,
    full=Sizes((1, 2, 4, 8), 200_000, 3),
    quick=Sizes((1, 4), 100_000, 2),
)

WINDOWS = Experiment(
    "windows",
    "What do concurrent windows cost?",
    _windows,
    full=Sizes((1, 5, 10, 50, 100, 1_000), 1_000_000, 3),
    quick=Sizes((1, 100), 50_000, 5),
)

KEYS = Experiment(
    "keys",
    "What do keys cost?",
    _keys,
    full=Sizes((1, 10, 100, 1_000, 10_000, 100_000), 400_000, 2),
    quick=Sizes((1, 1_000), 100_000, 2),
)
