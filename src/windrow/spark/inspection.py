"""What a stream keeps, key by key, read from its checkpoint by Spark's own state data source."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from windrow.errors import InputError
from windrow.slicing.keyed import Keyed, numbers, together
from windrow.spark.about import About
from windrow.spark.hashed import HASH_KEY
from windrow.spark.packing import Work
from windrow.wire.parcels import open_crate, unpack
from windrow.wire.pressed import unpress

__all__ = ["about_of", "kept_keys", "operators_of"]

_OURS = "transformWithState"
# The tables that hold what windows are made of, and the columns that tell from when to when.
_MAIN = {"rows": ("t", "t"), "slices": ("start", "start"), "open": ("start", "end")}
_SEEN = "lane int, tower long, key string, rows long, oldest long, newest long, bytes long"


def operators_of(spark: SparkSession, checkpoint: str) -> list[int]:
    """The stateful operators of a checkpoint that may be windrow's."""
    found = spark.read.format("state-metadata").load(checkpoint)
    names = found.select("operatorId", "operatorName").distinct().collect()
    ours = sorted(row["operatorId"] for row in names if row["operatorName"].startswith(_OURS))
    if not ours:
        others = ", ".join(sorted({row["operatorName"] for row in names})) or "none"
        raise InputError(
            f"{checkpoint} holds no state of windrow's own operator (it has: {others}); queries "
            "that run natively keep Spark's own state, which format('statestore') reads"
        )
    return ours


def about_of(spark: SparkSession, checkpoint: str, operator: int) -> About:
    """What an operator's state says of itself."""
    told = _variable(spark, checkpoint, operator, "about").select("value.content").take(1)
    if not told:
        raise InputError(f"{checkpoint} holds no state yet: no micro-batch has ended")
    return About.read(bytes(told[0]["content"]))


def kept_keys(spark: SparkSession, checkpoint: str, operator: int, about: About) -> DataFrame:
    """A row for each key: rows of its window, rows that wait, pages and bytes.

    `oldest` and `newest` are the times of its first and last row, in microseconds.
    """

    def variable(name: str) -> DataFrame:
        found = _variable(spark, checkpoint, operator, name)
        content = F.col("user_map_value.content").alias("content")
        return found.select(F.col("key.lane").alias("lane"), "user_map_key.*", content)

    seen = variable("shards").mapInArrow(_windows(about), _SEEN).withColumn("waiting", F.lit(0))
    if _waits(spark, checkpoint, operator):
        waiting = variable("waiting").mapInArrow(_waiting(about), _SEEN)
        none = [F.lit(None).cast("long").alias(name) for name in ("oldest", "newest")]
        late = waiting.select(
            "lane", "tower", "key", F.lit(0).alias("rows"), *none, "bytes", "rows"
        )
        seen = seen.unionAll(late.toDF(*seen.columns))
    pages = F.lit(0)
    if "towers" in about.kept:
        size = F.sum(F.length("content")).alias("page_bytes")
        counted = variable("pages").groupBy("lane", "tower").agg(F.count("*").alias("pages"), size)
        seen = seen.join(counted, ["lane", "tower"], "left")
        pages = F.sum(F.coalesce("pages", F.lit(0)))
        seen = seen.withColumn("bytes", F.col("bytes") + F.coalesce("page_bytes", F.lit(0)))
    return seen.groupBy("key").agg(
        F.sum("rows").alias("rows"),
        F.min("oldest").alias("oldest"),
        F.max("newest").alias("newest"),
        F.sum("waiting").alias("waiting"),
        pages.cast("long").alias("pages"),
        F.sum("bytes").alias("bytes"),
    )


def _variable(spark: SparkSession, checkpoint: str, operator: int, name: str) -> DataFrame:
    reader = spark.read.format("statestore").option("operatorId", operator)
    return reader.option("stateVarName", name).load(checkpoint)


def _waits(spark: SparkSession, checkpoint: str, operator: int) -> bool:
    """Whether rows of the query wait for their turn, and so have a variable of their own."""
    found = spark.read.format("state-metadata").load(checkpoint)
    (row, *_) = found.where(F.col("operatorId") == operator).collect()
    variables = json.loads(row["operatorProperties"])["stateVariables"]
    return any(variable["stateName"] == "waiting" for variable in variables)


def _windows(about: About) -> Work:
    """What shards hold of each key."""
    schemas = {name: s for name, s in about.kept.items() if HASH_KEY in s.names}

    def of_shard(content: bytes) -> Iterator[dict[str, Any]]:
        tables = open_crate(unpress(content), schemas)
        name = next(name for name in _MAIN if name in tables)
        share = len(content) / max(tables[name].num_rows, 1)
        yield from _by_key(tables[name], about, _MAIN[name], share)
        for tower in tables["towers"].to_pylist() if "towers" in tables else []:
            yield {
                "tower": tower["number"],
                "key": _key(tower, about),
                "rows": tower["paged"] - tower["evicted"],
                "oldest": tower["oldest"] if tower["evicted"] < tower["paged"] else None,
                "newest": tower["newest"],
                "bytes": 0,
            }

    return _over(of_shard)


def _waiting(about: About) -> Work:
    """What waits of each key."""
    schema = pa.schema([field for field in about.waiting if field.name != "n"])

    def of_parcel(content: bytes) -> Iterator[dict[str, Any]]:
        rows = unpack(unpress(content), schema)
        return _by_key(rows, about, _MAIN["rows"], len(content) / max(rows.num_rows, 1))

    return _over(of_parcel)


def _over(look: Any) -> Work:
    """A row of `_SEEN` for all that a look at each value finds."""
    schema = pa.schema(
        [
            ("lane", pa.int32()),
            ("tower", pa.int64()),
            ("key", pa.string()),
            *((name, pa.int64()) for name in ("rows", "oldest", "newest", "bytes")),
        ]
    )

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            values = zip(batch["lane"].to_pylist(), batch["content"].to_pylist(), strict=True)
            found = [{"lane": lane, **row} for lane, content in values for row in look(content)]
            yield pa.RecordBatch.from_pylist(found, schema)

    return work


def _by_key(
    table: pa.Table, about: About, times: tuple[str, str], share: float
) -> Iterator[dict[str, Any]]:
    """How many rows each key has, and from when to when."""
    keyed: Keyed = together(table)
    first_times, last_times = (numbers(keyed.table[name]) for name in times)
    starts = keyed.borders[:-1]
    if not len(starts):
        return
    # A slice knows how many rows it was folded from.
    counted = "rows" in table.schema.names
    sizes = np.add.reduceat(numbers(keyed.table["rows"]), starts) if counted else None
    places = np.diff(keyed.borders)
    oldest = np.minimum.reduceat(first_times, starts)
    newest = np.maximum.reduceat(last_times, starts)
    firsts = keyed.table.take(pa.array(starts)).to_pylist()
    rows = places if sizes is None else sizes
    counts = zip(rows.tolist(), oldest.tolist(), newest.tolist(), strict=True)
    for first, count, place in zip(firsts, counts, places.tolist(), strict=True):
        told = dict(zip(("rows", "oldest", "newest"), count, strict=True))
        yield {"tower": None, "key": _key(first, about), **told, "bytes": int(place * share)}


def _key(row: dict[str, Any], about: About) -> str:
    """A key as people read it: JSON, by the user's names."""
    names = {f"k{place}": name for place, name in enumerate(about.keys, 1)}
    return json.dumps({name: row[ours] for ours, name in names.items()}, default=str)
