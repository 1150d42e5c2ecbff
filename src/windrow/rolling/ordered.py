"""Rolling over rows that stand in order already, key by key: what engines call, batch by batch.

Nothing is grouped, sorted or checked here, and every result is a column of a table.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.algebra.aggregate import Aggregate, Aggregation, Product, as_aggregation
from windrow.algebra.catalogue import count
from windrow.columnar.answers import Answer, Numbers, Objects
from windrow.columnar.digits import exactly
from windrow.columnar.grouping import Groups
from windrow.columnar.task import Task
from windrow.rolling.source import Source
from windrow.rolling.ways import slide, trail
from windrow.windows import Policy, Trailing

__all__ = ["Typed", "continue_policy", "trail_groups"]

# From an aggregate's name and its results as Python values to a column.
Typed: TypeAlias = Callable[[str, Sequence[Any]], pa.Array]

_MOMENTS = pa.timestamp("us", tz="UTC")


def trail_groups(
    values: pa.Table,
    aggregation: Aggregation,
    windows: Sequence[Trailing],
    ticks: NDArray[np.int64],
    borders: NDArray[np.int64],
    times: NDArray[np.int64] | None = None,
    *,
    wanted: NDArray[np.int64] | None = None,
    typed: Typed | None = None,
) -> list[pa.Table]:
    """The trailing windows of each row, a table for each: group g has [borders[g], borders[g + 1]).

    `ticks` are microseconds, ascending within a group; `times`, if they are others, are what
    aggregates read as the time.  Only rows that are `wanted` are answered: what nobody asks for may
    overflow.  `typed` makes a column of Python values, if Arrow is not to guess.
    """
    source, parts = _source(values, ticks if times is None else times), _parts(aggregation)
    tasks = [source.task(part) for _, part in parts]
    groups, names, tables = Groups(borders), [name for name, _ in parts], []
    for window in windows:
        with exactly():
            answers = trail(tasks, window, groups.ordered(ticks), groups)
        tables.append(_table(names, tasks, answers, wanted, typed))
    return tables


def continue_policy(
    values: pa.Table,
    aggregation: Aggregation,
    policy: Policy,
    borders: NDArray[np.int64],
    settled: NDArray[np.int64],
    ticks: NDArray[np.int64],
    *,
    wanted: NDArray[np.int64] | None = None,
    typed: Typed | None = None,
) -> tuple[pa.Table, NDArray[np.int64]]:
    """What a policy leaves of the rows up to each row, and how many rows each group ends with.

    The first `settled` rows of a group are the window that was left before: they are in it as
    they are, have no result (null), and begin to leave with the first row after them.  Only rows
    that are `wanted` are answered.
    """
    source, parts = _source(values, ticks), _parts(aggregation)
    tasks = [source.task(part) for _, part in parts]
    watched = [source.task(part) for _, part in policy.using]
    counted = source.task(count())
    with exactly():
        *answers, sizes = slide([*tasks, counted], watched, policy, Groups(borders), settled)
    table = _table([name for name, _ in parts], tasks, answers, wanted, typed)
    return table, _held(sizes, borders, settled)


def _held(
    sizes: Answer, borders: NDArray[np.int64], settled: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The size of each group's last window, which is the settled one where no row came after."""
    held = settled.astype(np.int64)  # a copy
    moved = np.diff(borders) > settled
    last = borders[1:][moved] - 1
    assert isinstance(sizes, Numbers)
    held[moved] = sizes.arrays[0][last]
    return held


def _source(values: pa.Table, ticks: NDArray[np.int64]) -> Source:
    return Source(values, pa.array(ticks).view(_MOMENTS))


def _parts(aggregation: Aggregation) -> Sequence[tuple[str, Aggregate[Any]]]:
    asked = as_aggregation(aggregation)
    return asked.parts if isinstance(asked, Product) else (("value", asked),)


def _table(
    names: Sequence[str],
    tasks: Sequence[Task],
    answers: Sequence[Answer],
    wanted: NDArray[np.int64] | None,
    typed: Typed | None,
) -> pa.Table:
    columns = []
    for name, task, found in zip(names, tasks, answers, strict=True):
        answer = found if wanted is None else found.take(wanted)
        if isinstance(answer, Objects) and typed is not None:
            columns.append(typed(name, answer.values))
        else:
            answer.require_fit(repr(task.aggregate))
            columns.append(answer.arrow())
    return pa.table(columns, list(names))
