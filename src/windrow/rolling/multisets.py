"""Rolling by counting: quantiles and the number of different values."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.algebra.monoid import CountDifferent, MultisetForm, PickQuantile
from windrow.algebra.numeric import FLOAT, INT, MEASURE, UNITS, VALUE, Field
from windrow.algebra.rounding import all_between
from windrow.columnar.answers import Numbers
from windrow.columnar.columns import Column
from windrow.columnar.grouping import Groups, key_codes
from windrow.columnar.loops import width_of
from windrow.columnar.task import Task
from windrow.kernels.multiset import distinct_kernel, quantile_kernel
from windrow.windows import TrailingRows, TrailingTime

__all__ = ["count_columns", "multiset_form"]


def multiset_form(task: Task) -> MultisetForm | None:
    """How to answer this task from counts, if the aggregate and its column allow it."""
    form: MultisetForm | None = task.aggregate.monoid.multiset
    if form is None:
        return None
    (column,) = task.columns
    if isinstance(form, PickQuantile):
        return None if column.numbers is None else form
    codable = column.logical is not None and not pa.types.is_nested(column.logical)
    return form if codable else None


def count_columns(
    task: Task,
    form: MultisetForm,
    window: TrailingRows | TrailingTime,
    times: NDArray[np.int64] | None,
    groups: Groups,
) -> Numbers:
    """The last rows, or the last stretch of time, before each row."""
    (column,) = task.columns
    rows = len(groups)
    kind = {
        "by_time": window.reach_us is not None,
        "preceding": not window.holds_own_time,
    }
    width = width_of(window, rows + 1)
    ticks = np.empty(0, np.int64) if times is None else times
    statuses, tally = np.full(rows, VALUE, np.uint8), np.zeros(1, np.int64)
    in_units = column.logical is not None and pa.types.is_duration(column.logical)
    dtypes: tuple[Any, ...] = (INT,)
    values, extra = np.empty(0, INT), (np.empty(0), 0.0)
    if isinstance(form, PickQuantile):
        values, codes = _ranked(column)
        run, extra = quantile_kernel(**kind, in_units=in_units), (values.astype(FLOAT), form.q)
        field, dtypes = (UNITS, (INT, INT, FLOAT)) if in_units else (MEASURE, (FLOAT,))
    else:
        assert isinstance(form, CountDifferent)
        codes = _numbered(column)
        run, field = distinct_kernel(**kind), Field(INT)
    counts = np.zeros(int(codes.max(initial=0)) + 2, np.int64)
    found = tuple(np.empty(rows, dtype) for dtype in dtypes)
    ordered = groups.ordered(codes)
    run(ordered, ticks, groups.borders, width, counts, tally, extra, (*found, statuses))
    results = found[0]
    if field is UNITS and len(values):
        lows, highs, fars = found
        results = all_between(values[lows], values[highs], fars)
    answer, known = groups.restored(results), groups.restored(statuses)
    return Numbers((field,), (answer,), known, task.logicals())


def _ranked(column: Column) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The different numbers in order, NaN last, and each row's number among them."""
    assert column.numbers is not None
    values, codes = np.unique(column.numbers, return_inverse=True)
    return values, _without_nulls(codes.astype(np.int64), column)


def _numbered(column: Column) -> NDArray[np.int64]:
    return _without_nulls(key_codes(column, "values").astype(np.int64), column)


def _without_nulls(codes: NDArray[np.int64], column: Column) -> NDArray[np.int64]:
    return codes if column.mask is None else np.where(column.mask, codes, -1)
