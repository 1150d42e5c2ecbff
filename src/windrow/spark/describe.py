"""A request as the planner sees it."""

from typing import Any

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.lookup import entry_of
from windrow.approximate.method import Method
from windrow.columnar.inputs import read_inputs
from windrow.plan import Described, Description, Strategy
from windrow.spark.analysis.builtins import Builtin
from windrow.spark.analysis.resolve import Request
from windrow.spark.batch.hot_keys import is_cuttable, is_splittable, why_unsampled
from windrow.spark.configure import measures_batches
from windrow.spark.transport.transit import tasks_of

__all__ = ["description"]


def description(
    request: Request,
    aggregates: tuple[tuple[str, Aggregate[Any]], ...],
    forced: Strategy | None,
) -> Description:
    """What the planner needs to know of a request, and of aggregates as the user wrote them."""
    spark = request.source.sparkSession
    tasks = tasks_of(spark)
    splits = not request.folded and is_splittable(request, tasks)
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
        measured=measures_batches(spark),
        intervals=request.intervals,
        ordered=request.ordered,
        parallel=request.method,
        units=request.units,
        tasks=tasks,
        cuttable=not request.folded and is_cuttable(request),
        splits=splits,
        unsampled=why_unsampled(request) if splits else None,
        from_tree=None if request.tree is None else request.tree.reason,
        folded=request.folded,
    )


def _described(
    name: str, text: str, part: Aggregate[Any], builtin: Builtin | None, request: Request
) -> Described:
    numeric = read_inputs(part, request.definition.schema).numeric()
    entry = entry_of(part)
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
        kind="" if entry is None else entry.name,
    )


def _methods(name: str, request: Request) -> tuple[Method, ...]:
    """How the rows of an aggregate share buckets."""
    definition = request.definition
    named = (own for own, _ in definition.aggregates)
    return dict(zip(named, definition.methods, strict=False)).get(name, ())


def _counts(part: Aggregate[Any], request: Request) -> bool:
    """Whether compiled code counts the values of a trailing window, as for quantiles."""
    return request.windows[0][1].bounded and part.monoid.multiset is not None
