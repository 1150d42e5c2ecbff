"""Lifts and combines, measured with the same columns of states that engines work with."""

from inspect import signature
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.algebra.aggregate import TIME
from windrow.algebra.registry import Entry, Takes
from windrow.columnar.inputs import read_inputs
from windrow.columnar.result_types import result_type
from windrow.columnar.spans import Spans
from windrow.columnar.states import Summary
from windrow.compiler.setting import compiling_now
from windrow.plan.constants import Price

__all__ = ["Kind", "kinds_of", "measured"]

#: Whether an aggregate runs compiled or interpreted, as `Constants` has its prices.
Kind = str

_ROWS = {"compiled": 1 << 18, "interpreted": 1 << 12}
_ROWS_PER_STATE = 64
_STATES_PER_WINDOW = 16
_COMBINES_PER_STATE = 3  # of two stacks, as the formulas count them
_TIMES = 3
_DIFFERENT = 1_009


def kinds_of(entry: Entry) -> dict[Kind, pa.Table]:
    """The ways an aggregate runs, each with rows that it runs so on."""
    ways = {_kind(entry, rows): rows for rows in reversed(_columns(entry))}
    return {kind: rows.slice(0, _ROWS[kind]) for kind, rows in ways.items()}


def measured(entry: Entry, kind: Kind, rows: pa.Table) -> Price:
    """Seconds for a lift and for a combine, the best of some runs, kernels being compiled."""
    part = _read(entry, rows)
    read = ["t" if column is TIME else column for column in part.columns]
    result = result_type(part, [rows.schema.field(name).type for name in read])
    summary = Summary(part, "of", rows.schema, result)
    borders = np.arange(0, rows.num_rows + 1, _ROWS_PER_STATE)
    until = np.arange(1, len(borders))
    spans = Spans(np.maximum(until - _STATES_PER_WINDOW, 0), until)
    with compiling_now():
        states = summary.fold(rows, borders)
        lift = _best(lambda: summary.fold(rows, borders)) / rows.num_rows
        summary.over(states, spans)
        rolled = _best(lambda: summary.over(states, spans)) / len(until)
    return Price(lift, rolled / _COMBINES_PER_STATE)


def _best(work: Any) -> float:
    spent = []
    for _ in range(_TIMES):
        begin = perf_counter()
        work()
        spent.append(perf_counter() - begin)
    return min(spent)


def _read(entry: Entry, rows: pa.Table) -> Any:
    """The example of an aggregate, reading these columns."""
    return entry.factory(*entry.parameters, *(name for name in rows.column_names if name != "t"))


def _columns(entry: Entry) -> list[pa.Table]:
    """Rows with what an aggregate reads: numbers, and text where it takes anything."""
    # An aggregate may read the event time by itself, and take options after its columns.
    taken = len(signature(entry.factory).parameters) - len(entry.parameters)
    inputs = range(min(taken, len(entry.example.monoid.inputs)))
    numbers = (np.arange(_ROWS["compiled"]) * 389 % _DIFFERENT) / 8.0
    text = pa.array([f"value {number:g}" for number in numbers[: _ROWS["interpreted"]]])
    columns: dict[Takes, list[Any]] = {
        Takes.BOOLEANS: [numbers > _DIFFERENT / 16],
        Takes.TEXT: [text],
        Takes.ANYTHING: [numbers, text],
    }
    return [
        pa.table({"t": range(len(column))} | {f"v{i}": column for i in inputs})
        for column in columns.get(entry.takes, [numbers])
    ]


def _kind(entry: Entry, rows: pa.Table) -> Kind:
    numeric = read_inputs(_read(entry, rows), rows.schema).numeric()
    return "interpreted" if numeric is None else "compiled"
