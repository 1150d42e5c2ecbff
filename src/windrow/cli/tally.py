"""What the micro-batches of a stream add up to, from the progress that Spark reports."""

import json
from collections.abc import Iterable
from typing import Any

__all__ = ["ROWS_IN", "ROWS_OUT", "Tally"]

ROWS_IN, ROWS_OUT = "rows_in", "rows_out"  # names of the counts that the run observes
_OURS = "windrow"  # how the names of the query's own counts begin


class Tally:
    """Reads the progress of a query as often as one likes; a micro-batch counts once."""

    def __init__(self) -> None:
        self._by_batch: dict[int, dict[str, Any]] = {}

    def add(self, progress: Iterable[Any]) -> None:
        """Take note of what a query's `recentProgress` holds."""
        for batch in progress:
            report = json.loads(batch.json)
            # While nothing arrives, Spark reports the next batch's number with nothing in it.
            if "addBatch" in report.get("durationMs", {}):
                self._by_batch[report["batchId"]] = report

    @property
    def batches(self) -> int:
        """How many micro-batches have run."""
        return len(self._by_batch)

    @property
    def rows_in(self) -> int:
        """How many rows came in."""
        return sum(_observed(progress, ROWS_IN, "rows") for progress in self._all())

    @property
    def rows_out(self) -> int:
        """How many rows went out."""
        return sum(_observed(progress, ROWS_OUT, "rows") for progress in self._all())

    @property
    def late(self) -> int:
        """How many rows no window took: too late, or without a time."""
        return sum(_late(progress) for progress in self._all())

    @property
    def rate(self) -> float:
        """Rows per second of the last micro-batch."""
        return float(self._last().get("processedRowsPerSecond") or 0)

    @property
    def watermark(self) -> str | None:
        """The last watermark; None before there is one."""
        for progress in reversed(self._all()):
            if watermark := (progress.get("eventTime") or {}).get("watermark"):
                known = not watermark.startswith("1970-01-01T00:00:00")
                return str(watermark).replace("T", " ").removesuffix(".000Z") if known else None
        return None

    @property
    def state(self) -> dict[str, int]:
        """Rows and bytes of state after the last micro-batch."""
        operators = self._last().get("stateOperators") or []
        if not operators:
            return {}
        return {
            "rows": sum(operator["numRowsTotal"] for operator in operators),
            "bytes": sum(operator["memoryUsedBytes"] for operator in operators),
        }

    def _all(self) -> list[dict[str, Any]]:
        return [*self._by_batch.values()]  # micro-batches run one after the other

    def _last(self) -> dict[str, Any]:
        return next(reversed(self._by_batch.values()), {})


def _observed(progress: dict[str, Any], name: str, field: str) -> int:
    return int(((progress.get("observedMetrics") or {}).get(name) or {}).get(field) or 0)


def _late(progress: dict[str, Any]) -> int:
    """What the query counted, and what Spark's own operators dropped before it came so far.

    These put rows of a window together first where they can: their count may be lower.
    """
    ours = [name for name in progress.get("observedMetrics") or {} if name.startswith(_OURS)]
    operators = progress.get("stateOperators") or []
    counted = sum(_observed(progress, name, kind) for name in ours for kind in ("late", "untimed"))
    return counted + sum(operator.get("numRowsDroppedByWatermark") or 0 for operator in operators)
