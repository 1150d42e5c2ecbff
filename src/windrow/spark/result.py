"""Results: from the columns that strategies give to those a user sees, and a frame that explains.

A strategy gives the key k…, `name` if there are several windows, `start` and `end` (or a `window`
that Spark has made), `first` and `last` or `nth`, or `t` and c…, and for each aggregate `r:<name>`.
"""

import sys
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import DataType

from windrow.planning import Plan
from windrow.spark.columns import quoted
from windrow.spark.event_time import carried_by
from windrow.spark.intervals import as_exact
from windrow.spark.late import late
from windrow.spark.request import Request
from windrow.spark.times import bound_from_micros, value_from_micros
from windrow.spark.written import Streamed

__all__ = ["Windowed", "finish", "result_name"]


if TYPE_CHECKING:
    from windrow.planning.topology.model import Reduction


class Windowed(Streamed):
    """The result of a query: a DataFrame that can also explain itself and show its late rows."""

    _windrow: tuple[Request, Plan]

    def plan(self) -> Plan:
        """How the query is run, as data."""
        return self._windrow[1]

    def late(self) -> DataFrame:
        """Rows without a time, and in a stream those that came too late for their windows."""
        request, plan = self._windrow
        return late(request, plan.strategy)

    def reduction(
        self,
        keys: int | None = None,
        hottest: float | None = None,
        state_bytes: float | None = None,
    ) -> "Reduction":
        """What nodes would make of each period, to plan a topology by; see `planning.topology`.

        What is not given is found in the rows: how many keys there are, the share of the largest,
        and how large states are in a sample.
        """
        from windrow.spark.reduction import reduction_of

        return reduction_of(self._windrow[0], keys, hottest, state_bytes)

    def explain(self, *arguments: Any, **options: Any) -> None:
        """Say in plain words how the query is run; with arguments, Spark's own explanation."""
        if arguments or options:
            super().explain(*arguments, **options)
        else:
            sys.stdout.write(f"{self.plan().explain()}\n")


def result_name(aggregate: str) -> str:
    """The column in which a strategy gives the result of an aggregate."""
    return f"r:{aggregate}"


def finish(df: DataFrame, request: Request, plan: Plan) -> Windowed:
    """The user's columns of a strategy's result."""
    names = request.names
    keys = [F.col(f"k{i}").alias(name) for i, name in enumerate(names.keys)]
    results = [_result(name, request).alias(name) for name in names.aggregates]
    finished: Any = df.select(*_place(df.columns, request), *keys, *_kept(request), *results)
    kind: Any = type(finished)
    finished.__class__ = _windowed(kind)
    vars(finished)["_windrow"] = (request, plan)
    vars(finished)["_emit"] = request.emit if request.streaming else None
    windowed: Windowed = finished
    return windowed


@cache
def _windowed(kind: Any) -> Any:
    """A class of its own for each of Spark's (classic, Connect): still that kind of DataFrame."""
    return type("WindowedDataFrame", (Windowed, kind), {"__doc__": Windowed.__doc__})


def _place(given: Sequence[str], request: Request) -> list[Column]:
    """Which window a result belongs to, or which row."""
    names, kind = request.names, request.time_type
    lateness_ms = request.lateness_ms if request.streaming else None
    carried = carried_by(request.windows, kind, lateness_ms, request.emit, request.order)
    if "t" in given:
        return [value_from_micros(F.col("t"), kind).alias(names.time, metadata=carried.column)]
    start, end = _bounds(given, kind)
    counted = [F.col(place) for place in ("first", "last", "nth") if place in given]
    bounds = F.struct(start.alias("start"), end.alias("end", metadata=carried.end), *counted)
    window = bounds.alias(names.window, metadata=carried.column)
    if not request.several:
        return [window]
    (only, _), *others = request.windows
    name = F.col("name") if others else F.lit(only)
    return [name.alias(names.name), window]


def _bounds(given: Sequence[str], kind: DataType) -> tuple[Column, Column]:
    """The start and the end of a window, which may be Spark's own."""
    if "window" in given:
        window = F.col("window")
        return window.getField("start"), window.getField("end")
    return bound_from_micros(F.col("start"), kind), bound_from_micros(F.col("end"), kind)


def _result(aggregate: str, request: Request) -> Column:
    result = quoted(result_name(aggregate))
    return as_exact(result) if aggregate in request.exact else result


def _kept(request: Request) -> list[Column]:
    return [F.col(f"c{i}").alias(name) for i, name in enumerate(request.names.kept)]
