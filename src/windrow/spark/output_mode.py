"""Makes sure that a stream is written in the output mode that matches when results are emitted.

Spark does not ask a stateful operator for its output mode.  Written in append mode, `on_change`
would write every version of a result; in update mode, Spark's own aggregation would emit `on_close`
results early.  So the writer of a result checks the mode, and so do the writers of DataFrames
derived from it.
"""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame

from windrow.arguments import shown
from windrow.errors import InputError
from windrow.spark.analysis.operators import operators_of
from windrow.windows import Emit

if TYPE_CHECKING:
    from windrow.spark.progress import Progress

__all__ = ["Streamed"]

# Which of Spark's classes a frame has (classic, Connect) is known only when there is one.
if TYPE_CHECKING:
    _Frame = DataFrame
else:
    _Frame = object

_MODES = {Emit.ON_CLOSE: "append", Emit.ON_CHANGE: "update"}
_WAYS_OUT = {
    Emit.ON_CLOSE: (
        "each result once, when its window is over; write it with outputMode('append'), or use "
        "emit='on_change'"
    ),
    Emit.ON_CHANGE: (
        "a result again whenever it changes; write it with outputMode('update'), for example with "
        "an upsert in foreachBatch, or use emit='on_close'"
    ),
}

# The methods of a frame that derive another one row by row.  All others join, aggregate, or are
# only for batches; `transform` returns whatever its function makes.
_PASSING = (
    "alias",
    "coalesce",
    "distinct",
    "drop",
    "dropDuplicates",
    "dropDuplicatesWithinWatermark",
    "drop_duplicates",
    "dropna",
    "exceptAll",
    "fillna",
    "filter",
    "hint",
    "intersect",
    "intersectAll",
    "limit",
    "mapInArrow",
    "mapInPandas",
    "melt",
    "observe",
    "offset",
    "orderBy",
    "repartition",
    "repartitionById",
    "repartitionByRange",
    "replace",
    "sample",
    "sampleBy",
    "select",
    "selectExpr",
    "sort",
    "sortWithinPartitions",
    "subtract",
    "to",
    "toDF",
    "union",
    "unionAll",
    "unionByName",
    "unpivot",
    "where",
    "withColumn",
    "withColumnRenamed",
    "withColumns",
    "withColumnsRenamed",
    "withMetadata",
    "withWatermark",
)


class Streamed(_Frame):
    """A result, or a frame derived from it; knows when its results are emitted."""

    _emits: frozenset[Emit] = frozenset()  # several in a union; none of a batch
    _progress: frozenset["Progress"] = frozenset()  # of the queries on streams in it

    @property
    def writeStream(self) -> Any:
        """Spark's own writer, which refuses an output mode that does not match."""
        writer: Any = super().writeStream
        if self._emits:
            kind: Any = type(writer)
            writer.__class__ = _kind_of_writer(kind)
            vars(writer)["_windrow_emits"] = self._emits
            vars(writer)["_windrow_progress"] = self._progress
        return writer


def _passing(name: str) -> Callable[..., Any]:
    def passed(self: Any, *arguments: Any, **options: Any) -> Any:
        if name == "withWatermark":
            _require_no_watermark(self, *arguments, **options)
        made: Any = getattr(super(Streamed, self), name)(*arguments, **options)
        frames = [self, *arguments, *options.values()]
        streamed = [frame for frame in frames if isinstance(frame, Streamed)]
        emits = frozenset[Emit]().union(*(frame._emits for frame in streamed))
        progress = frozenset["Progress"]().union(*(frame._progress for frame in streamed))
        return _streamed(made, emits, progress)

    passed.__name__ = name
    passed.__doc__ = "As of any DataFrame."
    return passed


for _name in _PASSING:
    setattr(Streamed, _name, _passing(_name))


def _streamed(made: Any, emits: frozenset[Emit], progress: frozenset["Progress"]) -> Any:
    """A frame that knows when its results are emitted, and by which queries."""
    if emits:
        kind: Any = type(made)
        made.__class__ = _kind_of_frame(kind)
        vars(made)["_emits"] = emits
        vars(made)["_progress"] = progress
    return made


def _require_no_watermark(frame: Any, *arguments: Any, **options: Any) -> None:
    """Refuse a second watermark on results of a stream: it would wait for the first forever."""
    if frame._emits and operators_of(frame).have_watermark:
        column = options.get("eventTime", *arguments[:1])
        raise InputError(
            f"withWatermark({shown(column)}): the results come from a stream that already has a "
            "watermark, and a second one would never move; leave it out, as results carry the "
            "first, or give the lateness you want where the stream begins"
        )


class _Writer:
    """Remembers the output mode, and checks it before a stream starts."""

    _windrow_emits: frozenset[Emit]
    _windrow_progress: frozenset["Progress"]
    _windrow_mode = "append"  # Spark's own default

    def outputMode(self, outputMode: str) -> Any:
        """As of any writer."""
        self._windrow_mode = outputMode
        return super().outputMode(outputMode)  # type: ignore[misc]

    def start(self, *arguments: Any, **options: Any) -> Any:
        """As of any writer, if the output mode suits."""
        self._require_mode(arguments[2] if len(arguments) > 2 else options.get("outputMode"))
        return self._followed(super().start(*arguments, **options))  # type: ignore[misc]

    def toTable(self, *arguments: Any, **options: Any) -> Any:
        """As of any writer, if the output mode suits."""
        self._require_mode(arguments[2] if len(arguments) > 2 else options.get("outputMode"))
        return self._followed(super().toTable(*arguments, **options))  # type: ignore[misc]

    def _followed(self, running: Any) -> Any:
        """Its micro-batches tell what one query takes, unless they are of several."""
        if len(self._windrow_progress) != 1:
            return running
        [progress] = self._windrow_progress
        return progress.follow(running)

    def _require_mode(self, given: str | None) -> None:
        mode = given or self._windrow_mode
        for emit, suitable in _MODES.items():
            if emit in self._windrow_emits and mode.lower() != suitable:
                raise InputError(
                    f"outputMode={mode!r} does not match emit={emit.value!r}, which gives "
                    f"{_WAYS_OUT[emit]}"
                )


@cache
def _kind_of_frame(kind: Any) -> Any:
    return kind if issubclass(kind, Streamed) else type("StreamedDataFrame", (Streamed, kind), {})


@cache
def _kind_of_writer(kind: Any) -> Any:
    return type("StreamedWriter", (_Writer, kind), {})
