"""One run of a streaming query over a feed, micro-batch by micro-batch."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from windrow.testing.instants import Moment

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["Run", "Source"]


class Source(Protocol):
    """Where the rows of a run come from."""

    def put(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Add the rows of one micro-batch."""

    def tick(self, to: Moment | str) -> None:
        """Move the watermark."""


class Run:
    """A started query; each step runs until the query has nothing left to do.

    ```python
    with Feed(spark, "ts timestamp, temp double", time="ts") as feed:
        query = wr.over(feed.frame, time="ts").window(window.tumbling("1 minute"))
        run = feed.start(query.aggregate(peak=agg.max("temp")))
        assert run.add([{"ts": datetime(2024, 7, 1, 12), "temp": 20.5}]) == []
        [closed] = run.watermark(datetime(2024, 7, 1, 12, 1))
        assert closed["peak"] == 20.5
    ```
    """

    def __init__(self, source: Source, query: "DataFrame", mode: str, folder: Path) -> None:
        self._source, self._frame, self._mode, self._folder = source, query, mode, folder
        self._results = folder / "results"
        self._results.mkdir(parents=True)
        self._read = 0  # micro-batches whose results were handed out
        self._progress: list[Any] = []
        self._query = self._start()

    def add(self, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Add rows as one micro-batch; returns what was emitted, also by the new watermark."""
        self._source.put(rows)
        return self.finish()

    def watermark(self, to: Moment | str) -> list[dict[str, Any]]:
        """Move the watermark to a time without adding a row; returns what that emitted.

        A watermark never moves back.  Spark keeps it in whole milliseconds.
        """
        self._source.tick(to)
        return self.finish()

    def finish(self) -> list[dict[str, Any]]:
        """Wait until all rows have been processed; returns what was emitted since."""
        self._query.processAllAvailable()
        written = self._written()
        new = [row for batch in written[self._read :] for row in _rows(batch)]
        self._read = len(written)
        return new

    @property
    def rows(self) -> list[dict[str, Any]]:
        """All rows emitted so far."""
        return [row for batch in self._written() for row in _rows(batch)]

    @property
    def progress(self) -> list[Any]:
        """Spark's progress reports of all micro-batches so far, also before a restart."""
        return [*self._progress, *self._query.recentProgress]

    def stop(self) -> None:
        """Stop the query; what it has done stays in its checkpoint."""
        if self._query.isActive:
            self._query.stop()

    def restart(self, query: "DataFrame | None" = None) -> None:
        """Stop and start again from the checkpoint: the same query, or a changed one."""
        self.stop()
        self._progress = self.progress
        self._frame = self._frame if query is None else query
        self._query = self._start()

    def _start(self) -> "StreamingQuery":
        return (
            self._frame.writeStream.outputMode(self._mode)
            .option("checkpointLocation", str(self._folder / "checkpoint"))
            .foreachBatch(_Sink(str(self._results)))
            .start()
        )

    def _written(self) -> list[Path]:
        return sorted(self._results.glob("*.arrow"))


class _Sink:
    """Writes each micro-batch to a file of its own: one that is run again changes nothing."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def __call__(self, frame: "DataFrame", batch: int) -> None:
        import pyarrow as pa

        results = frame.toArrow()
        hidden = Path(self._folder) / f".{batch}"
        with pa.OSFile(str(hidden), "wb") as file, pa.ipc.new_file(file, results.schema) as writer:
            writer.write_table(results)
        hidden.rename(Path(self._folder) / f"{batch:06}.arrow")


def _rows(batch: Path) -> list[dict[str, Any]]:
    import pyarrow as pa

    with pa.OSFile(str(batch), "rb") as file, pa.ipc.open_file(file) as reader:
        rows: list[dict[str, Any]] = reader.read_all().to_pylist()
    return rows
