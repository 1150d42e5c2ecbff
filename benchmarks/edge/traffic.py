"""How many bytes travel between levels, in a tree and with a central root."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import pyarrow as pa

from benchmarks.edge.cores import MODES, Cores, batches, job, mode
from benchmarks.findings import Bar, Experiment, Findings, Table, at_most, chosen
from benchmarks.measure import Bench, Case, Measured, summary

__all__ = ["TRAFFIC", "TrafficSizes", "run"]

_MANY = "max, many keys"
_ANY = "median, any floats"
_CASES = {"max": (10, "max", 2), "mean": (10, "mean", 2), "median": (10, "median", 2)}


@dataclass(frozen=True)
class TrafficSizes:
    """Heights of a chain of nodes, rows and batches of its leaf, and how many keys are many."""

    heights: tuple[int, ...]
    rows: int
    batches: int
    keys: int


def run(sizes: TrafficSizes, bench: Bench) -> Findings:
    """Bytes of a chain of nodes, as the document's."""
    measured: list[Measured] = []
    for name, (keys, aggregate, decimals) in _cases(sizes).items():
        given = batches(sizes.batches, sizes.rows, keys, decimals=decimals)
        for height in sizes.heights:
            for way in MODES:
                bench.progress.begin(f"{name}, {height} levels, {way}")
                with mode(way):
                    measured += _chain(way, name, aggregate, height, given)
                bench.progress.end(f"{measured[-1].median:,.0f} bytes")
    number = sizes.rows * sizes.batches
    lines = []
    for name in _cases(sizes):
        for height in sizes.heights:
            line = [name, str(height)]
            for way in MODES:
                own = chosen(measured, aggregate=name, height=height)
                all_bytes = chosen(own, contender=way)[0].median
                level = chosen(own, contender=f"{way}, a level")[0].median
                line += [f"{all_bytes / 1e6:,.2f}", f"{level / number:,.3f}"]
            lines.append(line)
    header = ["", "height", *(f"{way}: {what}" for way in MODES for what in ("MB", "bytes a row"))]
    notes = ["MB: of all levels, the rows that come to the leaf as Arrow included"]
    title = f"{number:,} rows, a window of 1 s"
    return Findings(measured, [Table(title, header, lines)], _bars(measured, sizes), notes)


def _cases(sizes: TrafficSizes) -> dict[str, tuple[int, str, int | None]]:
    return {**_CASES, _ANY: (10, "median", None), _MANY: (sizes.keys, "max", 2)}


def _chain(
    way: str, name: str, aggregate: str, height: int, given: Sequence[pa.Table]
) -> list[Measured]:
    nodes = ["root", *(f"m{level}" for level in range(height - 2)), "leaf"]
    cores = Cores({above: [below] for above, below in pairwise(nodes)}, job(aggregate))
    for rows in given:
        cores.insert("leaf", rows)
    cores.end()
    came = sum(_ipc_bytes(rows) for rows in given)
    found = {
        way: came + cores.sent.total(),
        f"{way}, a level": cores.sent.total() / (height - 1),
        f"{way}, a frame": max(cores.longest.values()),
        f"{way}, a state": cores.frame_bytes["leaf"] / max(1, cores.results),
    }
    case: Case = {"aggregate": name, "height": height}
    return [summary(who, case, [size]) for who, size in found.items()]


def _ipc_bytes(rows: pa.Table) -> int:
    sink = pa.MockOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows)
    size: int = sink.size()
    return size


def _bars(measured: Sequence[Measured], sizes: TrafficSizes) -> list[Bar]:
    def figures(who: str, name: str) -> list[float]:
        return [one.median for one in chosen(measured, contender=who, aggregate=name)]

    def ratios(name: str) -> list[float]:
        pair = (figures("tree, a level", name), figures("central, a level", name))
        return [own / rows for own, rows in zip(*pair, strict=True)]

    frames = [*figures("tree, a frame", "max"), *figures("tree, a frame", "mean")]
    return [
        at_most("a frame of 10 keys", 1_000, frames, "bytes"),
        at_most(f"a key's state, of {sizes.keys:,}", 20, figures("tree, a state", _MANY), "bytes"),
        at_most("median : central", 0.35, ratios("median"), "×"),
        at_most("median of any floats : central", 0.35, ratios(_ANY), "×"),
    ]


TRAFFIC = Experiment(
    "traffic",
    "How many bytes travel on all levels of a tree?",
    run,
    full=TrafficSizes((2, 3, 4, 5), 100_000, 20, 10_000),
    quick=TrafficSizes((2, 3), 50_000, 10, 1_000),
)
