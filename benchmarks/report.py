"""The report: tables on the screen, everything in one JSON file."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.findings import Bar, Findings, Table
from benchmarks.numbers import plain

__all__ = ["as_data", "render", "summary_table", "write_json"]

_VERDICTS = {True: "met", False: "NOT MET", None: "not measured"}


def render(table: Table) -> str:
    """A table as text; columns of text to the left, numbers to the right."""
    lines = [table.header, *table.rows]
    columns = list(zip(*lines, strict=True))
    widths = [max(map(len, column)) for column in columns]
    numeric = [all(map(_is_number, column[1:])) for column in columns]
    body = [
        "  ".join(
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(line, widths, numeric, strict=True)
        ).rstrip()
        for line in lines
    ]
    rule = "  ".join("─" * width for width in widths)
    return "\n".join([table.title, "", body[0], rule, *body[1:], ""])


def _is_number(text: str) -> bool:
    return text == "" or text[0].isdigit()


def summary_table(bars: Sequence[Bar]) -> Table:
    """Each bar, what was found, and whether that is enough."""
    return Table(
        "Bars",
        ["what", "wanted", "found", "verdict"],
        [
            [
                bar.what,
                bar.wanted,
                "" if bar.found is None else f"{plain(bar.found)} {bar.unit}",
                _VERDICTS[bar.met],
            ]
            for bar in bars
        ],
    )


def as_data(findings: Findings) -> dict[str, Any]:
    """The findings as plain data; times are in nanoseconds per operation."""
    return {
        "measured": [asdict(m) for m in findings.measured],
        "bars": [asdict(bar) for bar in findings.bars],
        "notes": list(findings.notes),
    }


def write_json(
    path: Path, run: Mapping[str, Any], experiments: Mapping[str, Mapping[str, Any]]
) -> None:
    """Write all that is known so far; a later experiment that fails takes nothing away."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({**run, "experiments": experiments}, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
