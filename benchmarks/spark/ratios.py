"""Ratios of what was measured side by side."""

from collections.abc import Sequence

from benchmarks.findings import Table, chosen, pivot
from benchmarks.measure import Measured
from benchmarks.numbers import duration, plain

__all__ = ["WINDROW", "faster", "rates_table", "rows_per_second", "slower", "times_table"]

WINDROW = "windrow"


def faster(measured: Sequence[Measured], other: str, **case: str | int) -> list[float]:
    """How many times as fast as another windrow is, for each case like this that has both."""
    return [
        theirs.median / ours.median
        for ours in chosen(measured, contender=WINDROW, **case)
        for theirs in chosen(measured, contender=other, **ours.case)
    ]


def slower(measured: Sequence[Measured], other: str, **case: str | int) -> list[float]:
    """How many times as long as another windrow takes."""
    return [1 / ratio for ratio in faster(measured, other, **case)]


def times_table(measured: Sequence[Measured], rows: Sequence[str]) -> Table:
    """The medians of whole runs."""
    return pivot("whole query, median", measured, rows, cell=lambda m: duration(m.median))


def rates_table(measured: Sequence[Measured], rows: Sequence[str]) -> Table:
    """The medians of streams."""
    return pivot("rows/s, median", measured, rows, cell=lambda m: plain(rows_per_second(m)))


def rows_per_second(measured: Measured) -> float:
    """The rate of a stream, whose operations are rows."""
    return 1e9 / measured.median
