"""Windows of a batch dealt out to units, whoever's they are: each unit sees what is in its own.

rows ─ mapInArrow: copied to their units, or folded into slices first ─▶ shuffle by unit ─
mapInArrow: the engine, answering owned windows ─▶ results.  Where slices have owners of their own,
those make whole slices of all that came to them, and send these on, by a second shuffle.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame

from windrow.columnar.keyed import numbers
from windrow.engines.batch import folded_through, run_through
from windrow.engines.definition import Definition
from windrow.engines.engine import Engine
from windrow.engines.engines import engine_for
from windrow.engines.share import Share
from windrow.parallel.methods import Method
from windrow.parallel.owners import Owners
from windrow.spark.analysis.resolve import Request
from windrow.spark.analysis.types import spark_schema
from windrow.spark.transport.hashed import HASH_KEY, hashed, hashed_rows, with_hash, without_hash
from windrow.spark.transport.packing import (
    Work,
    in_key_groups,
    numbered,
    rank_column,
    resplit,
    result_schema,
)
from windrow.spark.transport.shipped import Shipped
from windrow.spark.transport.spreading import grids_of, to_owners, to_slice_owners
from windrow.spark.transport.transit import packs_of, sent
from windrow.spark.transport.workers import in_workers
from windrow.windows import Order

__all__ = ["merge_slices", "run_units", "spread_rows", "spread_slices"]

_Spread = Callable[[pa.Table], tuple[pa.Table, NDArray[Any]]]


def spread_rows(request: Request, owners: Owners) -> DataFrame:
    """Rows as packs, for the units that own their windows or, for whole slices, their slices."""
    inner, rank = hashed(request.definition), rank_column(request.order)
    schema, spread = inner.schema, _spreading(inner, owners, "t")

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for table in numbered(batches):
            rows, units = spread(with_hash(table, schema))
            yield from in_key_groups(rows, units, numbers(rows[rank]))

    return sent(hashed_rows(request.rows, request.definition), work)


def spread_slices(request: Request, owners: Owners) -> DataFrame:
    """Rows folded into slices where they are read, and these as packs for their units."""
    inner = hashed(request.definition)
    engine, schema = Shipped(engine_for, inner), inner.schema
    spread = _spreading(inner, owners, "start")

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for table in numbered(batches):
            slices, units = spread(engine.get().fold(with_hash(table, schema)))
            yield from in_key_groups(slices, units, numbers(slices["start"]))

    return sent(hashed_rows(request.rows, request.definition), work)


def merge_slices(packs: DataFrame, request: Request, owners: Owners, *, folded: bool) -> DataFrame:
    """Whole slices, as packs for the units that own their windows; packs hold slices or rows."""
    inner = hashed(request.definition)
    engine, grids, order = Shipped(engine_for, inner), grids_of(inner), request.order
    given = engine.get().partials if folded else inner.schema

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _, pieces in packs_of(batches, given):
            for whole in folded_through(engine.get(), pieces, order, folded=folded):
                slices, units = to_owners(whole, owners, grids, "start")
                yield from in_key_groups(slices, units, numbers(slices["start"]))

    return sent(packs, work)


def run_units(packs: DataFrame, request: Request, owners: Owners, *, folded: bool) -> DataFrame:
    """The windows that each unit owns, over packs of slices or rows that have arrived there."""
    inner = hashed(request.definition)
    engine = Shipped(engine_for, inner)
    given = engine.get().partials if folded else inner.schema
    results = result_schema(engine.get().schema, HASH_KEY)
    order = Order.TIME if folded else request.order
    work = _run_units(engine, owners, given, results, order, folded=folded)
    found = in_workers(packs, work, spark_schema(results))
    return found.select(*without_hash(request.definition, results))


def _spreading(inner: Definition, owners: Owners, time: str) -> _Spread:
    """What copies rows or slices to where they go first."""
    grids = grids_of(inner)
    to = to_slice_owners if owners.method is Method.PANES else to_owners
    return lambda table: to(table, owners, grids, time)


def _run_units(
    engine: Shipped[Engine],
    owners: Owners,
    given: pa.Schema,
    results: pa.Schema,
    order: Order,
    *,
    folded: bool,
) -> Work:
    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for unit, pieces in packs_of(batches, given):
            own = engine.get().owning(Share(owners, unit))
            found = run_through(own, pieces, order, folded=folded)
            yield from resplit(table.select(results.names) for table in found)

    return work
