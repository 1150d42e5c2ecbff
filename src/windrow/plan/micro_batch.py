"""A micro-batch of a stream: what one took, and what the next is predicted to take."""

from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

from windrow.arguments import shown, whole
from windrow.errors import InputError

__all__ = ["MicroBatch", "Predicted"]


@dataclass(frozen=True)
class MicroBatch:
    """What Spark says of one that had rows."""

    rows: int
    seconds: float
    span_us: int = 0  # from the first time to the last; 0 if it is not known

    def __post_init__(self) -> None:
        counts = whole(self.rows), whole(self.span_us)
        known = None not in counts and self.rows > 0 and self.span_us >= 0
        timed = isinstance(self.seconds, int | float) and isfinite(self.seconds)
        if not known or not timed or self.seconds <= 0:
            raise InputError(
                f"rows={shown(self.rows)}, seconds={shown(self.seconds)} and "
                f"span_us={shown(self.span_us)} describe no micro-batch; it has rows and takes time"
            )


@dataclass(frozen=True)
class Predicted:
    """Seconds of a micro-batch with as many rows as those of the stream usually have."""

    rows: int
    seconds: float  # by the constants alone
    constants: str  # where they are from
    measured: int = 0  # micro-batches by which the prediction is corrected
    factor: float = 1.0  # what these took, beside what was predicted of them

    @property
    def corrected(self) -> float:
        """Seconds, corrected."""
        return self.seconds * self.factor

    def sentences(self) -> tuple[str, ...]:
        """The same in words."""
        of_rows = f"of {self.rows:,} rows is predicted to take"
        by = f"by constants {self.constants}"
        if not self.measured:
            return (f"one {of_rows} {self.seconds:.2f} s, {by}; none of this stream was timed yet",)
        return (
            f"one {of_rows} {self.corrected:.2f} s: {self.seconds:.2f} s {by}, "
            f"×{self.factor:.2g} from {self.measured} micro-batches of this stream",
        )

    def as_dict(self) -> dict[str, Any]:
        """The same as plain data, for JSON."""
        return {**asdict(self), "corrected": self.corrected}
