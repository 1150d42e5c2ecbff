"""The same query twice in a new process: prints the nanoseconds of both."""

import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

import windrow as wr
from benchmarks.spark.contenders import write
from benchmarks.spark.data import readings
from benchmarks.spark.session import session
from windrow import agg, window

__all__ = ["main"]

_TRAILING = window.trailing("10 minutes")
_PARAMETERS = {"quantile": (0.9,)}


def main() -> None:
    """Where, how many rows, and which aggregates are the arguments."""
    way, rows, names = sys.argv[1], int(sys.argv[2]), sys.argv[3].split(",")
    with ExitStack() as stack:
        run = (_rolled if way == "roll" else _on_spark)(way, rows, stack)
        run(["count"])
        for _ in range(2):
            start = time.perf_counter_ns()
            run(names)
            print(time.perf_counter_ns() - start, flush=True)


def _rolled(way: str, rows: int, stack: ExitStack) -> Callable[[list[str]], Any]:
    values, keys = np.random.default_rng(0).random(rows), np.arange(rows) % 10
    times = np.arange(rows) * 1_000_000

    def run(names: list[str]) -> None:
        aggregates = {name: getattr(agg, name)(*_PARAMETERS.get(name, ())) for name in names}
        wr.roll(values, aggregates, _TRAILING, times=times, by=keys)

    return run


def _on_spark(way: str, rows: int, stack: ExitStack) -> Callable[[list[str]], Any]:
    spark = stack.enter_context(session())
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    given = readings(rows, keys=10)
    given.write.parquet(str(folder / "rows"))
    batch = spark.read.parquet(str(folder / "rows"))
    stream = spark.readStream.schema(batch.schema).parquet(str(folder / "rows"))
    turns = iter(range(1_000))

    def run(names: list[str]) -> None:
        aggregates = {
            name: getattr(agg, name)("value", *_PARAMETERS.get(name, ())) for name in names
        }
        if way == "batch":
            write(_query(batch, aggregates))
            return
        writer = _query(stream, aggregates, lateness="1 minute").writeStream.format("noop")
        checkpoint = str(folder / f"checkpoint{next(turns)}")
        query = writer.option("checkpointLocation", checkpoint).trigger(availableNow=True).start()
        query.awaitTermination()

    return run


def _query(df: Any, aggregates: Any, **settings: Any) -> Any:
    over = wr.over(df, time="ts", by="sensor", **settings)
    return over.window(_TRAILING).aggregate(**aggregates)


if __name__ == "__main__":
    main()
