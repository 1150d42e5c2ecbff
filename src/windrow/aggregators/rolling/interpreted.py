"""Rolling by the structures themselves, for aggregates and policies that cannot be compiled."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.aggregators.amta import Amta
from windrow.aggregators.base import Aggregator
from windrow.aggregators.rolling.answers import Answer, Numbers, Objects
from windrow.aggregators.rolling.digits import DECIMAL_RESULTS
from windrow.aggregators.rolling.grouping import Groups
from windrow.aggregators.rolling.task import Task
from windrow.aggregators.two_stacks import TwoStacks
from windrow.algebra.aggregate import Aggregate, Product
from windrow.windows import Policy, TrailingRows, TrailingTime

__all__ = ["slide_objects", "trail_objects"]


def trail_objects(
    tasks: Sequence[Task],
    window: TrailingRows | TrailingTime,
    times: NDArray[np.int64] | None,
    groups: Groups,
) -> list[Answer]:
    """The last rows, or the last stretch of time, before each row."""
    rows, product = _together(tasks)

    def step(kept: Aggregator, row: int) -> None:
        if isinstance(window, TrailingRows):
            kept.evict(max(len(kept) - window.rows, 0))
            return
        assert times is not None
        horizon, oldest = int(times[row]) - window.duration_us, row + 1 - len(kept)
        # The newest row is inside its own window, so this ends before the window is empty.
        expired = next(k for k in range(len(kept)) if int(times[oldest + k]) > horizon)
        kept.evict(expired)

    return _run(rows, lambda: TwoStacks(product), step, tasks, groups)


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
    return _run(
        rows,
        lambda: Amta(Product(asked), rebound),
        lambda kept, row: kept.slide(),
        tasks,
        groups,
        settled,
    )


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
        parts.append((str(number), Aggregate(task.aggregate.monoid, places)))
    return list(zip(*columns, strict=True)), Product(tuple(parts))


def _run(
    rows: Sequence[tuple[Any, ...]],
    build: Callable[[], Aggregator],
    step: Callable[[Aggregator, int], object],
    tasks: Sequence[Task],
    groups: Groups,
    settled: NDArray[np.bool_] | None = None,
) -> list[Answer]:
    length = len(groups)
    answers: list[list[Any]] = [[None] * length for _ in tasks]
    for place, row, kept in _windows(groups, build):
        kept.insert(rows[row] if rows else ())
        if settled is not None and settled[place]:
            continue
        step(kept, place)
        results = kept.query()
        for number, answer in enumerate(answers):
            answer[row] = results[str(number)]
    return [_answer(task, values) for task, values in zip(tasks, answers, strict=True)]


def _answer(task: Task, values: list[Any]) -> Answer:
    form, logicals = task.numeric(), task.logicals()
    if form is not None:
        return Numbers.of(values, form.result, logicals)
    like = next(iter(logicals.values()), None)
    monoid = task.aggregate.monoid  # one of a user's own may have any name
    promise = None if monoid.changing else DECIMAL_RESULTS.get(monoid.name)
    if promise is None or like is None or not pa.types.is_decimal(like):
        return Objects(values, like)
    return Objects(values, promise(like), fitted=True)


def _windows(
    groups: Groups, build: Callable[[], Aggregator]
) -> Iterator[tuple[int, int, Aggregator]]:
    """Each row's place in the order of application, its number in the input, and its window."""
    rows = groups.rows()
    for first, end in pairwise(groups.borders):
        kept = build()
        for place in range(int(first), int(end)):
            yield place, int(rows[place]), kept
