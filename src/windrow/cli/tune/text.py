"""The frontier as a table, and the recommendation below it."""

from collections.abc import Iterator

from windrow.approximate.tuning import Measured
from windrow.cli.figures import share, size
from windrow.cli.tune.advice import advice
from windrow.cli.tune.findings import Findings
from windrow.cli.tune.naming import named

__all__ = ["as_text"]

_COLUMNS = (
    "method",
    "setting",
    "buckets",
    "bytes",
    "peak",
    "of exact",
    "median error",
    "p99",
    "max",
    "exact",
    "bounded",
    "held",
    "width",
)
_TEXTS = ("method", "setting")
_FEW_WINDOWS = 3


def as_text(findings: Findings, *, everything: bool) -> str:
    """The table has the frontier, or all that was tried."""
    shown = findings.tried if everything else findings.frontier
    lines = [_COLUMNS, *(_line(one, findings) for one in shown)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    marks = ["", *(_mark(one, findings, everything=everything) for one in shown)]
    table = [f"{mark:<2}{_aligned(line, widths)}" for mark, line in zip(marks, lines, strict=True)]
    beaten = len(findings.tried) - len(findings.frontier)
    if everything:
        table.append("* on the frontier: none is both smaller and more exact")
    elif beaten:
        table.append(f"… and {beaten} that are beaten in both footprint and error (--all)")
    return "\n".join([*_heading(findings), "", *table, "", *advice(findings)])


def _aligned(line: tuple[str, ...], widths: list[int]) -> str:
    return "  ".join(
        cell.ljust(width) if name in _TEXTS else cell.rjust(width)
        for name, cell, width in zip(_COLUMNS, line, widths, strict=True)
    ).rstrip()


def _mark(one: Measured, findings: Findings, *, everything: bool) -> str:
    if one is findings.recommendation.chosen:
        return "→"
    return "*" if everything and one in findings.frontier else ""


def _line(one: Measured, findings: Findings) -> tuple[str, ...]:
    name = named(one.method, findings.asked)
    shares = (
        *(one.of_exact, one.median_error, one.p99_error, one.max_error),
        *(one.exact, one.bounded, one.held, one.width),
    )
    footprint = f"{one.mean_buckets:,.0f}", size(one.mean_bytes), size(one.peak_bytes)
    return name.method, name.setting, *footprint, *map(share, shares)


def _heading(findings: Findings) -> list[str]:
    asked, sample = findings.asked, findings.sample
    rows = f"sample: {sample.path}, {sample.rows:,} rows"
    if sample.keys > 1:
        rows += f" of {sample.keys:,} keys"
    if findings.keys < sample.keys:
        rows += f"; tried on {findings.keys:,} of the longest, {findings.rows:,} rows"
    kept = (
        f"window: {asked.window!r} of {asked.aggregate!r}; a bucket takes "
        f"{findings.bytes_of_bucket} bytes, an update of an exact window {findings.bytes_of_update}"
    )
    return [rows, kept, *(f"note: {note}" for note in _notes(findings))]


def _notes(findings: Findings) -> Iterator[str]:
    """Why figures may not be worth much."""
    rows = findings.asked.window.reach_rows
    if rows is not None:
        windows = findings.rows / findings.keys / rows
        if windows < _FEW_WINDOWS:
            yield f"only {windows:.1f} windows; errors are reliable from {_FEW_WINDOWS} windows on"
    if findings.recommendation.chosen.max_error > 1:
        yield "some results are so close to 0 that errors exceed them; look at the median"
