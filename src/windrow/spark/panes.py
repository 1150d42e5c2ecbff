"""Strategy panes: rows are aggregated once into slices, and windows assembled from slices."""

from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from windrow.algebra.registry import registered
from windrow.planning import Assembly
from windrow.slicing.state_types import result_type
from windrow.slicing.summary import Summary
from windrow.spark.builtins import Builtin, merging
from windrow.spark.columns import quoted
from windrow.spark.request import Request
from windrow.spark.result import result_name
from windrow.spark.types import arrow_schema, spark_type
from windrow.windows import Aligned

__all__ = ["run"]


def run(request: Request, assembly: Assembly) -> DataFrame:
    """Aligned windows, one or several, with any commutative aggregates."""
    if assembly is Assembly.FOLD:
        return _folded(request)
    builtins = request.all_builtins
    grouped = request.rows.groupBy(_slice_start(request).alias("start"), *request.definition.keys)
    slices = grouped.agg(*_partials(builtins))
    if assembly is Assembly.EXPAND:
        return _expanded(slices, request)
    if assembly is Assembly.MERGE:
        return _merged(slices, request)
    from windrow.spark import kernel

    return kernel.windows_from_partials(_states(slices, request), request)


def _folded(request: Request) -> DataFrame:
    """Both engines fold rows of aligned windows before the shuffle, if order does not matter."""
    if request.streaming:
        from windrow.spark import stateful

        return stateful.run(request)
    from windrow.spark import kernel

    return kernel.run(request)


def _aligned(request: Request) -> list[tuple[str, Aligned]]:
    return [(name, window) for name, window in request.windows if isinstance(window, Aligned)]


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


def _expanded(slices: DataFrame, request: Request) -> DataFrame:
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


def _merged(slices: DataFrame, request: Request) -> DataFrame:
    """Windows over slices in Python, to which partials are values like any other."""
    from windrow.spark import kernel

    definition, merges = request.definition, _merges(request.all_builtins)
    values = {partial: f"v{place}" for place, partial in enumerate(merges)}
    rows = slices.select(
        *definition.keys,
        F.col("start").alias("t"),
        *(F.col(partial).alias(value) for partial, value in values.items()),
    )
    given = arrow_schema(rows.schema, {})
    arrivals = pa.field("n", pa.int64(), nullable=False)
    aggregates = tuple(
        (partial, registered()[name].factory(values[partial])) for partial, name in merges.items()
    )
    inner = replace(
        definition,
        schema=pa.schema([*given, arrivals]),
        aggregates=aggregates,
        results=tuple(
            result_type(part, [given.field(part.columns[0]).type]) for _, part in aggregates
        ),
    )
    found = kernel.windows_from_rows(rows, inner)
    others = [F.col(name) for name in found.columns if not name.startswith(result_name(""))]
    merged = [quoted(result_name(partial)).alias(partial) for partial in merges]
    return _lowered(found.select(*others, *merged), request)


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
    named = ["name"] if len(request.windows) > 1 else []
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


def _states(slices: DataFrame, request: Request) -> DataFrame:
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
