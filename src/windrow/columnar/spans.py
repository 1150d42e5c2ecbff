"""Which states or rows make up each window, and windows that slide over them on two stacks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windrow.structures.two_stacks import TwoStacks

__all__ = ["Spans", "slid"]


@dataclass(frozen=True)
class Spans:
    """Windows over states that stand in a line: window w has the states [since[w], until[w]).

    They slide: neither where windows begin nor where they end goes back from one to the next.
    """

    since: NDArray[np.int64]
    until: NDArray[np.int64]


def slid(kept: TwoStacks, values: Sequence[Any], spans: Spans) -> Iterator[Any]:
    """The result of each window over values, of which None counts for nothing.

    It is computed only where it has changed.
    """
    counted = [0, *accumulate(value is not None for value in values)]  # of those before each
    answer, changed, start, end = None, True, 0, 0
    for since, until in zip(spans.since.tolist(), spans.until.tolist(), strict=True):
        if since > start:
            gone = counted[min(since, end)] - counted[start]
            if gone:
                kept.evict(gone)
                changed = True
            start, end = since, max(end, since)
        if until > end:
            for value in values[end:until]:
                if value is not None:
                    kept.insert(value)
                    changed = True
            end = until
        if changed:
            answer, changed = kept.query(), False
        yield answer
