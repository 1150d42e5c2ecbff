"""Slices that Spark computes from rows, and what becomes of them: windows, states, or values."""

from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from windrow.algebra.lookup import registered
from windrow.columnar.result_types import result_type
from windrow.columnar.states import Summary
from windrow.engines.definition import Definition
from windrow.engines.names import result_name
from windrow.spark.analysis.builtins import Builtin, merging
from windrow.spark.analysis.columns import quoted
from windrow.spark.analysis.resolve import Request
from windrow.spark.analysis.types import arrow_schema, spark_type
from windrow.windows import Aligned

__all__ = ["expanded", "lowered_values", "merging_definition", "sliced", "states", "values"]


def sliced(request: Request) -> DataFrame:
    """Rows aggregated into slices by Spark: one row for each slice and key, with its partials."""
    grouped = request.rows.groupBy(_slice_start(request).alias("start"), *request.definition.keys)
    return grouped.agg(*_partials(request.all_builtins))


def _aligned(request: Request) -> list[tuple[str, Aligned]]:
    windows = request.windows
    return [(name, grid) for name, window in windows if (grid := window.grid) is not None]


def _slice_start(request: Request) -> Column:
    """The latest edge of any window at or before a row."""
    edges: dict[tuple[int, int], None] = {}
    for _, window in _aligned(request):
        for edge_us in (window.offset_us, window.offset_us + window.size_us):
            edges[edge_us % window.every_us, window.every_us] = None  # each once, in order
    starts = [_last_on_grid(F.col("t"), edge_us, every_us) for edge_us, every_us in edges]
    return starts[0] if len(starts) == 1 else F.greatest(*starts)


def _last_on_grid(us: Column, edge_us: int, every_us: int) -> Column:
    return us - F.pmod(us - edge_us, F.lit(every_us))


def _partials(builtins: list[Builtin]) -> list[Column]:
    """What is kept of a slice: partials by number."""
    return [
        column.alias(_partial(i, j))
        for i, builtin in enumerate(builtins)
        for j, column in enumerate(builtin.partials)
    ]


def _partial(aggregate: int, place: int) -> str:
    return f"p{aggregate}_{place}"


def _kept(i: int, builtin: Builtin) -> list[Column]:
    return [F.col(_partial(i, j)) for j in range(len(builtin.partials))]


def expanded(slices: DataFrame, request: Request) -> DataFrame:
    """Every slice once for each of its windows, and aggregated again."""
    builtins, keys = request.all_builtins, request.definition.keys
    windows = F.concat(*map(_of_slice, _aligned(request)))
    merged = [
        merging(name, F.col(partial)).alias(partial) for partial, name in _merges(builtins).items()
    ]
    parts = [column for column in slices.columns if column != "start"]
    spread = slices.select(*parts, F.inline(windows))
    grouped = spread.groupBy(*keys, "name", "start", "end").agg(*merged)
    return _lowered(grouped, request)


def values(slices: DataFrame, request: Request) -> DataFrame:
    """Slices as rows at their start, whose partials are values like any other."""
    merges = _merges(request.all_builtins)
    return slices.select(
        *request.definition.keys,
        F.col("start").alias("t"),
        *(F.col(partial).alias(f"v{place}") for place, partial in enumerate(merges)),
    )


def merging_definition(rows: DataFrame, request: Request) -> Definition:
    """What merges such values: the windows of a request over aggregates of partials."""
    merges = _merges(request.all_builtins)
    given = arrow_schema(rows.schema, {})
    arrivals = pa.field("n", pa.int64(), nullable=False)
    aggregates = tuple(
        (partial, registered()[name].factory(f"v{place}"))
        for place, (partial, name) in enumerate(merges.items())
    )
    return replace(
        request.definition,
        schema=pa.schema([*given, arrivals]),
        aggregates=aggregates,
        results=tuple(
            result_type(part, [given.field(part.columns[0]).type]) for _, part in aggregates
        ),
    )


def lowered_values(windows: DataFrame, request: Request) -> DataFrame:
    """Windows of merged values with results in their place."""
    others = [F.col(name) for name in windows.columns if not name.startswith(result_name(""))]
    merges = _merges(request.all_builtins)
    merged = [quoted(result_name(partial)).alias(partial) for partial in merges]
    return _lowered(windows.select(*others, *merged), request)


def _merges(builtins: Sequence[Builtin]) -> dict[str, str]:
    """By partial: the aggregate that puts together those of several slices."""
    return {
        _partial(i, j): name
        for i, builtin in enumerate(builtins)
        for j, name in enumerate(builtin.merges or ())
    }


def _lowered(windows: DataFrame, request: Request) -> DataFrame:
    """Windows with results in place of partials."""
    definition = request.definition
    named = ["name"] if definition.named else []
    results = [
        builtin.lower(_kept(i, builtin)).cast(spark_type(kind)).alias(result_name(name))
        for i, (builtin, (name, _), kind) in enumerate(
            zip(request.all_builtins, definition.aggregates, definition.results, strict=True)
        )
        if builtin.lower is not None
    ]
    return windows.select(*definition.keys, *named, "start", "end", *results)


def _of_slice(named: tuple[str, Aligned]) -> Column:
    """The windows that a slice is in, as an array of name, start and end."""
    name, window = named
    start, every, offset = F.col("start"), window.every_us, window.offset_us % window.every_us
    last = _last_on_grid(start, offset, every)
    first = _last_on_grid(start - window.size_us, offset, every) + every
    starts = F.sequence(first, last, F.lit(every))
    if window.every_us > window.size_us:  # a slice between two windows is in none
        starts = F.when(first <= last, starts).otherwise(F.array().cast("array<bigint>"))
    return F.transform(
        starts,
        lambda s: F.struct(
            F.lit(name).alias("name"), s.alias("start"), (s + window.size_us).alias("end")
        ),
    )


def states(slices: DataFrame, request: Request) -> DataFrame:
    """Slices as the engine keeps them: key, start, the states of each aggregate."""
    definition = request.definition
    columns = []
    for i, ((name, aggregate), kind, builtin) in enumerate(
        zip(definition.aggregates, definition.results, request.all_builtins, strict=True)
    ):
        fields = Summary(aggregate, name, definition.schema, kind).fields
        assert builtin.states is not None
        states = builtin.states(_kept(i, builtin))
        columns += [
            state.cast(spark_type(field.type)).alias(field.name)
            for state, field in zip(states, fields, strict=True)
        ]
    return slices.select(*definition.keys, "start", *columns)
