"""Which way an aggregate takes: a compiled loop, counting, or the structures themselves."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from windrow.algebra.numeric import Numeric
from windrow.columnar.answers import Answer
from windrow.columnar.grouping import Groups
from windrow.columnar.loops import (
    CompilationError,
    precede_columns,
    slide_columns,
    trail_columns,
)
from windrow.columnar.order import last_tied
from windrow.columnar.task import Task
from windrow.compiler.jit import reason
from windrow.compiler.user_warnings import warn_interpreted
from windrow.rolling.interpreted import slide_objects, trail_objects
from windrow.rolling.multisets import count_columns, multiset_form
from windrow.windows import Check, Policy, TrailingRows, TrailingTime

__all__ = ["slide", "trail"]

# Beyond this a loop for all takes longer to compile and to run than one for each.
_FIELDS_PER_LOOP = 8


def trail(
    tasks: Sequence[Task],
    window: TrailingRows | TrailingTime,
    ticks: NDArray[np.int64] | None,
    groups: Groups,
) -> list[Answer]:
    """The last rows, or the last stretch of time, before each row; `ticks` in order."""
    answers: dict[Task, Answer] = {}
    compiled, slow = [], []
    for task in tasks:
        if (numeric := task.numeric()) is not None:
            compiled.append((task, numeric))
        elif (form := multiset_form(task)) is not None:
            answers[task] = count_columns(task, form, window, ticks, groups)
        else:
            slow.append(task)
    for share in _shares(compiled):
        found: Sequence[Answer]
        if window.reach_us is not None and not window.holds_own_time:
            assert ticks is not None
            found = precede_columns(share, window.reach_us, ticks, groups)
        else:
            found = trail_columns(share, window, ticks, groups)
        answers |= zip([task for task, _ in share], found, strict=True)
    if answers and window.ties_together:
        assert ticks is not None
        # For each row the last of its key and time, with which all of them are in the window.
        last = groups.restored(groups.rows()[last_tied(ticks, groups.borders)])
        answers = {task: answer.take(last) for task, answer in answers.items()}
    if slow:
        answers |= zip(slow, trail_objects(slow, window, ticks, groups), strict=True)
    return [answers[task] for task in tasks]


def _shares(tasks: Sequence[tuple[Task, Numeric]]) -> Iterator[Sequence[tuple[Task, Numeric]]]:
    """Tasks that run in one loop: as many as have their states in registers together."""
    share: list[tuple[Task, Numeric]] = []
    for task, form in tasks:
        fields = sum(len(other.state) for _, other in share) + len(form.state)
        if share and fields > _FIELDS_PER_LOOP:
            yield share
            share = []
        share.append((task, form))
    if share:
        yield share


def slide(
    tasks: Sequence[Task],
    watched: Sequence[Task],
    policy: Policy,
    groups: Groups,
    settled: NDArray[np.int64] | None = None,
) -> list[Answer]:
    """What a slide policy leaves of the rows up to each row.

    The first rows of each group, as many as are `settled`, come in without the window sliding,
    and have no result.
    """
    resting = None
    if settled is not None:
        ends = np.repeat(groups.borders[:-1] + settled, np.diff(groups.borders))
        resting = np.arange(len(ends)) < ends
    forms = [(task, task.numeric()) for task in (*tasks, *watched)]
    known = [(task, form) for task, form in forms if form is not None]
    if len(known) == len(forms) and policy.check is Check.TRUST:
        try:
            mine, theirs = known[: len(tasks)], known[len(tasks) :]
            return [*slide_columns(mine, theirs, policy, groups, resting)]
        except CompilationError as problem:
            why = f"its predicates cannot be compiled: {reason(problem)}"
            warn_interpreted(repr(policy), why)
    return [*slide_objects(tasks, watched, policy, groups, resting)]
