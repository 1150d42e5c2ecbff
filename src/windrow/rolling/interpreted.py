"""Rolling by the structures themselves, for aggregates and policies that cannot be compiled.

What values of any kind cannot do becomes an error that helps.  Only the catalogue's own functions
are guarded: what a user's `lift`, `combine`, `lower` or predicate raises passes through as it is,
since it is about their code, not about ours.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.algebra.aggregate import Aggregate, Product
from windrow.algebra.lookup import entry_of
from windrow.algebra.monoid import Monoid
from windrow.algebra.numeric import UNITS
from windrow.arguments import shown
from windrow.columnar.answers import Answer, Numbers, Objects
from windrow.columnar.digits import DECIMAL_RESULTS
from windrow.columnar.grouping import Groups
from windrow.columnar.order import first_tied, last_tied
from windrow.columnar.spans import Spans, slid
from windrow.columnar.task import Task, monoid_for, reads_measures
from windrow.errors import InputError, WindrowError
from windrow.kernels.hopping import preceding
from windrow.rolling.source import named_input
from windrow.structures.amta import Amta
from windrow.structures.two_stacks import TwoStacks
from windrow.windows import Policy, TrailingRows, TrailingTime

__all__ = ["read_by", "slide_objects", "trail_objects"]


def trail_objects(
    tasks: Sequence[Task],
    window: TrailingRows | TrailingTime,
    times: NDArray[np.int64] | None,
    groups: Groups,
) -> list[Answer]:
    """The last rows, or the last stretch of time, before each row."""
    rows, product = _together(tasks)
    order = groups.rows().tolist()
    spans = Spans(_starts(window, times, groups), _ends(window, times, groups))
    results = slid(TwoStacks(product), [rows[row] if rows else () for row in order], spans)
    answers: list[list[Any]] = [[None] * len(groups) for _ in tasks]
    for row, found in zip(order, results, strict=True):
        for number, answer in enumerate(answers):
            answer[row] = found[str(number)]
    return [_answer(task, values) for task, values in zip(tasks, answers, strict=True)]


def _starts(
    window: TrailingRows | TrailingTime, times: NDArray[np.int64] | None, groups: Groups
) -> NDArray[np.int64]:
    """For each place the oldest that is in its window."""
    if window.reach_rows is not None:
        first = np.repeat(groups.borders[:-1], np.diff(groups.borders))
        rows = min(window.reach_rows, len(groups))
        return np.maximum(first, np.arange(len(groups)) + 1 - rows)
    assert times is not None
    assert window.reach_us is not None
    since, _ = preceding(times, groups.borders, window.reach_us)
    return since


def _ends(
    window: TrailingRows | TrailingTime, times: NDArray[np.int64] | None, groups: Groups
) -> NDArray[np.int64]:
    """For each place the first that is not in its window any more."""
    if times is not None and not window.holds_own_time:
        return first_tied(times, groups.borders)
    if times is not None and window.ties_together:
        return last_tied(times, groups.borders) + 1
    return np.arange(1, len(groups) + 1)


def slide_objects(
    tasks: Sequence[Task],
    watched: Sequence[Task],
    policy: Policy,
    groups: Groups,
    settled: NDArray[np.bool_] | None = None,
) -> list[Answer]:
    """What a slide policy leaves of the rows up to each row; null for settled rows."""
    rows, product = _together(tasks, watched)
    asked, using = product.parts[: len(tasks)], product.parts[len(tasks) :]
    names = [name for name, _ in policy.using]
    bound = tuple((name, part) for name, (_, part) in zip(names, using, strict=True))
    rebound = replace(policy, using=bound)
    answers: list[list[Any]] = [[None] * len(groups) for _ in tasks]
    order = groups.rows().tolist()
    for first, end in pairwise(groups.borders.tolist()):
        kept = Amta(Product(asked), rebound)
        for place in range(first, end):
            row = order[place]
            kept.insert(rows[row] if rows else ())
            if settled is not None and settled[place]:
                continue
            kept.slide()
            results = kept.query()
            for number, answer in enumerate(answers):
                answer[row] = results[str(number)]
    return [_answer(task, values) for task, values in zip(tasks, answers, strict=True)]


def _together(
    tasks: Sequence[Task], watched: Sequence[Task] = ()
) -> tuple[list[tuple[Any, ...]], Product]:
    """All columns as rows, and the aggregates reading from these by position."""
    columns: list[Sequence[Any]] = []
    parts = []
    for number, task in enumerate((*tasks, *watched)):
        places = tuple(range(len(columns), len(columns) + len(task.columns)))
        # Predicates see numbers only, and what kernels could answer is answered as they would.
        numeric = number >= len(tasks) or task.numeric() is not None
        columns.extend(task.plain_numbers() if numeric else task.objects())
        parts.append((str(number), Aggregate(_guarded_monoid(task), places)))
    return list(zip(*columns, strict=True)), Product(tuple(parts))


def _answer(task: Task, values: list[Any]) -> Answer:
    form, logicals = task.numeric(), task.logicals()
    if form is not None:
        return Numbers.of(values, form.result, logicals)
    if "value duration" in logicals and reads_measures(task.aggregate):
        return Numbers.of(values, (UNITS,), logicals)
    like = next(iter(logicals.values()), None)
    monoid = task.aggregate.monoid  # one of a user's own may have any name
    promise = None if monoid.changing else DECIMAL_RESULTS.get(monoid.name)
    if promise is None or like is None or not pa.types.is_decimal(like):
        return Objects(values, like)
    return Objects(values, promise(like), fitted=True)


def _guarded_monoid(task: Task) -> Monoid[Any, Any]:
    """The monoid of a task; of the catalogue, whatever fails is an error of windrow's."""
    monoid = monoid_for(task.aggregate, [column.logical for column in task.columns])
    if entry_of(task.aggregate) is None:
        return monoid

    def guarded(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*arguments: Any) -> Any:
            try:
                return function(*arguments)
            except WindrowError as problem:
                raise type(problem)(f"{read_by(task)}: {problem}") from None
            except Exception as problem:
                raise InputError(
                    f"{read_by(task)} has values that {task.aggregate!r} cannot take together, "
                    f"such as {shown(arguments)} ({type(problem).__name__}: {problem}); give "
                    "values of one type that can be compared and computed with"
                ) from problem

        return call

    return replace(
        monoid,
        lift=guarded(monoid.lift),
        combine=guarded(monoid.combine),
        lower=guarded(monoid.lower),
    )


def read_by(task: Task) -> str:
    """What messages call the columns that a task reads."""
    return ", ".join(dict.fromkeys(map(named_input, task.aggregate.columns)))
