"""What an experiment brings home: measurements, tables of them, and the bars they are held to."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from benchmarks.measure import Bench, Measured
from benchmarks.numbers import plain, size

__all__ = ["Bar", "Experiment", "Findings", "Table", "at_least", "at_most", "chosen", "pivot"]

Sizes = TypeVar("Sizes")


@dataclass(frozen=True)
class Table:
    """Rows of text under a title; the numbers stand to the right."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Bar:
    """A figure to reach: what was wanted, and what was found, if it was measured."""

    what: str
    wanted: str
    found: float | None
    met: bool | None  # None where it was not measured
    unit: str


@dataclass(frozen=True)
class Findings:
    """All of one experiment."""

    measured: Sequence[Measured]
    tables: Sequence[Table]
    bars: Sequence[Bar] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Experiment(Generic[Sizes]):
    """A question, how to answer it, and on how much data."""

    name: str
    question: str
    run: Callable[[Sizes, Bench], Findings]
    full: Sizes
    quick: Sizes


def chosen(measured: Iterable[Measured], **wanted: str | int) -> list[Measured]:
    """The measurements of one contender or of cases like this."""
    return [m for m in measured if wanted.items() <= {"contender": m.contender, **m.case}.items()]


def pivot(
    title: str,
    measured: Sequence[Measured],
    rows: Sequence[str],
    columns: str = "contender",
    cell: Callable[[Measured], str] = lambda m: plain(m.median),
) -> Table:
    """A table: a row for each combination of these parts, a column for each value of another."""
    cells: dict[tuple[str | int, ...], dict[str | int, str]] = {}
    for m in measured:
        parts = {"contender": m.contender, **m.case}
        cells.setdefault(tuple(parts[name] for name in rows), {})[parts[columns]] = cell(m)
    across = list(dict.fromkeys(key for own in cells.values() for key in own))
    return Table(
        title,
        [*rows, *map(label, across)],
        [[*map(label, key), *(own.get(part, "") for part in across)] for key, own in cells.items()],
    )


def label(part: str | int) -> str:
    """A part of a case in a table."""
    return part if isinstance(part, str) else size(part)


def at_most(what: str, limit: float, found: Sequence[float], unit: str) -> Bar:
    """A bar for the largest of some figures."""
    worst = max(found, default=None)
    met = None if worst is None else worst <= limit
    return Bar(what, f"≤ {limit:g} {unit}", worst, met, unit)


def at_least(what: str, limit: float, found: Sequence[float], unit: str) -> Bar:
    """A bar for the smallest of some figures."""
    worst = min(found, default=None)
    met = None if worst is None else worst >= limit
    return Bar(what, f"≥ {limit:g} {unit}", worst, met, unit)
