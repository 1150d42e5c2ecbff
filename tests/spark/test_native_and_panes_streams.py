"""Native and panes over streams: what has closed is what the batch says."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr
from windrow import agg, window
from windrow.plan import Strategy
from windrow.spark.result import Windowed
from windrow.windows import Aligned, Emit

pytestmark = pytest.mark.usefixtures("one_partition")

SCHEMA = "`t.s` timestamp, k string, x double"
PARTS: dict[str, Any] = {"n": agg.count(), "m": agg.mean("x"), "v": agg.variance("x")}
END = 1_711_850_000


@pytest.fixture(scope="module")
def source(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Half an hour of rows in two files, across a change of Berlin's clocks; then one far later."""
    folder = tmp_path_factory.mktemp("rows")
    rows = spark.range(200).select(
        F.timestamp_seconds(F.lit(1_711_846_000) + F.col("id") * 9).alias("t.s"),
        F.concat(F.lit("k"), F.col("id") % 3).alias("k"),
        (F.col("id") % 7 / 4).alias("x"),
        "id",
    )
    far = spark.sql(f"select timestamp_seconds({END}) `t.s`, 'far' k, 0D x")
    parts = [rows.where("id < 100").drop("id"), rows.where("id >= 100").drop("id"), far]
    for i, part in enumerate(parts):
        part.coalesce(1).write.json(str(folder / f"batch={i}"))
    return str(folder)


def streamed(df: DataFrame, mode: str, where: Path) -> list[dict[str, Any]]:
    """All that a stream told, in the order it did."""
    name = f"s{abs(hash(where))}"
    writer = df.writeStream.format("memory").queryName(name).outputMode(mode)
    query = writer.option("checkpointLocation", str(where)).trigger(availableNow=True).start()
    query.awaitTermination()
    return [row.asDict(recursive=True) for row in df.sparkSession.table(name).collect()]


def reader(spark: SparkSession, source: str) -> DataFrame:
    files = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
    return files.json(f"{source}/batch=*")


def told(rows: list[dict[str, Any]]) -> dict[Any, tuple[Any, ...]]:
    """By window and key: the last answer, rounded for sums in another order."""
    return {
        (r["window"]["start"], r["window"]["end"], r.get("k")): tuple(
            round(r[name], 9) if isinstance(r[name], float) else r[name] for name in PARTS
        )
        for r in rows
    }


@pytest.mark.parametrize(
    ("shape", "keyed", "kind", "strategy"),
    [
        (window.tumbling("5 min"), True, "timestamp", Strategy.NATIVE),
        (window.hopping("5 min", every="2 min"), True, "timestamp_ntz", Strategy.PANES),
        (window.hopping("1 min", every="5 min"), False, "timestamp", Strategy.PANES),
    ],
    ids=["tumbling", "hopping over ntz", "gaps"],
)
def test_a_stream_tells_what_the_batch_tells(
    spark: SparkSession,
    source: str,
    tmp_path: Path,
    shape: Aligned,
    keyed: bool,
    kind: str,
    strategy: Strategy,
) -> None:
    time = F.col("`t.s`").cast(kind) if kind != "timestamp" else "t.s"
    by = "k" if keyed else None

    def query(df: DataFrame, **options: str) -> Windowed:
        return wr.over(df, time=time, by=by, **options).window(shape).aggregate(**PARTS)

    stream = query(reader(spark, source), lateness="1 minute", strategy=strategy.value)
    assert stream.plan().strategy is strategy
    # The windows of the far row stay open, and hold no other row.
    near = spark.read.schema(SCHEMA).json(f"{source}/batch=*").where("k <> 'far'")
    batch = query(near)
    wanted = told([row.asDict(recursive=True) for row in batch.collect()])
    rows = streamed(stream, "append", tmp_path)
    assert stream.schema.simpleString() == batch.schema.simpleString()
    assert len(told(rows)) == len(rows)
    assert told(rows) == wanted


def test_on_change_tells_windows_again_as_rows_come(
    spark: SparkSession, source: str, tmp_path: Path
) -> None:
    shape, parts = window.hopping("20 min", every="10 min"), {"n": agg.count()}
    rows = reader(spark, source)
    over = wr.over(rows, time="t.s", lateness="1 minute", emit=Emit.ON_CHANGE)
    stream = over.window(shape).aggregate(**parts)
    assert stream.plan().strategy is Strategy.NATIVE
    batch = wr.over(spark.read.schema(SCHEMA).json(f"{source}/batch=*"), time="t.s").window(shape)
    wanted = {row["window"]["start"]: row["n"] for row in batch.aggregate(**parts).collect()}
    changes = streamed(stream, "update", tmp_path)
    assert {row["window"]["start"]: row["n"] for row in changes} == wanted
    assert len(changes) > len(wanted)
