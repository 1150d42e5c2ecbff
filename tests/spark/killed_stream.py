"""A stream that is killed: it reads the rows of a folder, and tells each micro-batch it finished.

Run as a script it streams until it is killed; imported, it lets the test go on with its checkpoint.
"""

import json
import os
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import windrow as wr
from windrow import agg, window
from windrow.algebra.aggregate import Aggregate
from windrow.windows import Window

Asked = tuple[Window, dict[str, Aggregate[Any]]]

SMALL: Asked = (
    window.trailing("30 s"),
    {"n": agg.count(), "sum": agg.sum("v"), "order": agg.collect("v")},
)
# Large enough to lie in pages.
LARGE: Asked = (window.trailing(rows=6_000), {"n": agg.count(), "sum": agg.sum("v")})


def started(spark: SparkSession, folder: Path, asked: Asked) -> Any:
    """The stream from `folder`/rows into one file for each micro-batch in `folder`/results."""
    over, aggregates = asked
    rows = (
        spark.readStream.schema("k string, t timestamp, v bigint")
        .option("maxFilesPerTrigger", 1)
        .json(str(folder / "rows"))
    )
    results = wr.over(rows, time="t", by="k", lateness="5 s").window(over).aggregate(**aggregates)

    def write(frame: DataFrame, batch: int) -> None:
        lines = [json.dumps(line, default=datetime.isoformat) for line in _plain(frame)]
        hidden = folder / "results" / f".{batch}"
        hidden.write_text("\n".join(lines))
        os.replace(hidden, folder / "results" / f"{batch:04}.json")
        print(batch, flush=True)

    return (
        results.writeStream.foreachBatch(write)
        .option("checkpointLocation", str(folder / "checkpoint"))
        .start()
    )


def written(folder: Path) -> list[dict[str, Any]]:
    """All results, the times as times."""
    lines = [
        json.loads(line)
        for file in sorted((folder / "results").glob("*.json"))
        for line in file.read_text().splitlines()
    ]
    return [line | {"t": datetime.fromisoformat(line["t"])} for line in lines]


def _plain(frame: DataFrame) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = frame.toArrow().to_pylist()
    return rows


if __name__ == "__main__":
    from tests.spark.conftest import SETTINGS

    builder = SparkSession.builder.master("local[2]")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    asked = LARGE if sys.argv[2:] == ["large"] else SMALL
    started(builder.getOrCreate(), Path(sys.argv[1]), asked).awaitTermination()
