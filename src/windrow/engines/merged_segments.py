"""Windows of one key that nodes made each by itself, merged: punctuated ones above all.

Each node sees some of a key's rows and ends its windows where its own marks are.  What comes here
are the entries of all nodes (`Segments.ended`), one table after the other: states that do not
commute are combined in the order of their windows' starts, and of those in the order of nodes.
What was merged is made of entries again, so a tree may merge at every height.
"""

import numpy as np
import pyarrow as pa

from windrow.columnar.keyed import numbers, together
from windrow.columnar.order import sorted_by_key_and_time
from windrow.engines.segments import Segments, borders_of_near

__all__ = ["PLACE", "merge_equal", "merge_near", "merge_nth"]

#: The column that says which of its key's windows an entry is, counted by each node.
PLACE = "i"

_RANK = "rank"


def merge_equal(engine: Segments, entries: pa.Table) -> pa.Table:
    """Windows with the same start and the same end become one."""
    starts, ends = numbers(entries["start"]), numbers(entries["end"])
    # A window without duration is followed by others with the same bounds; a longer one is alone.
    ranks = np.where(starts == ends, numbers(entries["nth"]), 0)
    ranked = entries.append_column(_RANK, pa.array(ranks))
    keyed = together(ranked, [*engine.owners, "start", "end", _RANK])
    return engine.joined(keyed.table, keyed.borders)


def merge_nth(engine: Segments, entries: pa.Table) -> pa.Table:
    """The first windows of all nodes become one, and so do the second; it keeps the column `i`.

    Such a window reaches from the earliest start to the latest end.
    """
    owners = [*engine.owners, PLACE]
    keyed, _ = sorted_by_key_and_time(entries, numbers(entries["start"]), owners)
    merged = engine.joined(keyed.table, keyed.borders)
    return merged.append_column(PLACE, keyed.table[PLACE].take(pa.array(keyed.borders[:-1])))


def merge_near(engine: Segments, entries: pa.Table, gap_us: int) -> pa.Table:
    """Windows become one that overlap, or that no more than the gap lies between."""
    keyed, starts = sorted_by_key_and_time(entries, numbers(entries["start"]), engine.owners)
    gaps = np.full(len(starts), gap_us)
    return engine.joined(keyed.table, borders_of_near(keyed, starts, gaps))
