"""A run as a Markdown page: the bars first, then the tables and notes of each experiment."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks import report
from benchmarks.findings import Bar, Experiment, Findings, Table

__all__ = ["page"]


def page(
    facts: Mapping[str, Any],
    bars: Sequence[Bar],
    done: Sequence[tuple[Experiment[Any], Findings]],
) -> str:
    """All that is known so far."""
    machine = ", ".join(f"{name} {value}" for name, value in facts.items())
    parts = ["# Windows on Spark, measured", f"{machine}.", _table(report.summary_table(bars))]
    for experiment, findings in done:
        parts.append(f"## {experiment.name}: {experiment.question}")
        parts += map(_table, findings.tables)
        parts += findings.notes
    return "\n\n".join(parts) + "\n"


def _table(table: Table) -> str:
    lines = [table.header, ["---"] * len(table.header), *table.rows]
    return "\n".join([f"**{table.title}**", "", *(f"| {' | '.join(line)} |" for line in lines)])
