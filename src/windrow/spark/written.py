"""Streams that may be written in one output mode only: the one that suits when results are told.

Spark asks no stateful operator for its output mode.  Written in append mode, results on change
would come in every version they ever had; in update mode, Spark's own aggregation would give those
on close early.  So the writer of a result asks, and that of whatever is made of it row by row.
"""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame

from windrow.errors import InputError
from windrow.windows import Emit

__all__ = ["Streamed"]

# Which class of Spark's a frame is of (classic, Connect) is known when there is one.
if TYPE_CHECKING:
    _Frame = DataFrame
else:
    _Frame = object

_MODES = {Emit.ON_CLOSE: "append", Emit.ON_CHANGE: "update"}
_WAYS_OUT = {
    Emit.ON_CLOSE: (
        "each result once, when its window is over; write it with outputMode('append'), or say "
        "emit='on_change'"
    ),
    Emit.ON_CHANGE: (
        "a result again whenever it changes; write it with outputMode('update'), by foreachBatch "
        "with an upsert for example, or say emit='on_close'"
    ),
}

# What makes a frame of another row by row: its results are told when they were before.
_ROW_BY_ROW = (
    "alias",
    "coalesce",
    "drop",
    "dropna",
    "fillna",
    "filter",
    "hint",
    "observe",
    "repartition",
    "select",
    "selectExpr",
    "toDF",
    "where",
    "withColumn",
    "withColumnRenamed",
    "withColumns",
    "withColumnsRenamed",
    "withMetadata",
    "withWatermark",
)


class Streamed(_Frame):
    """A result, or what was made of it row by row; knows when its results are told."""

    _emit: Emit | None = None  # of a batch, which no stream writes

    @property
    def writeStream(self) -> Any:
        """Spark's own writer, which refuses another output mode than suits."""
        writer: Any = super().writeStream
        if self._emit is not None:
            kind: Any = type(writer)
            writer.__class__ = _kind_of_writer(kind)
            vars(writer)["_windrow_emit"] = self._emit
        return writer


def _passing(name: str) -> Callable[..., Any]:
    def passed(self: Any, *arguments: Any, **options: Any) -> Any:
        made: Any = getattr(super(Streamed, self), name)(*arguments, **options)
        if self._emit is not None:
            kind: Any = type(made)
            made.__class__ = _kind_of_frame(kind)
            vars(made)["_emit"] = self._emit
        return made

    passed.__name__ = name
    passed.__doc__ = "As of any DataFrame."
    return passed


for _name in _ROW_BY_ROW:
    setattr(Streamed, _name, _passing(_name))


class _Writer:
    """Remembers the output mode, and looks at it before a stream starts."""

    _windrow_emit: Emit
    _windrow_mode = "append"  # Spark's own default

    def outputMode(self, outputMode: str) -> Any:
        """As of any writer."""
        self._windrow_mode = outputMode
        return super().outputMode(outputMode)  # type: ignore[misc]

    def start(self, *arguments: Any, **options: Any) -> Any:
        """As of any writer, if the output mode suits."""
        self._require_mode(arguments[2] if len(arguments) > 2 else options.get("outputMode"))
        return super().start(*arguments, **options)  # type: ignore[misc]

    def toTable(self, *arguments: Any, **options: Any) -> Any:
        """As of any writer, if the output mode suits."""
        self._require_mode(arguments[2] if len(arguments) > 2 else options.get("outputMode"))
        return super().toTable(*arguments, **options)  # type: ignore[misc]

    def _require_mode(self, given: str | None) -> None:
        emit, mode = self._windrow_emit, given or self._windrow_mode
        if mode.lower() != _MODES[emit]:
            raise InputError(
                f"outputMode={mode!r} does not suit emit={emit.value!r}, which gives "
                f"{_WAYS_OUT[emit]}"
            )


@cache
def _kind_of_frame(kind: Any) -> Any:
    return kind if issubclass(kind, Streamed) else type("StreamedDataFrame", (Streamed, kind), {})


@cache
def _kind_of_writer(kind: Any) -> Any:
    return type("StreamedWriter", (_Writer, kind), {})
