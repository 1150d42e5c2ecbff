"""Aggregates that Spark computes itself, to the same values: whole, and as partial states.

An aggregate is built in when Spark's own functions agree with the catalogue on nulls, NaN,
infinities, overflow and the type of the result.  Partials of slices are merged in Spark, or go to
Python: as the very states that the catalogue's monoid has, or as values to be merged.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, DecimalType

from windrow.algebra.aggregate import TIME, Aggregate
from windrow.algebra.lookup import registered
from windrow.columnar.digits import DECIMAL_RESULTS
from windrow.spark.analysis import decimals, integers
from windrow.spark.analysis.times import to_micros
from windrow.spark.analysis.types import spark_type

__all__ = ["Builtin", "builtin_of", "merging"]

Columns: TypeAlias = Sequence[Column]
Lower: TypeAlias = Callable[[Columns], Column]


@dataclass(frozen=True)
class Builtin:
    """One aggregate in Spark's terms; columns are handed to its functions in their order."""

    whole: Column  # aggregates rows to the result
    partials: tuple[Column, ...]  # aggregate rows to what is kept of a slice
    merges: tuple[str, ...] | None = None  # which aggregate puts together the partials of a place
    lower: Lower | None = None  # from partials to the result
    states: Callable[[Columns], Columns] | None = None  # from partials to the monoid's states


def merging(name: str, column: Column) -> Column:
    """Spark's own aggregate that puts partials together; the catalogue's has the same name."""
    merged: Column = getattr(F, name)(column)
    return merged


def builtin_of(aggregate: Aggregate[Any], schema: pa.Schema) -> Builtin | None:
    """How Spark computes an aggregate over rows of this schema; None if it cannot."""
    monoid = aggregate.monoid
    if monoid.changing or monoid.name not in registered():
        return None
    if not aggregate.columns:
        return _count(F.lit(1))
    if monoid.name not in _FORMS or len(aggregate.columns) != 1:
        return None
    (column,) = aggregate.columns
    if column is TIME:
        return _FORMS[monoid.name](F.timestamp_micros(F.col("t")), _TIME_TYPE, monoid.parameters)
    return _FORMS[monoid.name](F.col(column), schema.field(column).type, monoid.parameters)


# Spark's sum has ten digits more than its column: for decimals of up to this many digits, 10^10
# rows cannot overflow it, in any order.  Wider ones are summed in two halves.
_ADDED_UP = 28

# Spark divides to 39 digits behind the point, and then rounds again to the scale of a mean.  With
# at least ten digits between, that is as if it had not rounded before, for fewer than 10^10 rows.
_AVERAGED = 25
# The same of its division in SQL, which has 38 digits in all, by the digits of what is divided.
_DIVIDED = 14

_TIME_TYPE = pa.timestamp("us", tz="UTC")


def _same(columns: Columns) -> Columns:
    return columns


def _only(columns: Columns) -> Column:
    (column,) = columns
    return column


def _is_number(kind: pa.DataType) -> bool:
    numbers = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean)
    return any(is_kind(kind) for is_kind in numbers)


def _count(value: Column) -> Builtin:
    counted = F.count(value)
    return Builtin(counted, (counted,), ("sum",), _only, _same)


def _sum(value: Column, kind: pa.DataType, _: str) -> Builtin | None:
    if pa.types.is_int64(kind):
        high, low = F.sum(integers.high(value)), F.sum(integers.low(value))
        whole = integers.joined([high, low])
        return Builtin(whole, (high, low), ("sum", "sum"), integers.joined, integers.state)
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        total = F.sum(value.cast("long"))  # of 2³² rows at least
        split = lambda sums: integers.split(_only(sums))  # noqa: E731
        return Builtin(total, (total,), ("sum",), _only, split)
    if pa.types.is_floating(kind):
        total = F.sum(value.cast("double"))
        return Builtin(total, (total,), ("sum",), _only, _same)
    if pa.types.is_duration(kind):
        return _duration_sum(value)
    if pa.types.is_decimal(kind):
        return _decimal_sum(value, kind)
    return None


