"""Packs of several chunks come whole and in order, however Spark cuts its batches for Python."""

import gc
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import windrow as wr
from windrow import agg, window
from windrow.columnar.chunks import CHUNK_BYTES
from windrow.spark.transport import packing
from windrow.spark.transport.packing import in_key_groups, numbered
from windrow.spark.transport.transit import arrived, sent
from windrow.spark.transport.workers import in_workers

ROWS_OF_BATCHES = "spark.sql.execution.arrow.maxRecordsPerBatch"
ROWS = 12_000  # of two tasks, so that each has packs of several chunks
SCHEMA = pa.schema([("t", pa.int64()), ("n", pa.int64()), ("v", pa.float64())])


@pytest.fixture(params=["7", "4096"])
def session(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[SparkSession]:
    """A session that hands few rows at a time to Python, or many."""
    fresh = spark.newSession()
    fresh.conf.set(ROWS_OF_BATCHES, request.param)
    yield fresh
    fresh.sql("RESET")


def pack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Rows in three key groups."""
    for table in numbered(batches):
        own = table.select(SCHEMA.names).cast(SCHEMA)
        times = own["t"].to_numpy()
        yield from in_key_groups(own, times % 3, times)


def test_chunks_of_a_pack_arrive_together(session: SparkSession) -> None:
    rows = session.range(ROWS, numPartitions=2).selectExpr("id % 1000 AS t", "double(id) AS v")
    found = arrived(sent(rows, pack), 2).select(
        "key_group", "low", "chunk", "rest", F.length("pack")
    )
    chunks = [tuple(row) for row in found.collect()]
    followed = 0
    for (*mine, number, rest, _), (*others, next_number, next_rest, size) in pairwise(chunks):
        if rest:
            assert (others, next_number, next_rest) == (mine, number + 1, rest - size)
            followed += 1
    assert followed
    assert max(size for *_, size in chunks) == CHUNK_BYTES


@pytest.mark.parametrize("by", [None, "k"])
def test_rows_in_no_order_answer_as_ever(session: SparkSession, by: str | None) -> None:
    shuffled = (F.col("id") * 7_919) % ROWS  # ROWS and 7,919 have no divisor in common
    rows = session.range(ROWS, numPartitions=2).select(
        F.timestamp_micros(shuffled).alias("t"),
        (shuffled % 5).alias("k"),
        shuffled.alias("v"),
    )
    query = wr.over(rows, time="t", by=by).window(window.trailing(rows=3))
    found = query.aggregate(total=agg.sum("v"), oldest=agg.first("v")).toArrow()
    step = 1 if by is None else 5
    newest = np.arange(ROWS)
    held = [newest - step * back for back in range(3)]
    totals = np.sum([np.where(value >= 0, value, 0) for value in held], axis=0)
    oldest = np.where(held[2] >= 0, held[2], newest % step)
    order = np.argsort(found["t"].cast(pa.int64()).to_numpy())
    assert found["total"].to_numpy()[order].tolist() == totals.tolist()
    assert found["oldest"].to_numpy()[order].tolist() == oldest.tolist()


def test_columns_for_more_than_2_gib_arrive_too(spark: SparkSession) -> None:
    wide = spark.newSession()
    wide.conf.set("spark.sql.execution.arrow.useLargeVarTypes", "true")
    rows = wide.range(9).selectExpr("timestamp_seconds(id) AS t", "string(id) AS name")
    query = wr.over(rows, time="t").window(window.trailing(rows=2))
    found = query.aggregate(older=agg.first("name")).sort("t").collect()
    assert [row["older"] for row in found] == ["0", *"01234567"]


def test_rows_that_grow_long_are_gathered_by_their_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "_GATHERED_BYTES", 10_000)
    long = [pa.record_batch({"text": ["x" * size] * 10}) for size in (1, *[500] * 9)]
    tables = list(numbered(iter(long)))
    assert sum(table.num_rows for table in tables) == 100
    assert max(table.nbytes for table in tables) < 20_000


def objects_looked_through(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Among how many objects the worker would look for garbage now; the second time all of them."""
    for batch in batches:
        first = len(gc.get_objects())
        gc.unfreeze()
        yield pa.record_batch([[first], [len(gc.get_objects())]], batch.schema)


def test_workers_do_not_look_for_garbage_among_what_they_loaded(spark: SparkSession) -> None:
    one = spark.range(1, numPartitions=1).selectExpr("id AS looked", "id AS all")
    found = [in_workers(one, objects_looked_through, one.schema).collect()[0] for _ in range(2)]
    assert found[1]["looked"] < found[0]["all"] / 10
