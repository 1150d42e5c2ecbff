"""The Arrow type of an aggregate's result, as Spark's own functions have it."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import pyarrow as pa

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.lookup import registered
from windrow.algebra.monoid import numeric_of
from windrow.algebra.numeric import is_bare
from windrow.columnar.arrays import ARROW_OF, dtype_of
from windrow.columnar.ddl import parse_type
from windrow.columnar.digits import DECIMAL_RESULTS
from windrow.columnar.inputs import TIME_TYPE, plain_type, reads_time
from windrow.errors import AggregateError

__all__ = ["result_type"]

Types: TypeAlias = tuple[pa.DataType, ...]


def result_type(aggregate: Aggregate[Any], types: Sequence[pa.DataType]) -> pa.DataType:
    """The type of an aggregate's results, given the types of the columns that it reads.

    Inputs that are the event time are moments of UTC, whatever their column is.  What a monoid
    declares itself (`returns`) goes before all.

    >>> from windrow import agg
    >>> result_type(agg.mean("price"), [pa.decimal128(10, 2)])
    Decimal128Type(decimal128(14, 6))
    """
    times = reads_time(aggregate)
    known: Types = tuple(
        TIME_TYPE if time else plain_type(kind) for time, kind in zip(times, types, strict=True)
    )
    monoid = aggregate.monoid
    declared = getattr(monoid, "returns", None)
    if declared is not None:
        return parse_type(declared)
    # A monoid of one's own may have any name.
    if not monoid.changing and monoid.name in registered():
        return _TYPES[monoid.name](known)
    return _from_numbers(aggregate, known)


def _from_numbers(aggregate: Aggregate[Any], types: Types) -> pa.DataType:
    """The type of what the compiled form of a user's monoid gives."""
    dtypes = [dtype for dtype in map(dtype_of, types) if dtype is not None]
    numeric = None
    if len(dtypes) == len(types):
        numeric = numeric_of(aggregate.monoid, tuple(dtypes))
    if numeric is None:
        raise AggregateError(
            f"{aggregate!r} has results of no known type; say which when you make its monoid, "
            'as in windrow.monoid(..., returns="double") or returns="array<string>"'
        )
    named = dict(zip(aggregate.monoid.inputs, types, strict=True))
    fields = [
        pa.field(field.name, named.get(field.like or "", ARROW_OF[field.dtype]))
        for field in numeric.result
    ]
    return fields[0].type if is_bare(numeric.result) else pa.struct(fields)


def _always(kind: pa.DataType) -> Callable[[Types], pa.DataType]:
    return lambda types: kind


def _first(types: Types) -> pa.DataType:
    return types[0]


def _list(types: Types) -> pa.DataType:
    return pa.list_(types[0])


def _sum(types: Types) -> pa.DataType:
    (kind,) = types
    if pa.types.is_decimal(kind):
        return DECIMAL_RESULTS["sum"](kind)
    if pa.types.is_duration(kind):
        return kind
    return pa.float64() if pa.types.is_floating(kind) else pa.int64()


def _mean(types: Types) -> pa.DataType:
    (kind,) = types
    if pa.types.is_decimal(kind):
        return DECIMAL_RESULTS["mean"](kind)
    return _measure(types)


def _measure(types: Types) -> pa.DataType:
    """A float, or a duration of durations: what has the unit of the values."""
    (kind,) = types
    return kind if pa.types.is_duration(kind) else pa.float64()


def _range(types: Types) -> pa.DataType:
    (kind,) = types
    if pa.types.is_decimal(kind):
        return DECIMAL_RESULTS["range"](kind)
    if pa.types.is_timestamp(kind):
        return pa.duration(kind.unit)
    if pa.types.is_date(kind):
        return pa.duration("us")
    if pa.types.is_duration(kind):
        return kind
    return pa.float64() if pa.types.is_floating(kind) else pa.int64()


def _run(types: Types) -> pa.DataType:
    _, time = types
    span = pa.duration(time.unit) if pa.types.is_timestamp(time) else time
    return pa.struct([("start", time), ("end", time), ("span", span), ("length", pa.int64())])


_TYPES: dict[str, Callable[[Types], pa.DataType]] = {
    **dict.fromkeys(
        ("count", "distinct", "distinct_sketch", "max_count", "min_count"), _always(pa.int64())
    ),
    **dict.fromkeys(("geometric_mean", "product", "stddev", "variance"), _always(pa.float64())),
    **dict.fromkeys(("median", "quantile", "quantile_sketch"), _measure),
    **dict.fromkeys(("argmax", "argmin", "first", "last", "max", "min"), _first),
    **dict.fromkeys(("all", "any"), _always(pa.bool_())),
    **dict.fromkeys(("collect", "top_k"), _list),
    "bloom": _always(pa.binary()),
    "concat": _always(pa.string()),
    "histogram": _always(pa.list_(pa.int64())),
    "longest_increasing_run": _run,
    "mean": _mean,
    "range": _range,
    "sum": _sum,
}
