"""The window of one aggregate, key by key: in Python, or compiled if there are many rows.

Compiling takes seconds, and pays off from about ten thousand rows on.  What is kept for a key says
which form it has; a window in Python can continue compiled, with the same results to the last
digit.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.algebra.aggregate import Aggregate
from windrow.approximate.method import Method
from windrow.engines.bucket_windows import BucketWindow
from windrow.engines.compiled_buckets import CompiledBucketWindow
from windrow.engines.intervals import IntervalColumn
from windrow.errors import AggregateError, SnapshotError
from windrow.windows import Policy, TrailingRows, TrailingTime

__all__ = ["EitherWindow"]

MANY: Final = 20_000  # rows at once

# 8 bytes each, as what follows is aligned to 8 bytes.
_PLAIN, _COMPILED = b"python\0\0", b"compiled"


class EitherWindow:
    """Trailing windows and slide policies in buckets; `begin` with rows, then go key by key."""

    def __init__(
        self,
        aggregate: Aggregate[Any],
        methods: Sequence[Method],
        window: TrailingRows | TrailingTime | Policy,
        schema: pa.Schema,
        many: int = MANY,
    ) -> None:
        self._asked = aggregate, methods, window, schema
        self._many = many
        self._plain = BucketWindow(*self._asked)
        self.inputs = self._plain.inputs
        self._now: BucketWindow | CompiledBucketWindow = self._plain

    def begin(self, rows: pa.Table, ticks: NDArray[np.int64]) -> None:
        """The rows that will come; ticks are times that never go back in a key."""
        self._rows, self._ticks = rows, ticks
        self._read: dict[int, Any] = {}  # as each form takes them

    def load(self, content: bytes | None) -> None:
        """Continue with what was dumped of a key; None starts an empty window."""
        form, own = (None, None) if content is None else (content[:8], content[8:])
        if form not in (None, _PLAIN, _COMPILED):
            raise SnapshotError(
                f"a window of {self._asked[0]!r} that was kept is damaged: it begins with "
                f"{form!r}; use a copy of the checkpoint, or a new one"
            )
        compiled = None
        if form == _COMPILED or self._rows.num_rows >= self._many:
            compiled = self._compiled
        if compiled is None and form == _COMPILED:
            raise SnapshotError(
                f"a window of {self._asked[0]!r} was kept in compiled form, which it does not have "
                "here: it is damaged; use a copy of the checkpoint, or a new one"
            )
        if compiled is None:
            self._plain.load(own)
            self._now = self._plain
            return
        if form == _PLAIN:
            self._plain.load(own)
            compiled.adopt(self._plain.snapshot())
        else:
            compiled.load(own)
        self._now = compiled

    def run(self, start: int, end: int) -> IntervalColumn:
        """Put in some of the rows, one by one: the result after each."""
        now = self._now
        if id(now) not in self._read:
            self._read[id(now)] = now.read(self._rows, self._ticks)
        return now.run(self._read[id(now)][start:end])

    def dump(self) -> bytes:
        """Everything that must be kept for the key."""
        form = _PLAIN if self._now is self._plain else _COMPILED
        return form + self._now.dump()

    def __len__(self) -> int:
        """How many rows the window holds, or about."""
        return len(self._now)

    @cached_property
    def _compiled(self) -> CompiledBucketWindow | None:
        """The compiled form, if any; whether predicates compile is known only when they run."""
        aggregate, methods, window, schema = self._asked
        if isinstance(window, Policy):
            return None
        try:
            return CompiledBucketWindow(aggregate, methods, window, schema)
        except AggregateError:
            return None