def _duration_sum(value: Column) -> Builtin:
    """In microseconds: Spark's own sum may overflow on the way, even if the total fits."""
    us = (value.cast("interval second").cast("decimal(19,6)") * 1_000_000).cast("long")
    halves = (F.sum(integers.high(us)), F.sum(integers.low(us)))
    lower: Lower = lambda sums: _as_duration(integers.joined(sums))  # noqa: E731
    return Builtin(lower(halves), halves, ("sum", "sum"), lower, integers.state)


def _decimal_sum(value: Column, kind: pa.Decimal128Type) -> Builtin:
    if kind.precision <= _ADDED_UP:
        total = F.sum(value)
        return Builtin(total, (total,), ("sum",), _only)
    halves = tuple(map(F.sum, decimals.halves(value, kind.scale)))
    lower = partial(decimals.joined, kind=DECIMAL_RESULTS["sum"](kind))
    return Builtin(lower(halves), halves, ("sum", "sum"), lower)


def _mean(value: Column, kind: pa.DataType, _: str) -> Builtin | None:
    if pa.types.is_decimal(kind):
        return _decimal_mean(value, kind)
    if pa.types.is_duration(kind):
        return Builtin(F.avg(value), (F.sum(value), F.count(value)), ("sum", "sum"), _ratio)
    if not _is_number(kind):
        return None
    number = value.cast("double")
    parts = (F.sum(number), F.count(value))
    return Builtin(F.avg(number), parts, ("sum", "sum"), _ratio, _same)


def _decimal_mean(value: Column, kind: pa.Decimal128Type) -> Builtin:
    count, scale, result = F.count(value), kind.scale, DECIMAL_RESULTS["mean"](kind)
    if kind.precision > _ADDED_UP or scale > _AVERAGED:
        parts = (*map(F.sum, decimals.halves(value, scale)), count)
        lower: Lower = lambda sums: decimals.mean(sums[:2], sums[2], scale, result)  # noqa: E731
        return Builtin(lower(parts), parts, ("sum", "sum", "sum"), lower)
    added_up = DecimalType(kind.precision + 10, scale)

    def divided(sum_and_count: Columns) -> Column:
        total, count = sum_and_count
        if kind.precision > _DIVIDED:
            return decimals.mean(decimals.halves(total, scale), count, scale, result)
        return _ratio([total.cast(added_up), count])

    return Builtin(F.avg(value), (F.sum(value), count), ("sum", "sum"), divided)


def _ratio(sum_and_count: Columns) -> Column:
    total, count = sum_and_count
    return F.when(count > 0, total / count)


def _extremum(name: str) -> "Form":
    def form(value: Column, kind: pa.DataType, _: str) -> Builtin | None:
        number = _as_number(kind)
        states = None if number is None else (lambda columns: [number(_only(columns))])
        whole = merging(name, value)
        return Builtin(whole, (whole,), (name,), _only, states)

    return form


def _as_number(kind: pa.DataType) -> Callable[[Column], Column] | None:
    """How a value becomes the number that kernels see in its place."""
    if pa.types.is_boolean(kind):
        return lambda value: value
    if pa.types.is_integer(kind):
        return lambda value: value.cast("long")
    if pa.types.is_floating(kind):
        return lambda value: value.cast("double")
    if pa.types.is_date(kind):
        return lambda value: F.unix_date(value).cast("long")
    if pa.types.is_timestamp(kind):
        return lambda value: to_micros(value, spark_type(kind))
    return None


