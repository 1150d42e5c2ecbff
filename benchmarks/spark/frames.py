"""Trailing windows of rows beside Spark's default frame; and that their length does not matter."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from pyspark.sql import DataFrame

from benchmarks.findings import Bar, Experiment, Findings, at_least, at_most
from benchmarks.measure import Bench, Case, Measured
from benchmarks.spark.contenders import Build, compared, in_turns
from benchmarks.spark.data import cached, readings
from benchmarks.spark.ratios import WINDROW, faster, times_table
from benchmarks.spark.trailing import by_rows, native_by_rows

__all__ = ["DEFAULT_FRAME", "DEFAULT_FRAME_1M", "FRAMES", "DefaultSizes", "FramesSizes"]

DEFAULT = "default frame"
_TURNS = 5  # where others have one


@dataclass(frozen=True)
class DefaultSizes:
    """Rows of one key; and whether Spark runs only once, and is compared at other sizes."""

    rows: int
    frame: int
    once: bool = False


def run_default(sizes: DefaultSizes, bench: Bench) -> Findings:
    """Spark looks at every row of every frame: a long time."""

    def bar(measured: Sequence[Measured]) -> Bar:
        return at_least(
            f"trailing max, {sizes.frame:,}-row frames, {sizes.rows:,} rows: "
            f"as fast as Spark's {DEFAULT}",
            50,
            faster(measured, DEFAULT),
            "x",
        )

    case = {"rows": sizes.rows, "frame": sizes.frame}
    return _over_one_key(
        sizes.rows,
        {
            WINDROW: partial(by_rows, frame=sizes.frame),
            DEFAULT: partial(native_by_rows, frame=sizes.frame),
        },
        partial(_once if sizes.once else compared, bench, case),
        bar,
    )


def _once(bench: Bench, case: Case, queries: Mapping[str, Build]) -> list[Measured]:
    """Windrow as ever, and then Spark a single time, cold: a run takes it minutes."""
    ours, *others = queries
    single = replace(bench, repetitions=1, warms_up=False)
    return [
        *in_turns(bench, case, {ours: queries[ours]}),
        *in_turns(single, case, {name: queries[name] for name in others}),
    ]


@dataclass(frozen=True)
class FramesSizes:
    """Rows of one key, and the frames over them."""

    rows: int
    frames: tuple[int, ...]


def run_frames(sizes: FramesSizes, bench: Bench) -> Findings:
    """All frames take turns, and many: a query of a second differs by a tenth from run to run."""
    many = replace(bench, repetitions=_TURNS * bench.repetitions)

    def bar(measured: Sequence[Measured]) -> Bar:
        medians = [m.median for m in measured]
        return at_most(
            f"trailing max, frames of {min(sizes.frames):,} … {max(sizes.frames):,} rows: "
            "the slowest as long as the fastest",
            1.2,
            [max(medians) / min(medians)],
            "x",
        )

    return _over_one_key(
        sizes.rows,
        {f"{frame:,} rows": partial(by_rows, frame=frame) for frame in sizes.frames},
        partial(in_turns, many, {"rows": sizes.rows}),
        bar,
    )


def _over_one_key(
    rows: int,
    asked: Mapping[str, Callable[[DataFrame], DataFrame]],
    measure: Callable[[Mapping[str, Build]], list[Measured]],
    bar: Callable[[Sequence[Measured]], Bar],
) -> Findings:
    """Measure queries over so many rows of one key, and hold them to a bar."""
    with cached(readings(rows, keys=1)) as df:
        measured = measure({name: partial(ask, df) for name, ask in asked.items()})
    table = times_table(measured, list(measured[0].case))
    return Findings(measured, [table], [bar(measured)], ["One key, a day; max."])


DEFAULT_FRAME = Experiment(
    name="default-frame",
    question="trailing windows of rows beside Spark's default frame",
    run=run_default,
    full=DefaultSizes(rows=100_000, frame=10_000),
    quick=DefaultSizes(rows=20_000, frame=2_000),
)

DEFAULT_FRAME_1M = Experiment(
    name="default-frame-1m",
    question="the same over a million rows: Spark takes minutes",
    run=run_default,
    full=DefaultSizes(rows=1_000_000, frame=10_000, once=True),
    quick=DefaultSizes(rows=30_000, frame=2_000, once=True),
)

FRAMES = Experiment(
    name="frames",
    question="whether the length of a trailing window matters",
    run=run_frames,
    full=FramesSizes(rows=1_000_000, frames=(100, 1_000, 10_000, 100_000)),
    quick=FramesSizes(rows=100_000, frames=(100, 1_000, 10_000)),
)
