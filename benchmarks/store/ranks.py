"""The percentiles that are looked at, and tables of them."""

from collections.abc import Sequence

from benchmarks.findings import Table, pivot
from benchmarks.measure import Measured
from benchmarks.numbers import duration

__all__ = ["RANKS", "by_rank"]

RANKS = (50, 90, 99, 99.9, 100)
_SHOWN = ("p50", "p90", "p99", "p99.9", "max")


def by_rank(
    title: str, measured: Sequence[Measured], rows: Sequence[str], columns: str
) -> list[Table]:
    """A table for each percentile."""
    return [_table(f"{title}, {rank}", measured, rows, columns, rank) for rank in _SHOWN]


def _table(
    title: str, measured: Sequence[Measured], rows: Sequence[str], columns: str, rank: str
) -> Table:
    return pivot(title, measured, rows, columns, cell=lambda m: duration(m.at(rank)))
