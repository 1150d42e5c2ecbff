"""How many rows a micro-batch had, counted where rows are packed.

Spark can count rows too, but to look at every row it takes them out of the code that it compiles
for them: that costs as much as reading them does.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import count

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from windrow.columnar.keyed import numbers
from windrow.engines.edges import Edges
from windrow.spark.transport.packing import PACKS
from windrow.windows import Aligned

__all__ = ["COUNTED_PACKS", "RowCounts", "observed"]

# All rows; those without a time; and those that no window takes, however early they come.
_COUNTS = ("rows", "untimed", "between")
COUNTED_PACKS = ", ".join([PACKS, *(f"{name} long" for name in _COUNTS)])

_numbers = count()


class RowCounts:
    """The rows of one task."""

    def __init__(self, grids: Sequence[Aligned]) -> None:
        self._edges = Edges(grids) if grids else None
        self._found = Counter(dict.fromkeys(_COUNTS, 0))

    def timed(self, rows: pa.Table) -> pa.Table:
        """Count rows, and let those pass that have a time."""
        untimed = rows["t"].null_count
        found = {"rows": rows.num_rows, "untimed": untimed}
        if untimed:
            rows = rows.filter(rows["t"].is_valid())
        if self._edges is not None:
            held = self._edges.covered(numbers(rows["t"]))
            found["between"] = int(np.count_nonzero(~held))
        self._found.update(found)
        return rows

    def folded(self, rows: int) -> None:
        """Count rows that were folded elsewhere."""
        self._found["rows"] += rows

    def beside(self, packs: pa.RecordBatch, *, last: bool = False) -> pa.RecordBatch:
        """Packs as `COUNTED_PACKS`; the first of the last ones tells what was counted."""
        none = [None] * (packs.num_rows - 1)
        for name in _COUNTS:
            told = [self._found[name] if last else None, *none][: packs.num_rows]
            packs = packs.append_column(name, pa.array(told, pa.int64()))
        return packs


def observed(packs: DataFrame) -> DataFrame:
    """The packs alone; what was counted is among the metrics of the micro-batch."""
    counts = [F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in _COUNTS]
    # A name of its own: a plan may hold these rows twice.
    return packs.observe(f"windrow-packed-{next(_numbers)}", *counts).drop(*_COUNTS)
