"""What a root merges of many children, and what idle leaves cost a merger."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.edge.cores import SECOND, Cores, batches, job
from benchmarks.findings import Experiment, Findings, Table, at_least, at_most, chosen
from benchmarks.measure import Bench, Measured, summary, uncollected
from windrow.edge.merger import Merger
from windrow.wire.messages import Frame, Hello, Status, Welcome, decode, encode

__all__ = ["ROOT", "RootSizes", "run"]

_CREDIT = 1 << 40


@dataclass(frozen=True)
class RootSizes:
    """Numbers of children, keys of each, windows of each, and how many leaves are idle."""

    children: tuple[int, ...]
    keys: int
    windows: int
    median_keys: int
    idle: int


def run(sizes: RootSizes, bench: Bench) -> Findings:
    """CPU time of the root alone, and of a merger."""
    measured = [
        _root(name, children, sizes, bench)
        for children in sizes.children
        for name in ("max", "mean", "median")
    ]
    idle = _idle(sizes.idle, bench)
    lines = [[m.contender, f"{m.case['children']}", f"{1000 / m.median:.2f}"] for m in measured]
    table = Table("states at the root", ["", "children", "million states / CPU s"], lines)
    states = [1000 / m.median for m in chosen(measured, contender="max")]
    share = idle.median / SECOND / 1000
    bars = [
        at_least("max, states at the root", 2, states, "million / CPU s"),
        at_most(f"{sizes.idle:,} idle leaves at a merger", 0.10, [share], "of a core"),
    ]
    return Findings([*measured, idle], [table], bars)


def _root(name: str, children: int, sizes: RootSizes, bench: Bench) -> Measured:
    """Each child has a row of each key in each window, or a hundred for holistic states."""
    names = [f"leaf-{place:02}" for place in range(children)]
    keys, each = (sizes.median_keys, 100) if name == "median" else (sizes.keys, 1)
    rows = keys * each
    given = batches(sizes.windows + 2, 2 * rows, keys, per_second=2 * rows)
    bench.progress.begin(f"{name}, {children} children")
    found = []
    with uncollected():
        for _ in range(max(1, bench.repetitions // 2)):
            cores = Cores({"root": names}, job(name))
            for place, table in enumerate(given):
                if place == 2:
                    cores.forget()
                    cores.results = 0
                for leaf in names:
                    cores.insert(leaf, table)
            cores.end()
            found.append(cores.spent["root"] / (cores.results * children))
    bench.progress.end(f"{1000 / min(found):.2f} million states / s")
    return summary(name, {"children": children}, found, cores.results * children)


def _idle(leaves: int, bench: Bench) -> Measured:
    """Nanoseconds of a merger's processor in a second in which no leaf has a row."""
    names = [f"leaf-{place:04}" for place in range(leaves)]
    merger = Merger("merger", names, 1, [job("max")])
    query = merger.queries[0]
    for message in merger.upward(0):
        decode(encode(message))
    merger.receive_from_parent(Welcome((query,), 0, {}, {}, {}, _CREDIT), 1)
    for name in names:
        merger.receive(name, Hello(1), 1)
        merger.receive(name, Frame(query, 0, 0, 0, b""), 1)
    merger.step(1)
    bench.progress.begin(f"{leaves:,} idle leaves")
    spent = []
    with uncollected():
        for second in range(1, bench.repetitions + 2):
            now = second * SECOND
            contents = [encode(Frame(query, now - SECOND, now, 0, b"")) for _ in names]
            sign = encode(Status({}))
            start = time.process_time_ns()
            for name, content in zip(names, contents, strict=True):
                merger.receive(name, decode(content), now)
                merger.receive(name, decode(sign), now)
            _encoded(merger, now)
            if second > 1:
                spent.append(time.process_time_ns() - start)
    bench.progress.end(f"{100 * min(spent) / SECOND / 1000:.1f} % of a core")
    return summary("idle", {"children": leaves}, spent)


def _encoded(merger: Merger, now: int) -> Sequence[bytes]:
    below = [encode(sent.message) for sent in merger.step(now)]
    return below + [encode(message) for message in merger.upward(now)]


ROOT = Experiment(
    "root",
    "How many states does a root merge, and what do idle leaves cost?",
    run,
    full=RootSizes((1, 2, 4, 8, 16), 50_000, 2, 1_000, 1_000),
    quick=RootSizes((1, 4), 20_000, 2, 200, 100),
)
