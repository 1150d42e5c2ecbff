"""The source `windrow`: what a tree of nodes has sent, as its landing keeps it.

An offset is the number of a record in the landing's spool.  Frames come in the order of their
stretches of time, and each part of a micro-batch ends with a tick: so Spark's watermark is where
the tree has come.  Spark runs all of this in processes of its own; see `shape` for what rows are.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    InputPartition,
)
from pyspark.sql.types import StructType

from windrow.arguments import shown
from windrow.errors import InputError
from windrow.spark.sources.spool import Spool
from windrow.wire.consumed import note_consumed
from windrow.wire.messages import Frame, Late

limits: Any
try:
    limits = import_module("pyspark.sql.streaming.datasource")
except ImportError:  # Spark 4.1 reads all there is in each micro-batch
    limits = None
_NOW: Any = object if limits is None else limits.SupportsTriggerAvailableNow

if TYPE_CHECKING:
    from windrow.spark.sources.shape import Shape

__all__ = ["FORMAT", "TreeSource", "register", "shape_for"]

FORMAT = "windrow"

_FRAMES, _BYTES = "maxFramesPerTrigger", "maxBytesPerTrigger"
_OPTIONS = ("path", "query", "late", "consumer", _FRAMES, _BYTES)
# What becomes one table: enough that Python is called for many rows at a time.
_TABLE_BYTES = 4 << 20


def register(spark: SparkSession) -> None:
    """Let a session read the format `windrow`."""
    try:
        spark.dataSource.register(TreeSource)
    except AnalysisException as error:
        if (
            error.getCondition() != "DATA_SOURCE_ALREADY_EXISTS"
        ):  # as Spark 4.1 says the second time
            raise


def shape_for(text: str) -> "Shape":
    """The shape of the query of a job's text: only who reads a tree has to read jobs."""
    try:
        from windrow.spark.sources.shape import shape_of
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"the format 'windrow' needs the package {str(error.name).partition('.')[0]!r} on the "
            "driver and on executors; pip install 'windrow[cli]'",
            name=error.name,
        ) from error
    return shape_of(text)


class TreeSource(DataSource):
    """A landing's spool, of which one query is read."""

    @classmethod
    def name(cls) -> str:
        """What the format is called."""
        return FORMAT

    def schema(self) -> StructType:
        """The columns of the query's frames, or of its late rows."""
        asked = self._asked()
        return shape_for(asked.text).spark_schema(self.options["path"], late=asked.late)

    def reader(self, schema: StructType) -> DataSourceReader:
        """For a batch of all frames."""
        return _Reader(self._asked())

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        """For a stream of frames as they come."""
        return _StreamReader(self._asked(), self._number(_FRAMES), self._number(_BYTES))

    def _asked(self) -> "_Asked":
        options = self.options
        known = {name.casefold() for name in _OPTIONS}
        for name in options:
            if name.casefold() not in known:
                raise InputError(
                    f"format {FORMAT!r} has no option {name!r}; it has {', '.join(_OPTIONS)}"
                )
        if "path" not in options:
            raise InputError("path is missing; load the folder of a spool, as in .load('spool')")
        spool = Spool.at(options["path"])
        query, text = spool.text_of(options.get("query"))
        consumer = options.get("consumer", query)
        if not consumer.replace("-", "").replace("_", "").isalnum():
            raise InputError(
                f"consumer={consumer!r} cannot name a file; use letters, digits, - and _"
            )
        return _Asked(spool, query, text, self._flag("late"), consumer)

    def _flag(self, name: str) -> bool:
        given = str(self.options.get(name, "false")).lower()
        if given not in {"true", "false"}:
            raise InputError(f"{name}={shown(given)} is not true or false; give one of them")
        return given == "true"

    def _number(self, name: str) -> int | None:
        given = self.options.get(name)
        if given is not None and (not given.isdecimal() or int(given) < 1):
            raise InputError(f"{name}={shown(given)} is no number above 0; give one, or none")
        return None if given is None else int(given)


