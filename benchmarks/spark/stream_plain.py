"""A stream's trailing mean beside the same as one would write it without windrow."""

from dataclasses import dataclass
from functools import partial

from benchmarks.findings import Experiment, Findings, at_least
from benchmarks.measure import Bench
from benchmarks.spark.plain import trailing_mean
from benchmarks.spark.ratios import WINDROW, faster, rates_table
from benchmarks.spark.stream_trailing import NOTE, SPAN_US, WIDTH, ours
from benchmarks.spark.streams import Batches, Start, batches, rates

__all__ = ["STREAM_PLAIN", "StreamPlainSizes", "run"]

PLAIN = "plain transformWithState"


@dataclass(frozen=True)
class StreamPlainSizes:
    """Batches, the rows in each, and how many keys they have."""

    batches: int
    rows: int
    keys: int


def run(sizes: StreamPlainSizes, bench: Bench) -> Findings:
    """The same batches for both."""
    with batches(sizes.batches, sizes.rows, sizes.keys, SPAN_US) as source:
        theirs = partial(trailing_mean, width=WIDTH)
        contenders: dict[str, tuple[Start, Batches]] = {
            WINDROW: (ours, source),
            PLAIN: (theirs, source),
        }
        measured = rates(bench, {"batch": sizes.rows, "keys": sizes.keys}, contenders)
    return Findings(
        measured,
        [rates_table(measured, ["batch", "keys"])],
        [
            at_least(
                f"streaming trailing mean, {sizes.keys:,} keys: as fast as a {PLAIN}",
                10,
                faster(measured, PLAIN),
                "x",
            )
        ],
        [
            f"{sizes.batches} batches of {sizes.rows:,} rows for both.  {NOTE}  The plain "
            "operator answers at once and puts only the rows of a batch in order."
        ],
    )


STREAM_PLAIN = Experiment(
    name="stream-plain",
    question="a stream's trailing mean beside a plain stateful operator",
    run=run,
    full=StreamPlainSizes(batches=4, rows=1_000_000, keys=10_000),
    quick=StreamPlainSizes(batches=3, rows=20_000, keys=1_000),
)
