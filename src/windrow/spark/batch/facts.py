"""Facts about the rows of a batch, from the sample in which hot keys are looked for."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.columnar.keyed import numbers
from windrow.engines.blocks import Blocks
from windrow.engines.splits import Counts, Split
from windrow.plan.facts import Cut, Facts

__all__ = ["cut_of", "facts_of"]

# This share of the oldest rows, and of the newest, may be outliers.
_FAR_OFF = 0.01


def facts_of(sample: pa.Table, cuts: Sequence[Cut]) -> Facts | None:
    """What a sample says of all rows; None if it holds none."""
    if not sample.num_rows:
        return None
    times, seen = numbers(sample["t"]), numbers(sample["seen"])
    _, owners, found = np.unique(numbers(sample["mark"]), return_inverse=True, return_counts=True)
    rows = int(seen.sum())
    first, span = _stretch(times)
    keys = _all_keys(found.tolist(), rows)
    most = float(np.bincount(owners, seen).max()) / rows
    return Facts(
        rows=rows,
        keys=keys,
        hottest=max(most if len(found) < sample.num_rows else 0.0, 1 / keys),
        first_us=first,
        span_us=span,
        cuts=tuple(cuts),
    )


def cut_of(split: Split | Blocks, counts: Counts, rows: int) -> Cut:
    """What a split of a key comes to, in shares of all rows."""
    return Cut(counts.total / rows, tuple(slot / rows for slot in split.slot_rows(counts)))


def _stretch(times: NDArray[np.int64]) -> tuple[int, int]:
    """Where rows lie in time: a start, and a span; a few rows far off do not count."""
    low, high = np.quantile(times, [_FAR_OFF, 1 - _FAR_OFF])
    span = (high - low) / (1 - 2 * _FAR_OFF)
    return round(low - _FAR_OFF * span), max(round(span), 1)


def _all_keys(found: Sequence[int], rows: int) -> int:
    """How many keys there are, by how often each was sampled (Chao's estimate, 1984).

    Those sampled once or twice tell of those not sampled at all.
    """
    once, twice = found.count(1), found.count(2)
    if once == sum(found):  # all differ, as far as the sample can tell
        return rows if len(found) > 1 else 1
    return min(len(found) + once * (once - 1) // (2 * (twice + 1)), rows)
