"""Results: from a strategy's columns to the user's, as a DataFrame that can explain itself.

A strategy gives the key k…, `name` if windows have one, `start` and `end` (or a `window` that Spark
has made), `first` and `last` or `nth`, or `t` and c…, and for each aggregate `r:<name>`; for
several trailing windows, it gives for each window `r:<name>`, a struct of aggregates.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import DataType

from windrow.engines.names import result_name
from windrow.plan import Plan, Strategy
from windrow.spark.analysis.clock import LateBy
from windrow.spark.analysis.columns import quoted
from windrow.spark.analysis.event_time import carried_by
from windrow.spark.analysis.intervals import as_exact
from windrow.spark.analysis.resolve import Request
from windrow.spark.analysis.times import bound_from_micros, value_from_micros
from windrow.spark.analysis.types import spark_type
from windrow.spark.output_mode import Streamed
from windrow.spark.progress import Progress

__all__ = ["Windowed", "finish", "late"]


if TYPE_CHECKING:
    from windrow.topology.model import Reduction


class Windowed(Streamed):
    """The result of a query: a DataFrame that can also explain itself and show its late rows."""

    _windrow: tuple[Request, Plan]

    def plan(self) -> Plan:
        """How the query is run, as data; of a stream, also what a micro-batch should take."""
        plan = self._windrow[1]
        for progress in self._progress:
            plan = replace(plan, micro_batch=progress.predicted())
        return plan

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
        """How far nodes reduce each period, to plan a topology with; see `windrow.topology`.

        What is not given is estimated from the rows: how many keys there are, the share of the
        largest, and how large states are in a sample.
        """
        from windrow.spark.reduction import reduction_of

        return reduction_of(self._windrow[0], keys, hottest, state_bytes)

    def explain(self, *arguments: Any, **options: Any) -> None:
        """Say in plain words how the query is run; with arguments, Spark's own explanation."""
        if arguments or options:
            super().explain(*arguments, **options)
        else:
            sys.stdout.write(f"{self.plan().explain()}\n")


def finish(
    df: DataFrame, request: Request, plan: Plan, progress: Progress | None = None
) -> Windowed:
    """The user's columns of a strategy's result."""
    names = request.names
    keys = [_key(f"k{i}", request).alias(name) for i, name in enumerate(names.keys)]
    results = [_result(name, request).alias(name) for name in names.results]
    finished: Any = df.select(*_place(df.columns, request), *keys, *_kept(request), *results)
    kind: Any = type(finished)
    finished.__class__ = _windowed(kind)
    vars(finished)["_windrow"] = (request, plan)
    vars(finished)["_emits"] = frozenset({request.emit} if request.streaming else ())
    vars(finished)["_progress"] = frozenset(() if progress is None else (progress,))
    windowed: Windowed = finished
    return windowed


@cache
def _windowed(kind: Any) -> Any:
    """A subclass of Spark's own DataFrame class (classic or Connect)."""
    return type("WindowedDataFrame", (Windowed, kind), {"__doc__": Windowed.__doc__})


def _place(given: Sequence[str], request: Request) -> list[Column]:
    """Which window a result belongs to, or which row."""
    names, kind = request.names, request.time_type
    lateness_ms = request.lateness_ms if request.streaming else None
    carried = carried_by(request.windows, kind, lateness_ms, request.emit, request.order)
    window = request.windows[0][1]  # all are of one shape
    if window.per_row:
        return [value_from_micros(F.col("t"), kind).alias(names.time, metadata=carried.column)]
    start, end = _bounds(given, kind)
    ends = start.alias("start"), end.alias("end", metadata=carried.end)
    place = F.struct(*ends, *window.numbers).alias(names.window, metadata=carried.column)
    return [F.col("name").alias(names.name), place] if request.definition.named else [place]


def _bounds(given: Sequence[str], kind: DataType) -> tuple[Column, Column]:
    """The start and the end of a window, which may be Spark's own."""
    if "window" in given:
        window = F.col("window")
        return window.getField("start"), window.getField("end")
    return bound_from_micros(F.col("start"), kind), bound_from_micros(F.col("end"), kind)


def _key(name: str, request: Request) -> Column:
    """A key; -0.0 is the same key as 0.0, and is shown as such unless a result is of one row.

    Which of them a window would show depends on the task that has seen it first.
    """
    kind = request.definition.schema.field(name).type
    if request.windows[0][1].per_row or not pa.types.is_floating(kind):
        return F.col(name)
    return F.when(F.col(name) == 0, F.lit(0.0).cast(spark_type(kind))).otherwise(F.col(name))


def _result(name: str, request: Request) -> Column:
    result = quoted(result_name(name))
    return as_exact(result) if name in request.exact else result


def _kept(request: Request) -> list[Column]:
    return [F.col(f"c{i}").alias(name) for i, name in enumerate(request.names.kept)]


def late(request: Request, strategy: Strategy) -> DataFrame:
    """A batch: rows without a time.  A stream: those, and rows that the watermark has reached.

    Of a tree: the rows that came to a leaf when it had promised that none would.
    """
    if request.tree is not None:
        return request.tree.late(request.source)
    if request.streaming:
        from windrow.spark.stream.late_stream import late_rows

        by_spark = strategy is Strategy.NATIVE
        return late_rows(request, LateBy.THE_ONE_BEFORE_THE_END if by_spark else request.late_by)
    return request.source.where(request.selected["t"].isNull())
