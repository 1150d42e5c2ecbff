"""The trailing mean as one writes it on transformWithState: a call for each key, row by row."""

from collections import deque
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

__all__ = ["trailing_mean"]

_STATE = "times array<long>, values array<double>"
_RESULT = "us long, sensor long, mean double"


class TrailingMean(StatefulProcessor):
    """The rows of one key that are still in the window, read and written once in a batch."""

    def __init__(self, width_us: int) -> None:
        self._width_us = width_us
        self._held: Any = None

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._held = handle.getValueState("held", _STATE)

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Row]:  # noqa: N802, N803
        held = self._held.get()
        pairs = zip(held[0], held[1], strict=True) if held is not None else ()
        window: deque[tuple[int, float]] = deque(pairs)
        total = sum(value for _, value in window)
        for row in sorted(rows, key=lambda row: row.us):
            window.append((row.us, row.value))
            total += row.value
            while window[0][0] <= row.us - self._width_us:
                total -= window.popleft()[1]
            yield Row(us=row.us, sensor=key[0], mean=total / len(window))
        self._held.update(([time for time, _ in window], [value for _, value in window]))

    def close(self) -> None:
        pass


def trailing_mean(df: DataFrame, width: timedelta) -> DataFrame:
    """A result for each row, at once: without a watermark, so late rows are not put in order."""
    processor = TrailingMean(width // timedelta(microseconds=1))
    rows = df.select(F.unix_micros("ts").alias("us"), "sensor", "value")
    means = rows.groupBy("sensor").transformWithState(processor, _RESULT, "append", "None")
    return means.select(F.timestamp_micros("us").alias("ts"), "sensor", "mean")
