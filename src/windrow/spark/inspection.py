"""What a stream keeps, key by key, read from its checkpoint by Spark's own state data source.

All is read as one micro-batch left it: the stream may run on meanwhile.
"""

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from windrow.columnar.keyed import Keyed, numbers, together
from windrow.columnar.packs import open_bundle
from windrow.errors import InputError
from windrow.spark.state.about import About
from windrow.spark.state.values import from_value
from windrow.spark.state.waiting import read_waiting
from windrow.spark.transport.hashed import HASH_KEY
from windrow.spark.transport.packing import Work
from windrow.spark.transport.workers import in_workers

__all__ = ["Operator", "about_of", "kept_keys", "operators_of"]

# The tables that hold the contents of windows, and their columns with the oldest and newest times,
# as far as those are known.
_MAIN: dict[str, tuple[str | None, str]] = {
    "rows": ("t", "t"),
    "slices": ("start", "start"),
    "open": ("start", "end"),
    "buckets": (None, "tick"),
}
_NOTHING_YET = "{} holds no state yet: no micro-batch has ended"
_SEEN = (
    "key_group int, paged_window long, key string, rows long, oldest long, newest long, bytes long"
)


@dataclass(frozen=True)
class Operator:
    """A stateful operator of windrow's in a checkpoint, as one micro-batch left it."""

    spark: SparkSession
    checkpoint: str
    number: int
    batch: int
    variables: frozenset[str]

    def variable(self, name: str) -> DataFrame:
        """What the state store holds under a name."""
        reader = self.spark.read.format("statestore").option("operatorId", self.number)
        return (
            reader.option("batchId", self.batch).option("stateVarName", name).load(self.checkpoint)
        )


def operators_of(spark: SparkSession, checkpoint: str) -> list[Operator]:
    """The operators of a checkpoint that are windrow's."""
    rows = spark.read.format("state-metadata").load(checkpoint).collect()
    found = {row["operatorId"]: row for row in rows}
    operators = [
        Operator(
            spark, checkpoint, number, row["maxBatchId"], _variables(row["operatorProperties"])
        )
        for number, row in sorted(found.items())
    ]
    ours = [operator for operator in operators if "about" in operator.variables]
    if not ours:
        others = ", ".join(sorted({row["operatorName"] for row in rows})) or "none"
        raise InputError(
            f"{checkpoint} holds no state of windrow's own operator (it has: {others}); queries "
            "that run natively keep Spark's own state, which format('statestore') reads"
        )
    if any(operator.batch < 0 for operator in ours):
        raise InputError(_NOTHING_YET.format(checkpoint))
    return ours


def _variables(properties: str | None) -> frozenset[str]:
    """The names of an operator's state variables; Spark's own operators have none."""
    variables = json.loads(properties or "{}").get("stateVariables", [])
    return frozenset(variable["stateName"] for variable in variables)


def about_of(operator: Operator) -> About:
    """What an operator's state says about itself."""
    rows = operator.variable("about").select("value.content").take(1)
    if not rows:
        raise InputError(_NOTHING_YET.format(operator.checkpoint))
    return About.read(bytes(rows[0]["content"]))


def kept_keys(operator: Operator, about: About) -> DataFrame:
    """A row for each key: rows of its window, rows that wait, pages and bytes.

    `oldest` and `newest` are the times of its first and last row, in microseconds, as windows see
    them: with `order=Order.ARRIVAL` no row is older than the one before it.
    """

    def variable(name: str) -> DataFrame:
        content = F.col("user_map_value.content").alias("content")
        key_group = F.col("key.key_group").alias("key_group")
        return operator.variable(name).select(key_group, "user_map_key.*", content)

    seen = in_workers(variable("shards"), _windows(about), _SEEN).withColumn("waiting", F.lit(0))
    if "waiting" in operator.variables:
        waiting = in_workers(variable("waiting"), _waiting(about), _SEEN)
        none = [F.lit(None).cast("long").alias(name) for name in ("oldest", "newest")]
        late = waiting.select(
            "key_group", "paged_window", "key", F.lit(0).alias("rows"), *none, "bytes", "rows"
        )
        seen = seen.unionAll(late.toDF(*seen.columns))
    pages = F.lit(0)
    if "paged_windows" in about.kept:
        size = F.sum(F.length("content")).alias("page_bytes")
        counted = (
            variable("pages")
            .groupBy("key_group", "paged_window")
            .agg(F.count("*").alias("pages"), size)
        )
        seen = seen.join(counted, ["key_group", "paged_window"], "left")
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


