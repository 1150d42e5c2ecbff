"""A request as the planner sees it."""

from typing import Any

from windrow.aggregators.approximate.method import Method
from windrow.algebra.aggregate import Aggregate
from windrow.planning import Described, Description, Strategy
from windrow.slicing.summary_inputs import read_inputs
from windrow.spark.builtins import Builtin
from windrow.spark.request import Request
from windrow.spark.suiting import measures_batches
from windrow.windows import TrailingRows, TrailingTime

__all__ = ["description"]


def description(
    request: Request,
    aggregates: tuple[tuple[str, Aggregate[Any]], ...],
    forced: Strategy | None,
) -> Description:
    """What the planner needs to know of a request, and of aggregates as the user wrote them."""
    return Description(
        windows=request.windows,
        aggregates=tuple(
            _described(name, repr(written), ours, builtin, request)
            for (name, written), (_, ours), builtin in zip(
                aggregates, request.definition.aggregates, request.builtins, strict=True
            )
        ),
        streaming=request.streaming,
        emit=request.emit,
        order=request.order,
        keys=request.names.keys,
        lateness_ms=request.lateness_ms,
        forced=forced,
        measured=measures_batches(request.source.sparkSession),
        intervals=request.intervals,
    )


def _described(
    name: str, text: str, part: Aggregate[Any], builtin: Builtin | None, request: Request
) -> Described:
    numeric = read_inputs(part, request.definition.schema).numeric()
    return Described(
        name=name,
        text=text,
        builtin=builtin is not None,
        merges=builtin is not None and builtin.merges is not None,
        states=builtin is not None and builtin.states is not None,
        commutative=part.monoid.commutative,
        compiled=numeric is not None or _counts(part, request),
        methods=_methods(name, request),
        has_bounds=request.intervals
        and not request.definition.methods
        and name not in request.exact,
    )


def _methods(name: str, request: Request) -> tuple[Method, ...]:
    """How the rows of an aggregate share buckets."""
    definition = request.definition
    named = (own for own, _ in definition.aggregates)
    return dict(zip(named, definition.methods, strict=False)).get(name, ())


def _counts(part: Aggregate[Any], request: Request) -> bool:
    """Whether compiled code counts the values of a trailing window, as for quantiles."""
    trailing = isinstance(request.windows[0][1], TrailingTime | TrailingRows)
    return trailing and part.monoid.multiset is not None
