"""What Spark reports of a stream's micro-batches, held beside what was predicted of them."""

from collections.abc import Iterator
from datetime import datetime
from functools import cache
from typing import Any

from windrow.plan import Description
from windrow.plan.calibrated import constants
from windrow.plan.corrected import Seen, keep, kept, prediction
from windrow.plan.micro_batch import MicroBatch, Predicted

__all__ = ["Progress"]

_MICROSECOND = 1_000_000


class Progress:
    """The micro-batches of one query: those of its run, and of earlier runs."""

    def __init__(self, stream: str, description: Description) -> None:
        self._stream, self._description = stream, description
        self._running: Any = None

    def follow(self, running: Any) -> Any:
        """Keep what a streaming query reports once it has stopped; the query is returned."""
        self._running = running
        kind: Any = type(running)
        running.__class__ = _kind_of_query(kind)
        vars(running)["_windrow"] = self
        return running

    def seen(self) -> Seen:
        """The latest micro-batches; those of the run are kept for the next one."""
        earlier = kept(self._stream)
        if self._running is None:
            return earlier
        return keep(self._stream, earlier, dict(_timed(self._running.recentProgress)))

    def predicted(self) -> Predicted:
        """What the next micro-batch should take."""
        return prediction(self._description, self.seen(), constants())


class _Followed:
    """A streaming query that keeps the times of its micro-batches when it ends."""

    _windrow: Progress

    def stop(self) -> None:
        """As of any streaming query."""
        super().stop()  # type: ignore[misc]
        self._windrow.seen()

    def awaitTermination(self, timeout: int | None = None) -> bool | None:
        """As of any streaming query."""
        ended: bool | None = super().awaitTermination(timeout)  # type: ignore[misc]
        self._windrow.seen()
        return ended


@cache
def _kind_of_query(kind: Any) -> Any:
    """A subclass of Spark's own class (classic or Connect)."""
    return type("FollowedQuery", (_Followed, kind), {})


def _timed(reports: Any) -> Iterator[tuple[str, MicroBatch]]:
    """Micro-batches with rows, but for the first: it waits for workers and compiled code."""
    with_rows = (report for report in reports if report.numInputRows > 0)
    for report in list(with_rows)[1:]:
        seconds = report.durationMs.get("addBatch", 0) / 1000
        if seconds > 0:
            name = f"{report.runId} {report.batchId}"
            yield name, MicroBatch(report.numInputRows, seconds, _span_us(report.eventTime))


def _span_us(times: Any) -> int:
    """From the first time of a micro-batch to the last, if Spark has looked at them."""
    if "min" not in times or "max" not in times:
        return 0
    first, last = (datetime.fromisoformat(times[end]) for end in ("min", "max"))
    return max(round((last - first).total_seconds() * _MICROSECOND), 0)