@dataclass(frozen=True)
class _Asked:
    """What is read, as it is sent to Spark's processes."""

    spool: Spool
    query: str
    text: str
    late: bool
    consumer: str

    def parts(self, since: int, until: int) -> list[InputPartition]:
        """What tasks read: a file of the spool each."""
        return [InputPartition(part) for part in self.spool.cut(since, until)]

    def read(self, partition: InputPartition, *, ticking: bool) -> Iterator[pa.RecordBatch]:
        """The rows of a part of the spool, and how far the tree had come at its end."""
        shape = shape_for(self.text)
        if self.late:
            yield from _late_rows(self._messages(partition), shape)
            return
        reached = None
        for frames in _gathered(self._messages(partition)):
            yield from _batches(shape.of_frames(frames))
            reached = frames[-1].to
        if ticking and reached is not None and not shape.answered:
            yield from _batches(shape.tick(reached))

    def is_own(self, message: Any) -> bool:
        """Whether a message is read."""
        return isinstance(message, Late if self.late else Frame) and message.query == self.query

    def _messages(self, partition: InputPartition) -> Iterator[Any]:
        found = self.spool.messages(*partition.value)
        return (message for _, _, message in found if self.is_own(message))


def _gathered(frames: Iterator[Frame]) -> Iterator[list[Frame]]:
    """Frames until they are worth a table."""
    waiting: list[Frame] = []
    size = 0
    for frame in frames:
        waiting.append(frame)
        size += len(frame.body)
        if size >= _TABLE_BYTES:
            yield waiting
            waiting, size = [], 0
    if waiting:
        yield waiting


def _late_rows(found: Iterator[Late], shape: "Shape") -> Iterator[pa.RecordBatch]:
    for late in found:
        yield from _batches(shape.of_late([late]))


def _batches(table: pa.Table) -> Iterator[pa.RecordBatch]:
    yield from table.combine_chunks().to_batches()


class _Reader(DataSourceReader):
    """A batch: all that is in the spool."""

    def __init__(self, asked: _Asked) -> None:
        self._asked = asked

    def partitions(self) -> list[InputPartition]:
        """What tasks read."""
        spool = self._asked.spool
        return self._asked.parts(spool.first, spool.end())

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a part."""
        return self._asked.read(partition, ticking=False)


class _StreamReader(DataSourceStreamReader, _NOW):  # type: ignore[misc]
    """A stream: what is in the spool, and what comes."""

    def __init__(self, asked: _Asked, frames: int | None, size: int | None) -> None:
        self._asked, self._frames, self._size = asked, frames, size
        self._last: int | None = None  # where a query ends that takes only what is there already

    def initialOffset(self) -> dict[str, int]:
        """Where a new query begins."""
        return {"record": self._asked.spool.first}

    def latestOffset(self, start: Any = None, limit: Any = None) -> dict[str, int]:
        """How far the next micro-batch may go; Spark before 4.2 does not say from where."""
        spool = self._asked.spool
        if start is None:
            return {"record": spool.end()}
        since = int(start["record"])
        spool.require(since)
        end = spool.end() if self._last is None else max(since, self._last)
        frames, size = getattr(limit, "max_files", None), getattr(limit, "max_bytes", None)
        if frames is None and size is None:
            return {"record": end}
        return {"record": self._within(since, end, frames, size)}

    def getDefaultReadLimit(self) -> Any:
        """How much a micro-batch takes, if an option says so."""
        if self._frames is not None:
            return limits.ReadMaxFiles(self._frames)  # a frame is what a file is to others
        return limits.ReadAllAvailable() if self._size is None else limits.ReadMaxBytes(self._size)

    def prepareForTriggerAvailableNow(self) -> None:
        """Take what is there, and no more."""
        self._last = self._asked.spool.end()

    def reportLatestOffset(self) -> dict[str, int]:
        """How far the spool goes, for those who watch the query."""
        return {"record": self._asked.spool.end()}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> list[InputPartition]:
        """What tasks read of a micro-batch."""
        since, until = int(start["record"]), int(end["record"])
        self._asked.spool.require(since)
        self._asked.spool.require(until)
        return self._asked.parts(since, until)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a part, and a tick."""
        return self._asked.read(partition, ticking=True)

    def commit(self, end: dict[str, int]) -> None:
        """Note beside the spool what this query will not ask for again."""
        if not self._asked.late:
            note_consumed(self._asked.spool.folder, self._asked.consumer, int(end["record"]))

    def _within(self, since: int, end: int, frames: int | None, size: int | None) -> int:
        """The end of as many frames, or bytes, as one micro-batch takes; one frame at least."""
        taken = weight = 0
        for number, length, message in self._asked.spool.messages(since, end):
            if not self._asked.is_own(message):
                continue
            taken, weight = taken + 1, weight + length
            if taken > 1 and ((frames and taken > frames) or (size and weight > size)):
                return number
        return end
