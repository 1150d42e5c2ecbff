"""Queries whose results are intervals: what that means for each aggregate, and for its column."""

from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.monoid import Kind
from windrow.approximate.chosen import methods_for
from windrow.approximate.interval import interval_of
from windrow.approximate.max_like import MaxLike
from windrow.approximate.method import Method
from windrow.columnar.arrays import dtype_of
from windrow.columnar.inputs import read_inputs
from windrow.engines.definition import Definition
from windrow.engines.intervals import interval_type
from windrow.errors import InputError
from windrow.windows import Check, Closed, Policy, TrailingTime

__all__ = ["as_intervals", "gives_intervals"]


def gives_intervals(
    aggregates: tuple[tuple[str, Aggregate[Any]], ...], *, asked: bool, max_buckets: int | None
) -> bool:
    """Whether results are intervals; refuses a query in which some aggregate has no bound.

    `asked` is whether the user said `approximate`.
    """
    bounded = [name for name, part in aggregates if part.tolerance is not None]
    if max_buckets is not None:
        return True
    if not bounded:
        if asked:
            raise InputError(
                "approximate() sets no bound; use .approximate(max_buckets=10_000), or give "
                'aggregates bounds, as in agg.sum("load").within(relative=0.001)'
            )
        return False
    for name, part in aggregates:
        if part.tolerance is None:
            raise InputError(
                f"{name}={part!r} has no bound, and {bounded[0]!r} has one; give it .within(...), "
                "use .approximate(max_buckets=...), or compute it in a separate query"
            )
    return True


def as_intervals(
    definition: Definition,
    aggregates: tuple[tuple[str, Aggregate[Any]], ...],
    max_buckets: int | None,
) -> tuple[Definition, frozenset[str]]:
    """The definition of a query that gives intervals, and the results that are made into some.

    `aggregates` are the user's, which messages show.
    Only windows with a result for each row may start within what is kept, and keep buckets.
    """
    if definition.side_by_side:
        raise InputError(
            "approximate results of several trailing windows would need buckets for each of them; "
            "leave the bound out, or write one query per window"
        )
    methods = tuple(_methods(name, part, max_buckets) for name, part in aggregates)
    window = definition.windows[0][1]
    if not window.in_buckets or not any(methods):
        return _kept_whole(definition)
    if isinstance(window, TrailingTime) and not window.closed.at_end:
        raise InputError(
            f"closed={window.closed.value!r} leaves out rows with the row's own time, and a "
            "window of buckets cannot separate them from older ones; use "
            f"closed={_with_end(window.closed)!r}, or leave the bound out"
        )
    if isinstance(window, Policy) and window.check is Check.VERIFY:
        raise InputError(
            "check=Check.VERIFY looks at every row, and a window of buckets does not keep them; "
            "leave check out, or verify the policy in an exact query"
        )
    for (name, part), (_, ours), own in zip(
        aggregates, definition.aggregates, methods, strict=True
    ):
        if not own:
            raise InputError(
                f"{name}={part!r} keeps all rows, and the other aggregates keep buckets; compute "
                "it in a separate query, or use .approximate(max_buckets=...)"
            )
        if any(isinstance(method, MaxLike) for method in own):
            _require_predictable(name, part, read_inputs(ours, definition.schema).types[-1])
    return replace(definition, methods=methods), frozenset()


def _with_end(closed: Closed) -> str:
    """The nearest choice that includes rows with the row's own time."""
    return "both" if closed.at_start else "right"


def _require_predictable(name: str, part: Aggregate[Any], kind: pa.DataType) -> None:
    """Refuse extrema of what has no numbers."""
    if dtype_of(kind) is None and not pa.types.is_decimal(kind):
        raise InputError(
            f"{name}={part!r} decides by a column of type {kind}, and candidates are predicted "
            "from numbers; use .approximate(max_buckets=...) in place of .within(...)"
        )


def _methods(name: str, part: Aggregate[Any], max_buckets: int | None) -> tuple[Method, ...]:
    try:
        return methods_for(part, max_buckets)
    except InputError as error:
        raise InputError(f"{name}={error}") from None


def _kept_whole(definition: Definition) -> tuple[Definition, frozenset[str]]:
    """Results are exact, except those of sketches, which have their own bounds."""
    parts, results, exact = [], [], set()
    for (name, part), kind in zip(definition.aggregates, definition.results, strict=True):
        if part.monoid.kind is Kind.SKETCH:
            lower: Any = partial(interval_of, part)
            bounded = replace(part.monoid, lower=lower, numeric=None, returns=None)
            parts.append((name, replace(part, monoid=bounded)))
            results.append(interval_type(kind))
        else:
            parts.append((name, part))
            results.append(kind)
            exact.add(name)
    own = replace(definition, aggregates=tuple(parts), results=tuple(results))
    return own, frozenset(exact)