def _windows(about: About) -> Work:
    """What shards hold for each key."""
    schemas = {name: s for name, s in about.kept.items() if HASH_KEY in s.names}

    def of_shard(content: str) -> Iterator[dict[str, Any]]:
        tables = open_bundle(from_value(content), schemas)
        name = next(name for name in _MAIN if name in tables)
        share = len(content) / max(tables[name].num_rows, 1)
        yield from _by_key(tables[name], about, _MAIN[name], share)
        for paged_window in (
            tables["paged_windows"].to_pylist() if "paged_windows" in tables else []
        ):
            yield {
                "paged_window": paged_window["number"],
                "key": _key(paged_window, about),
                "rows": paged_window["paged"] - paged_window["evicted"],
                "oldest": paged_window["oldest"]
                if paged_window["evicted"] < paged_window["paged"]
                else None,
                "newest": paged_window["newest"],
                "bytes": 0,
            }

    return _over(of_shard)


def _waiting(about: About) -> Work:
    """How many rows of each key wait."""

    def of_pack(content: str) -> Iterator[dict[str, Any]]:
        rows = read_waiting(content, about.waiting)
        return _by_key(rows, about, _MAIN["rows"], len(content) / max(rows.num_rows, 1))

    return _over(of_pack)


def _over(look: Any) -> Work:
    """A row of `_SEEN` for everything found in each value."""
    schema = pa.schema(
        [
            ("key_group", pa.int32()),
            ("paged_window", pa.int64()),
            ("key", pa.string()),
            *((name, pa.int64()) for name in ("rows", "oldest", "newest", "bytes")),
        ]
    )

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            values = zip(batch["key_group"].to_pylist(), batch["content"].to_pylist(), strict=True)
            found = [
                {"key_group": key_group, **row}
                for key_group, content in values
                for row in look(content)
            ]
            yield pa.RecordBatch.from_pylist(found, schema)

    return work


def _by_key(
    table: pa.Table, about: About, times: tuple[str | None, str], share: float
) -> Iterator[dict[str, Any]]:
    """How many rows each key has, and from when to when."""
    keyed: Keyed = together(table)
    first, last = times
    starts = keyed.borders[:-1]
    if not len(starts):
        return
    # A slice, or a window of buckets, knows how many rows it was folded from.
    counted = "rows" in table.schema.names
    sizes = np.add.reduceat(numbers(keyed.table["rows"]), starts) if counted else None
    places = np.diff(keyed.borders)
    oldest: list[int | None] = [None] * len(starts)
    if first is not None:
        oldest = np.minimum.reduceat(numbers(keyed.table[first]), starts).tolist()
    newest = np.maximum.reduceat(numbers(keyed.table[last]), starts)
    firsts = keyed.table.take(pa.array(starts)).to_pylist()
    rows = places if sizes is None else sizes
    counts = zip(rows.tolist(), oldest, newest.tolist(), strict=True)
    for row, count, place in zip(firsts, counts, places.tolist(), strict=True):
        seen = dict(zip(("rows", "oldest", "newest"), count, strict=True))
        yield {"paged_window": None, "key": _key(row, about), **seen, "bytes": int(place * share)}


def _key(row: dict[str, Any], about: About) -> str:
    """A key as people read it: JSON, by the user's names."""
    names = {f"k{place}": name for place, name in enumerate(about.keys, 1)}
    return json.dumps({name: _plain(row[ours]) for ours, name in names.items()}, default=str)


def _plain(value: Any) -> Any:
    """A value as JSON may have it: it knows no numbers but finite ones."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
