"""What a job says about nodes near the devices: pinned keys, and how marked windows are merged."""

from dataclasses import dataclass
from enum import Enum

import yaml

from windrow.jobs.entry import Entry

__all__ = ["Edge", "Merging", "read_edge"]

_EXAMPLE = "{pinned: true}"
_GAP = "{gap: 10 seconds}"


class Merging(Enum):
    """Which punctuated windows of several leaves become one."""

    #: Rows travel, and windows are made of all of them: what a batch of all rows would give.
    CENTRAL = "central"
    #: None: each leaf's windows are its own.
    LOCAL = "local"
    #: Those with the same start and end.
    EQUAL = "equal"
    #: The i-th window of each leaf.
    NTH = "nth"
    #: Those that overlap, or lie no further apart than a gap.
    GAP = "gap"


@dataclass(frozen=True)
class Edge:
    """The entry `edge`; Spark alone has no use for it."""

    pinned: bool = False  # the user promises that all rows of a key come to one leaf
    merging: Merging = Merging.CENTRAL
    gap_us: int | None = None  # with Merging.GAP alone


def read_edge(entry: Entry) -> Edge | None:
    """`{pinned: true}`, `{punctuated: nth}`, `{punctuated: {gap: 10 seconds}}`."""
    parts = entry.section(("pinned", "punctuated"), _EXAMPLE)
    pinned = bool(parts["pinned"].flag()) if "pinned" in parts else False
    if "punctuated" not in parts:
        return Edge(pinned)
    way = parts["punctuated"]
    if isinstance(way.node, yaml.MappingNode):
        found = way.section(("gap",), _GAP)
        if "gap" not in found:
            way.complain_of_key(f"{way.name}: gap is missing (e.g. {_GAP})")
            return None
        gap_us = found["gap"].duration_us(least=0)
        return None if gap_us is None else Edge(pinned, Merging.GAP, gap_us)
    text = way.choice([merging.value for merging in Merging])
    if text == Merging.GAP.value:
        way.complain(f"{way.name}: how long is the gap? (e.g. punctuated: {_GAP})")
        return None
    return None if text is None else Edge(pinned, Merging(text))
