"""Rolling by compiled kernels: lays columns out, calls the loop, hands its results on."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windrow.algebra.numeric import NULL, VALUE, Numeric
from windrow.columnar.answers import Numbers
from windrow.columnar.columns import Column
from windrow.columnar.grouping import Groups, in_shares
from windrow.columnar.task import Task
from windrow.compiler.fingerprint import fingerprint
from windrow.compiler.kernel import CompilationError
from windrow.kernels.forest import larger_forest, new_forest
from windrow.kernels.hopping import preceding
from windrow.kernels.operator import Operator, Part, make_operator
from windrow.kernels.policy import Watched, judge_code
from windrow.kernels.sliding import sliding_kernel
from windrow.kernels.trailing import BLOCK, room_for, spanning_kernel, trailing_kernel
from windrow.windows import Policy, TrailingRows, TrailingTime

__all__ = [
    "CompilationError",
    "precede_columns",
    "slide_columns",
    "span_columns",
    "trail_columns",
    "width_of",
]

_FIRST_CAPACITY = 1024


class _Layout:
    """The columns, masks and parts of some tasks, each column only once."""

    def __init__(self, tasks: Sequence[tuple[Task, Numeric]], groups: Groups) -> None:
        self._groups = groups
        self._seen: dict[int, int] = {}
        self._columns: list[NDArray[Any]] = []
        self._masks: list[NDArray[np.bool_]] = []
        self.parts = tuple(self._part(task, numeric) for task, numeric in tasks)

    def _part(self, task: Task, numeric: Numeric) -> Part:
        mask = task.mask()
        if mask is not None:
            self._masks.append(self._groups.ordered(mask))
        place = None if mask is None else len(self._masks) - 1
        return Part(numeric, tuple(self._column(column) for column in task.columns), place)

    def _column(self, column: Column) -> int:
        if id(column) not in self._seen:
            assert column.numbers is not None
            self._seen[id(column)] = len(self._columns)
            self._columns.append(self._groups.ordered(column.numbers))
        return self._seen[id(column)]

    def at(self, places: slice) -> tuple[Any, Any]:
        """The columns and masks of a share."""
        return tuple(c[places] for c in self._columns), tuple(m[places] for m in self._masks)


class _Results:
    """The results of some tasks, in the order of application."""

    def __init__(self, tasks: Sequence[tuple[Task, Numeric]], rows: int, *, empties: bool) -> None:
        self._tasks = tasks
        self._arrays = tuple(
            np.empty(rows, field.dtype) for _, numeric in tasks for field in numeric.result
        )
        # Where no window can be null there is nothing to write, and nothing to pay for.
        self._statuses = tuple(
            np.full(rows if empties or _may_be_null(*task) else 0, VALUE, np.uint8)
            for task in tasks
        )

    def at(self, places: slice) -> tuple[Any, Any]:
        """Where a kernel writes the results and statuses of a share."""
        return tuple(a[places] for a in self._arrays), tuple(s[places] for s in self._statuses)

    def withhold(self, places: NDArray[np.bool_]) -> None:
        """Answer null at these places, where no kernel wrote anything."""
        for array in self._arrays:
            array[places] = 0
        for statuses in self._statuses:
            statuses[places] = NULL

    def answers(self, groups: Groups) -> list[Numbers]:
        """One answer for each task, in the order of the input."""
        answers, start = [], 0
        for (task, numeric), statuses in zip(self._tasks, self._statuses, strict=True):
            end = start + len(numeric.result)
            arrays = tuple(groups.restored(array) for array in self._arrays[start:end])
            known = groups.restored(statuses) if len(statuses) else None
            answers.append(Numbers(numeric.result, arrays, known, task.logicals()))
            start = end
        return answers


def _may_be_null(task: Task, numeric: Numeric) -> bool:
    return not numeric.total or task.mask() is not None


def trail_columns(
    tasks: Sequence[tuple[Task, Numeric]],
    window: TrailingRows | TrailingTime,
    ticks: NDArray[np.int64] | None,
    groups: Groups,
) -> list[Numbers]:
    """The last rows, or the last stretch of time, before each row; `ticks` in order."""
    layout = _Layout(tasks, groups)
    results = _Results(tasks, len(groups), empties=False)
    by_time = window.reach_us is not None
    small = window.reach_rows is not None and window.reach_rows <= BLOCK
    operator, run = _trailing(layout.parts, by_time=by_time, in_blocks=not small)
    width = width_of(window, len(groups))
    times = groups.ordered(np.empty(0, np.int64)) if ticks is None else ticks

    def run_share(places: slice, borders: NDArray[np.int64]) -> None:
        columns, masks = layout.at(places)
        room = room_for(operator, int(np.diff(borders).max(initial=0)))
        run(columns, masks, times[places], borders, width, room, results.at(places))

    in_shares(run_share, groups.borders)
    return results.answers(groups)


def width_of(window: TrailingRows | TrailingTime, most: int) -> int:
    """How wide a window is for a loop: in microseconds, or in rows, of which there are `most`."""
    if window.reach_rows is not None:
        return min(window.reach_rows, most)
    assert window.reach_us is not None
    return window.reach_us


def precede_columns(
    tasks: Sequence[tuple[Task, Numeric]],
    reach_us: int,
    ticks: NDArray[np.int64],
    groups: Groups,
) -> list[Numbers]:
    """The last stretch of time before the time of each row; `ticks` in order."""
    layout = _Layout(tasks, groups)
    results = _Results(tasks, len(groups), empties=True)
    operator, run = _spanning(layout.parts, empties=True)

    def run_share(places: slice, borders: NDArray[np.int64]) -> None:
        columns, masks = layout.at(places)
        since, until = preceding(ticks[places], borders, reach_us)
        room = room_for(operator, int(borders[-1]))
        run(columns, masks, since, until, room, results.at(places))

    in_shares(run_share, groups.borders)
    return results.answers(groups)


def span_columns(
    tasks: Sequence[tuple[Task, Numeric]],
    since: NDArray[np.int64],
    until: NDArray[np.int64],
) -> list[Numbers]:
    """The rows [since, until) of each window, neither of which goes back from one to the next."""
    rows = len(tasks[0][0].columns[0])
    layout = _Layout(tasks, Groups(np.array([0, rows])))
    results = _Results(tasks, len(since), empties=False)
    operator, run = _spanning(layout.parts, empties=False)
    columns, masks = layout.at(slice(0, rows))
    every = slice(0, len(since))
    run(columns, masks, since, until, room_for(operator, rows), results.at(every))
    return results.answers(Groups(np.array([0, len(since)])))


def slide_columns(
    tasks: Sequence[tuple[Task, Numeric]],
    watched: Sequence[tuple[Task, Numeric]],
    policy: Policy,
    groups: Groups,
    settled: NDArray[np.bool_] | None = None,
) -> list[Numbers]:
    """What a slide policy leaves of the rows up to each row; null for settled rows."""
    layout = _Layout([*tasks, *watched], groups)
    results = _Results(tasks, len(groups), empties=True)
    names = tuple(
        Watched(name, len(tasks) + number, aggregate.monoid.neutral)
        for number, (name, aggregate) in enumerate(policy.using)
    )
    asked = (policy.keep, policy.drop)
    operator, run = _sliding(layout.parts, len(tasks), names, asked, fingerprint(*asked))
    resting = np.empty(0, np.bool_) if settled is None else settled

    def run_share(places: slice, borders: NDArray[np.int64]) -> None:
        columns, masks = layout.at(places)
        out = results.at(places)
        cells = new_forest(operator, _FIRST_CAPACITY)
        for first, end in pairwise(borders):
            row = first
            while row < end:
                row = run(columns, masks, resting[places], first, row, end, cells.ctypes.data, out)
                if row < end:
                    cells = larger_forest(operator, cells)

    in_shares(run_share, groups.borders)
    if settled is not None:
        results.withhold(settled)
    return results.answers(groups)


@lru_cache(maxsize=256)
def _trailing(parts: tuple[Part, ...], *, by_time: bool, in_blocks: bool) -> tuple[Operator, Any]:
    operator = make_operator(parts)
    return operator, trailing_kernel(operator, by_time=by_time, in_blocks=in_blocks)


@lru_cache(maxsize=256)
def _spanning(parts: tuple[Part, ...], *, empties: bool) -> tuple[Operator, Any]:
    operator = make_operator(parts)
    return operator, spanning_kernel(operator, empties=empties)


@lru_cache(maxsize=256)
def _sliding(
    parts: tuple[Part, ...],
    answered: int,
    watched: tuple[Watched, ...],
    predicates: tuple[Any, Any],
    mark: str | None,  # what the predicates are now: what they refer to may change
) -> tuple[Operator, Any]:
    operator = make_operator(parts, answered)
    return operator, sliding_kernel(operator, judge_code(operator, watched, *predicates))
