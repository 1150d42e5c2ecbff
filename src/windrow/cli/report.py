"""The report at the end of a run: one line for people, or JSON for programs."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["Report"]


@dataclass
class Report:
    """Rows in and out, how long it took, what came late, and where the result is."""

    job: str
    sink: str
    seconds: float = 0.0
    rows_in: int | None = None
    rows_out: int | None = None
    late: int | None = None
    batches: int | None = None
    watermark: str | None = None
    state: dict[str, int] = field(default_factory=dict)

    def summary(self) -> str:
        """The one line."""
        parts = [_rows(self.rows_in, "in"), _rows(self.rows_out, "out")]
        parts += [f"{self.late:,} late"] if self.late is not None else []
        parts += [f"{self.batches:,} batches"] if self.batches is not None else []
        parts += [f"{self.seconds:.1f} s"]
        return f"{', '.join(filter(None, parts))}: {self.sink}"

    def as_json(self) -> str:
        """The same as JSON, without what is not known."""
        known: dict[str, Any] = {k: v for k, v in asdict(self).items() if v not in (None, {})}
        return json.dumps({**known, "seconds": round(self.seconds, 3)})


def _rows(number: int | None, way: str) -> str:
    return "" if number is None else f"{number:,} {'row' if number == 1 else 'rows'} {way}"
