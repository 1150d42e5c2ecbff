"""Aggregates over values of any kind: what such values cannot do becomes an error that helps.

Only the catalogue's own functions are guarded.  What a user's `lift`, `combine`, `lower` or
predicate raises passes through as it is: it is about their code, not about ours.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

from windrow.algebra.lookup import entry_of
from windrow.algebra.monoid import Monoid
from windrow.arguments import shown
from windrow.columnar.task import Task, monoid_for
from windrow.errors import InputError, WindrowError
from windrow.rolling.source import named_input

__all__ = ["guarded_monoid", "read_by"]


def guarded_monoid(task: Task) -> Monoid[Any, Any]:
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