def _range(value: Column, kind: pa.DataType, _: str) -> Builtin | None:
    if pa.types.is_decimal(kind) and kind.precision == 38:
        return None  # Spark would drop digits behind the point
    if pa.types.is_floating(kind):
        value = value.cast("double")
    elif pa.types.is_boolean(kind):
        value = value.cast("long")
    elif pa.types.is_string(kind) or pa.types.is_binary(kind) or pa.types.is_nested(kind):
        return None
    ends = (F.min(value), F.max(value))
    lower = _distance
    if pa.types.is_integer(kind):
        lower = integers.distance
    elif pa.types.is_timestamp(kind):
        lower = partial(_elapsed, spark_type(kind))
    states = _same if pa.types.is_floating(kind) else None
    return Builtin(lower(ends), ends, ("min", "max"), lower, states)


def _distance(ends: Columns) -> Column:
    low, high = ends
    return high - low


def _elapsed(kind: DataType, ends: Columns) -> Column:
    """Spark subtracts timestamps as wall-clock times, which daylight saving time shifts."""
    return _as_duration(integers.distance([to_micros(end, kind) for end in ends]))


def _as_duration(us: Column) -> Column:
    return F.expr("INTERVAL '0 00:00:00.000001' DAY TO SECOND") * us


def _spread(of_sample: Callable[[Column], Column], of_all: Callable[[Column], Column]) -> "Form":
    def form(value: Column, kind: pa.DataType, parameters: str) -> Builtin | None:
        if not _is_number(kind) and not pa.types.is_decimal(kind):
            return None
        number = value.cast("double")
        whole = of_all(number) if parameters == "ddof=0" else of_sample(number)
        moments = (F.count(value), F.avg(number), F.var_pop(number))
        # To combine two spreads takes both means: one pass of Spark's sums would lose digits.
        return Builtin(whole, moments, states=None if pa.types.is_decimal(kind) else _moments)

    return form


def _moments(columns: Columns) -> Columns:
    count, mean, variance = columns
    some = F.when(count > 0, count.cast("double"))
    return [some, mean, variance * count]


def _logic(whole: Callable[[Column], Column], decide: Callable[[Columns], Column]) -> "Form":
    def form(value: Column, kind: pa.DataType, _: str) -> Builtin | None:
        if not pa.types.is_boolean(kind):
            return None
        counts = (F.count(F.when(value, 1)), F.count(value))
        lower = lambda columns: F.when(columns[1] > 0, decide(columns))  # noqa: E731
        return Builtin(whole(value), counts, ("sum", "sum"), lower, _same)

    return form


def _product(value: Column, kind: pa.DataType, _: str) -> Builtin | None:
    if not _is_number(kind) and not pa.types.is_decimal(kind):
        return None
    whole = F.product(value.cast("double"))
    states = None if pa.types.is_decimal(kind) else _same
    return Builtin(whole, (whole,), ("product",), _only, states)


def _geometric_mean(value: Column, kind: pa.DataType, _: str) -> Builtin | None:
    if not _is_number(kind) and not pa.types.is_decimal(kind):
        return None
    number = value.cast("double")
    # Spark's logarithm of what is not positive is null, which would count for nothing.
    log = F.when(number > 0, F.ln(number)).when(number == 0, -math.inf)
    log = log.when(number.isNotNull(), math.nan)
    parts = (F.sum(log), F.count(value))
    states = None if pa.types.is_decimal(kind) else _same
    return Builtin(_geometric(parts), parts, ("sum", "sum"), _geometric, states)


def _geometric(parts: Columns) -> Column:
    return F.exp(_ratio(parts))


Form: TypeAlias = Callable[[Column, pa.DataType, str], Builtin | None]

_FORMS: dict[str, Form] = {
    "all": _logic(F.bool_and, lambda counts: counts[0] == counts[1]),
    "any": _logic(F.bool_or, lambda counts: counts[0] > 0),
    "count": lambda value, kind, parameters: _count(value),
    "geometric_mean": _geometric_mean,
    "max": _extremum("max"),
    "mean": _mean,
    "min": _extremum("min"),
    "product": _product,
    "range": _range,
    "stddev": _spread(F.stddev_samp, F.stddev_pop),
    "sum": _sum,
    "variance": _spread(F.var_samp, F.var_pop),
}
