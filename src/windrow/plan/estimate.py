"""What a method is predicted to cost, beside the others: values, and a table of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from windrow.parallel.counts import Load
from windrow.parallel.methods import Method

__all__ = ["Comparison", "Estimate", "called"]

_HEADER = ("method", "stages", "sent", "lifts", "combines", "results", "busiest is sent", "seconds")
_NO_WORK = Load()
_UNITS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


@dataclass(frozen=True)
class Estimate:
    """One method: counts, seconds and what it loses by; or why it cannot run."""

    method: Method
    why: str = ""  # it is not chosen, or cannot run
    stages: int = 0
    total: Load = _NO_WORK
    busiest: Load = _NO_WORK
    seconds: float | None = None  # None: it cannot run

    def as_dict(self) -> dict[str, Any]:
        """The same as plain data, for JSON."""
        known = self.seconds is not None
        return {
            "method": self.method.value,
            "acronym": self.method.acronym,
            "stages": self.stages if known else None,
            "total": _counts(self.total) if known else None,
            "busiest": _counts(self.busiest) if known else None,
            "seconds": self.seconds,
            "why": self.why,
        }


@dataclass(frozen=True)
class Comparison:
    """All methods side by side, the chosen one among them."""

    rows: str  # what is known of the rows, and the constants, in words
    estimates: tuple[Estimate, ...]
    chosen: Method

    def lines(self) -> list[str]:
        """A table of the methods that can run, columns aligned."""
        cells = [_HEADER, *(_cells(one) for one in self.estimates if one.seconds is not None)]
        marks = [" ", *("→" if one.method is self.chosen else " " for one in self._able())]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return [
            f"{mark} {line[0].ljust(widths[0])}  "
            + "  ".join(cell.rjust(w) for cell, w in zip(line[1:], widths[1:], strict=True))
            for mark, line in zip(marks, cells, strict=True)
        ]

    def reasons(self) -> tuple[str, ...]:
        """For each other method why it lost, or cannot run; one sentence for the same reason."""
        by_reason: dict[str, list[str]] = {}
        for one in self.estimates:
            if one.method is not self.chosen and one.why:
                by_reason.setdefault(one.why, []).append(called(one.method))
        return tuple(f"{', '.join(names)}: {why}" for why, names in by_reason.items())

    def as_dict(self) -> dict[str, Any]:
        """The same as plain data, for JSON."""
        methods = [{**one.as_dict(), "chosen": one.method is self.chosen} for one in self.estimates]
        return {"rows": self.rows, "methods": methods}

    def _able(self) -> Sequence[Estimate]:
        return [one for one in self.estimates if one.seconds is not None]


def called(method: Method) -> str:
    """A method's name, and what the literature calls it.

    >>> called(Method.PANES), called(Method.TIME)
    ('panes (RRCPA)', 'time')
    """
    return f"{method.value} ({method.acronym})" if method.acronym else method.value


def _cells(one: Estimate) -> tuple[str, ...]:
    total = one.total
    counts = (total.copies, total.lifts, total.combines, total.results, one.busiest.copies)
    assert one.seconds is not None
    return (called(one.method), str(one.stages), *map(_short, counts), f"{one.seconds:.2f}")


def _short(number: float) -> str:
    """A count to three digits.

    >>> _short(999), _short(12_345), _short(2e9)
    ('999', '12.3k', '2.00G')
    """
    for unit, letter in _UNITS:
        if number >= unit:
            scaled = number / unit
            return f"{scaled:.{2 if scaled < 10 else 1 if scaled < 100 else 0}f}{letter}"
    return f"{number:.0f}"


def _counts(load: Load) -> dict[str, float]:
    return {
        "sent": load.copies,
        "lifts": load.lifts,
        "combines": load.combines,
        "results": load.results,
    }
