"""Keeping one window step by step: each structure, in Python and compiled, and river."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from benchmarks.clocked import ClockedForest, clock_cost
from benchmarks.data import AGGREGATES, LONGEST_RUN, positive
from benchmarks.findings import Experiment, Findings, Table, at_most, chosen, pivot
from benchmarks.keepers import Keeper, compiled, keepers
from benchmarks.measure import Bench, Contender, Measured, percentiles, timed, uncollected
from benchmarks.numbers import duration, size
from benchmarks.streams import Stream

__all__ = ["STRUCTURES", "StructureSizes", "run"]

_BATCHES = "CompiledAmta.advance"
_PLAIN = ("sum", "max")  # a state is one number
_AT_BAR = 1 << 20
_LARGEST_OF_RUNS = 1 << 20  # a state is ten numbers: beyond that, gigabytes


@dataclass(frozen=True)
class StructureSizes:
    """How large windows are, and how many steps are measured."""

    windows: tuple[int, ...]
    python_window: int  # the largest that is filled from Python, which takes long,
    plain_window: int  # and the largest of plain numbers
    steps: int
    compiled_steps: int
    aggregates: tuple[str, ...] = tuple(AGGREGATES)


def run(sizes: StructureSizes, bench: Bench) -> Findings:
    """Nanoseconds per insert + evict + query."""
    # Each of them takes one share to warm up and one for each repetition.
    shares = 1 + bench.repetitions
    values = positive(max(sizes.windows) + shares * sizes.compiled_steps)
    measured: list[Measured] = []
    for name in sizes.aggregates:
        for held in sizes.windows:
            if name == LONGEST_RUN and held > _LARGEST_OF_RUNS:
                continue
            with uncollected():  # structures are full of objects, none of which is garbage
                measured += _side_by_side(Stream(name, values, held), sizes, bench)
    return Findings(
        measured,
        [
            pivot("ns per step, median", measured, ["aggregate", "contender"], columns="window"),
            *(_latencies(measured, held) for held in sizes.windows if held >= sizes.python_window),
        ],
        [
            at_most(f"{_BATCHES}, {name}, {size(_AT_BAR)}", 80, _at_bar(measured, name), "ns")
            for name in _PLAIN
        ],
        [
            f"A step is insert + evict + query of a full window: {sizes.steps:,} steps from Python "
            f"in each repetition (Recompute fewer), {size(sizes.compiled_steps)} in a batch.",
            "Single steps are timed from the very first after filling, when a structure may have "
            "to reorganise itself;",
            "those of a batch in compiled code, where a reading of the clock counts for about "
            f"{percentiles(clock_cost())['p50']:.0f} ns.",
        ],
    )


def _side_by_side(stream: Stream, sizes: StructureSizes, bench: Bench) -> list[Measured]:
    contenders, singles = [], {}
    if stream.held <= (sizes.plain_window if stream.name in _PLAIN else sizes.python_window):
        for keeper in keepers(stream):
            steps = max(sizes.steps // keeper.slowness, 10)
            coming = stream.coming()
            singles[keeper.name] = percentiles(timed(keeper.step, list(islice(coming, steps))))
            contenders.append(_steps(keeper, coming, steps, stream.answer(2 * steps)))
    forest = ClockedForest(stream)
    singles[_BATCHES] = percentiles(forest.advance(sizes.compiled_steps))
    contenders.append(_batches(stream, sizes.compiled_steps))
    measured = bench.side_by_side({"aggregate": stream.name, "window": stream.held}, contenders)
    return [replace(m, percentiles=singles[m.contender]) for m in measured]


def _steps(keeper: Keeper, coming: Iterator[Any], steps: int, expected: Any) -> Contender:
    def run() -> Any:
        answer, step = None, keeper.step
        for update in islice(coming, steps):
            answer = step(update)
        return answer

    return Contender(keeper.name, run, steps, expected)


def _batches(stream: Stream, steps: int) -> Contender:
    window = compiled(stream)
    firsts = iter(range(stream.held, len(stream.columns[0]), steps))

    def run() -> Any:
        first = next(firsts)
        answers = window.advance(*stream.rows(first, first + steps))
        return [a[-1] for a in answers] if isinstance(answers, tuple) else answers[-1]

    return Contender(_BATCHES, run, steps, stream.answer(steps))


def _latencies(measured: Sequence[Measured], held: int) -> Table:
    rows = [
        [str(m.case["aggregate"]), m.contender, *map(duration, m.percentiles.values())]
        for m in chosen(measured, window=held)
        if m.percentiles is not None
    ]
    return Table(
        f"single steps at window {size(held)}",
        ["aggregate", "contender", "p50", "p90", "p99", "max"],
        rows,
    )


def _at_bar(measured: Sequence[Measured], name: str) -> list[float]:
    found = chosen(measured, contender=_BATCHES, aggregate=name, window=_AT_BAR)
    return [m.median for m in found]


STRUCTURES = Experiment(
    name="structures",
    question="what a step of one window costs, one by one and in batches",
    run=run,
    full=StructureSizes(
        windows=(1 << 4, 1 << 10, 1 << 16, 1 << 20, 1 << 22),
        python_window=1 << 16,
        plain_window=1 << 20,
        steps=5_000,
        compiled_steps=1 << 20,
    ),
    quick=StructureSizes(
        windows=(1 << 4, 1 << 10, 1 << 20),
        python_window=1 << 10,
        plain_window=1 << 10,
        steps=500,
        compiled_steps=1 << 18,
    ),
)
