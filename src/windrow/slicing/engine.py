"""What every engine does: take rows of many keys in order, answer, and keep what is still needed.

An engine is built once from a definition and holds no data.  What it keeps between two calls is a
few Arrow tables, so that the same engine serves a batch, which hands them on in memory, and a
stream, which stores them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import pyarrow as pa

from windrow.windows.limits import MIN_US

__all__ = ["FRESH", "NO_WATERMARK", "Engine", "Kept", "Step"]

Kept: TypeAlias = dict[str, pa.Table]

# An `until` that promises nothing: before all times.
NO_WATERMARK = MIN_US

# The column that marks, in a preview, the rows that came since the last one.
FRESH = "fresh"


@dataclass(frozen=True)
class Step:
    """What one call gave: results, what to keep, and how many rows came too late for any window."""

    results: Iterable[pa.Table]  # one at least; read once, as all may not fit into memory
    kept: Kept
    late: int = 0


class Engine(Protocol):
    """Windows of one kind over the rows of many keys.

    `rows` are sorted in the order of application, and nothing in them comes before what was
    applied earlier; where a window has ties together, or is punctuated and rows are in the order
    of time, all rows of one time come in one call.
    `until` promises that no later row has a time below it; None that there are no later rows at
    all.
    """

    schema: pa.Schema  # of results
    kept: dict[str, pa.Schema]

    # Whether rows may be folded into partials anywhere, in any order, and applied at once.
    folds_early: bool
    partials: pa.Schema  # of what `fold` gives

    def fold(self, rows: pa.Table) -> pa.Table:
        """Rows as partial windows, which `advance` takes in their place; rows that cannot be."""

    def advance(self, kept: Kept, rows: pa.Table, until: int | None) -> Step:
        """Apply rows or partials, and answer what they and the time they have reached decide."""

    def preview(self, kept: Kept, rows: pa.Table) -> pa.Table:
        """What the windows of fresh rows would be if no more came; nothing is applied."""

    def unfinished(self, kept: Kept) -> pa.Table:
        """Windows with rows that only more rows could end."""

    def due(self, kept: Kept) -> int | None:
        """The smallest `until` with which `advance` has work to do without any row."""
