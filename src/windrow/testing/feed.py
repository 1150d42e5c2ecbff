"""A stream fed by hand, rows and watermarks step by step, and the runs of queries over it.

Rows travel as JSON files, one for each micro-batch, and results come back as Arrow files, one for
each micro-batch too: both are ordinary directories, so the same test runs on Spark and on Spark
Connect, and a query can be stopped and started again from its checkpoint.
"""

import json
import shutil
import tempfile
import weakref
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from windrow.arguments import shown
from windrow.errors import InputError
from windrow.testing import given
from windrow.testing.instants import Moment, as_moment
from windrow.windows.durations import Duration, microseconds

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.types import StructType

__all__ = ["Feed", "Run"]

_TICK = "windrow_tick"


class Feed:
    """A streaming DataFrame, `frame`, to which rows are added by hand.

    ```python
    with Feed(spark, "sensor string, ts timestamp, temp double", time="ts") as feed:
        query = wr.over(feed.frame, time="ts", by="sensor").window(window.tumbling("1 hour"))
        run = feed.start(query.aggregate(peak=agg.max("temp")))
        assert run.add([{"sensor": "a", "ts": datetime(2024, 7, 1, 12), "temp": 20.5}]) == []
        assert [row["peak"] for row in run.watermark(datetime(2024, 7, 1, 13))] == [20.5]
    ```

    `schema` is Spark's, as text or as a `StructType`; `lateness` is how far the watermark stays
    behind the latest time.  Rows are dicts.  A column that is left out is null, and a time without
    a zone is in the session's.  All files are in `folder`, until the feed is closed.
    """

    def __init__(
        self,
        spark: "SparkSession",
        schema: "str | StructType",
        *,
        time: str,
        lateness: Duration = "0 seconds",
    ) -> None:
        if not hasattr(spark, "readStream"):  # as sessions of Spark and of Spark Connect have
            raise InputError(
                f"spark={shown(spark)} is a {type(spark).__name__}; give a SparkSession"
            )
        self._spark, self._time = spark, time
        self._lateness_us = microseconds(lateness, "lateness")
        self._schema = spark.createDataFrame([], schema).schema
        if time not in self._schema.names:
            raise InputError(
                f"time={shown(time)} is no column of the schema; name one of {self._schema.names}"
            )
        self.folder = Path(tempfile.mkdtemp(prefix="windrow-feed-"))
        self._clear = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        self._rows = self.folder / "rows"
        self._rows.mkdir()
        self._batches = 0
        self._runs: list[Run] = []
        self.frame: DataFrame = self._stream()

    def start(self, query: "DataFrame", *, mode: str = "append") -> "Run":
        """Run a streaming DataFrame made from `frame`: mode "update" for `Emit.ON_CHANGE`."""
        folder = self.folder / f"run-{len(self._runs)}"
        self._runs.append(Run(self, query, mode, folder))
        return self._runs[-1]

    def put(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Add the rows of one micro-batch, without waiting for anyone to read them."""
        plain = given.rows(rows, "rows")
        for row in plain:
            if unknown := sorted(row.keys() - set(self._schema.names)):
                raise InputError(
                    f"{shown(row)} has {unknown}, which the schema has not; leave it out"
                )
        self._write(plain)

    def tick(self, to: Moment | str) -> None:
        """Move the watermark to a time, by a row that is kept from all queries."""
        self._write([{self._time: self._later(as_moment(to, "to")), _TICK: True}])

    def close(self) -> None:
        """Stop all runs and remove all files."""
        for run in self._runs:
            run.stop()
        self._clear()

    def __enter__(self) -> "Feed":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _stream(self) -> "DataFrame":
        known = self._spark.createDataFrame([], self._schema).schema.add(_TICK, "boolean")
        rows = (
            self._spark.readStream.schema(known)
            .option("maxFilesPerTrigger", 1)
            .option("mode", "FAILFAST")
            .json(str(self._rows))
        )
        late = f"{self._lateness_us // 1000} milliseconds"
        # Spark moves a filter below the watermark, where ticks would count for nothing, unless it
        # reads the time.
        time = f"`{self._time.replace('`', '``')}`"
        seen = f"if({time} is null, null, {_TICK}) is null"
        return rows.withWatermark(time, late).where(seen).drop(_TICK)

    def _write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        lines = [json.dumps(_as_json(row), ensure_ascii=False) + "\n" for row in rows]
        hidden = self._rows / f".{self._batches}"
        hidden.write_text("".join(lines), encoding="utf-8")
        hidden.rename(self._rows / f"{self._batches:06}.json")  # complete when it can be seen
        self._batches += 1

    def _later(self, moment: Moment) -> datetime:
        """The event time that moves the watermark to a moment."""
        if not isinstance(moment, datetime):
            moment = datetime(moment.year, moment.month, moment.day)
        zoned = self._schema[self._time].dataType.typeName() == "timestamp"
        if zoned and moment.tzinfo is None:
            zone = self._spark.conf.get("spark.sql.session.timeZone")
            moment = moment.replace(tzinfo=ZoneInfo(str(zone)))
        if moment.tzinfo is not None:
            moment = moment.astimezone(ZoneInfo("UTC"))  # where a duration is as long as it says
        return moment + timedelta(microseconds=self._lateness_us)


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

    def __init__(self, feed: Feed, query: "DataFrame", mode: str, folder: Path) -> None:
        self._feed, self._frame, self._mode, self._folder = feed, query, mode, folder
        self._results = folder / "results"
        self._results.mkdir(parents=True)
        self._read = 0  # micro-batches whose results were handed out
        self._progress: list[Any] = []
        self._query = self._start()

    def add(self, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Add rows as one micro-batch; returns what was emitted, also by the new watermark."""
        self._feed.put(rows)
        return self.finish()

    def watermark(self, to: Moment | str) -> list[dict[str, Any]]:
        """Move the watermark to a time without adding a row; returns what that emitted.

        A watermark never moves back.  Spark keeps it in whole milliseconds.
        """
        self._feed.tick(to)
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
        with pa.ipc.new_file(str(hidden), results.schema) as writer:
            writer.write_table(results)
        hidden.rename(Path(self._folder) / f"{batch:06}.arrow")


def _rows(batch: Path) -> list[dict[str, Any]]:
    import pyarrow as pa

    rows: list[dict[str, Any]] = pa.ipc.open_file(batch.read_bytes()).read_all().to_pylist()
    return rows


def _as_json(value: Any) -> Any:
    """A value in the form in which Spark's JSON reader expects it; NaN and infinities stay.

    >>> _as_json({"at": datetime(2024, 7, 1, 12, tzinfo=UTC), "price": Decimal("1.10")})
    {'at': '2024-07-01T12:00:00Z', 'price': '1.10'}
    """
    if isinstance(value, Mapping):
        return {name: _as_json(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(part) for part in value]
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return b64encode(value).decode()
    return str(value) if isinstance(value, Decimal) else value
