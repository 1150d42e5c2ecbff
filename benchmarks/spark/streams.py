"""Streams over files: the same batches for every contender, and the rate of the steady ones."""

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession

from benchmarks.measure import Bench, Case, Measured, summary
from benchmarks.numbers import case_text, plain
from benchmarks.spark.data import readings

__all__ = ["Batches", "Start", "batches", "finished", "rates", "write_batches"]

Start = Callable[[DataFrame], DataFrame]  # the query over a stream of readings

_FILES = 2  # in each batch: one for each core
# The first batch starts workers and state, the second is the first that has results to give.
_UNSTEADY = 2


@dataclass(frozen=True)
class Batches:
    """Files of readings: so many rows in each batch of a stream."""

    folder: Path
    rows: int

    def stream(self) -> DataFrame:
        """A new stream over all batches."""
        spark = SparkSession.active()
        source = spark.read.parquet(str(self.folder))
        reader = spark.readStream.schema(source.schema).option("maxFilesPerTrigger", _FILES)
        return reader.parquet(str(self.folder))


class _Progress(NamedTuple):
    """What a micro-batch read, and how long it took."""

    rows: int
    milliseconds: int


@contextmanager
def batches(count: int, rows: int, keys: int, span_us: int) -> Iterator[Batches]:
    """Write so many batches, each over a span of time of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "batches"
        starts = range(0, count * rows, rows)
        write_batches(folder, (readings(rows, keys, span_us, before=start) for start in starts))
        yield Batches(folder, rows)


def write_batches(folder: Path, parts: Iterable[DataFrame]) -> None:
    """Write readings as the batches of a stream, one after another."""
    for batch, df in enumerate(parts):
        df.write.mode("append").parquet(str(folder))
        _stamp(folder, batch)


def _stamp(folder: Path, batch: int) -> None:
    """Spark reads files in the order of their times: a second for each batch."""
    for path in folder.glob("*.parquet"):
        if path.stat().st_mtime >= 1e9:  # written just now
            os.utime(path, (batch + 1, batch + 1))


def rates(
    bench: Bench, case: Case, contenders: Mapping[str, tuple[Start, Batches]]
) -> list[Measured]:
    """Nanoseconds per row of the steady batches; contenders take turns, one run to warm up."""
    bench.progress.begin(case_text(case))
    spent: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(bench.repetitions + 1):
        for name, (start, source) in contenders.items():
            nanoseconds = _steady(_run(start(source.stream())), source.rows)
            if turn:
                spent[name].append(nanoseconds)
    measured = [
        summary(name, case, times, contenders[name][1].rows) for name, times in spent.items()
    ]
    told = (f"{m.contender} {plain(1e9 / m.median)} rows/s" for m in measured)
    bench.progress.end(", ".join(told))
    return measured


def finished(df: DataFrame, folder: Path) -> DataFrame:
    """All results of a stream, written to a folder and read again."""
    _run(df, "parquet", path=str(folder))
    return SparkSession.active().read.parquet(str(folder))


def _run(df: DataFrame, sink: str = "noop", **options: str) -> list[_Progress]:
    """Run a stream until all files are read."""
    with tempfile.TemporaryDirectory() as checkpoint:
        writer = df.writeStream.format(sink).outputMode("append").options(**options)
        started = writer.option("checkpointLocation", checkpoint).trigger(availableNow=True)
        query = started.start()
        query.awaitTermination()
        return [
            _Progress(p.numInputRows, p.durationMs["triggerExecution"])
            for p in query.recentProgress
        ]


def _steady(progress: Sequence[_Progress], rows: int) -> float:
    """Nanoseconds per row, over all batches after those that start things."""
    full = [batch for batch in progress if batch.rows == rows]
    steady = full[_UNSTEADY:]
    if not steady:
        raise RuntimeError(
            f"{len(full)} batches of {rows:,} rows came, of which {_UNSTEADY} start things: "
            f"nothing is left to measure in {progress}"
        )
    return sum(batch.milliseconds for batch in steady) * 1e6 / (rows * len(steady))
