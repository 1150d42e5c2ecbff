"""Buckets as states of one operator: their size, what is kept of each aggregate, what is watched.

The code is written out for the fields at hand, as in `windrow.kernels.operator`.
"""

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from windrow.algebra.numeric import INT, Dtypes, State
from windrow.approximate.bounds import BoundCode
from windrow.approximate.compiled.watched import WatchCode
from windrow.compiler.jit import define
from windrow.compiler.marks import hot
from windrow.kernels.operator import cells_code, items

__all__ = ["BucketOperator", "BucketPart", "make_bucket_operator"]


class BucketPart(NamedTuple):
    """One aggregate and the column it reads; None: it counts rows."""

    code: BoundCode
    column: int | None


class BucketOperator(NamedTuple):
    """What a forest needs, and how to get at parts of a bucket; its size is the first field."""

    parts: tuple[BucketPart, ...]
    watch: WatchCode
    state: Dtypes
    identity: State
    lift: Any  # lift(columns, masks, row) → a bucket of one update
    combine: Any  # combine(older, newer) → one of two neighbours
    load_cells: Any
    store_cells: Any
    own: tuple[Any, ...]  # own[k](bucket) → what it keeps of a part
    watched: Any  # watched(bucket) → what it keeps for the policy


def make_bucket_operator(parts: Sequence[BucketPart], watch: WatchCode) -> BucketOperator:
    """Buckets of these aggregates under this policy."""
    groups = [part.code for part in parts] + [watch]
    starts = [1]
    for group in groups:
        starts.append(starts[-1] + len(group.state))
    ranges = [range(a, b) for a, b in itertools.pairwise(starts)]
    dtypes = (INT, *(dtype for group in groups for dtype in group.state))
    own = [_own(fields) for fields in ranges]
    return BucketOperator(
        parts=tuple(parts),
        watch=watch,
        state=dtypes,
        identity=(0, *(x for group in groups for x in group.identity)),
        lift=_lift(parts, watch),
        combine=_combine(groups, ranges),
        own=tuple(own[:-1]),
        watched=own[-1],
        **cells_code(dtypes),
    )


def _own(fields: range) -> Any:
    return hot(define("own", f"def own(bucket): return ({items(f'bucket[{k}]' for k in fields)})"))


def _lift(parts: Sequence[BucketPart], watch: WatchCode) -> Any:
    names: dict[str, Any] = {"watched": watch.lift, "int64": np.int64}
    source = "def lift(columns, masks, row):\n"
    for number, (code, column) in enumerate(parts):
        names[f"lift{number}"] = code.lift
        read = "0, True" if column is None else f"columns[{column}][row], masks[{column}][row]"
        source += f"    s{number} = lift{number}({read})\n"
    fields = [f"s{n}[{k}]" for n, (code, _) in enumerate(parts) for k in range(len(code.state))]
    if watch.state:
        source += "    w = watched(columns, masks, row)\n"
        fields += [f"w[{k}]" for k in range(len(watch.state))]
    # Not a mere 1, which has a type of its own: all would be compiled twice.
    return define("lift", f"{source}    return (int64(1), {items(fields)})", **names)


def _combine(groups: Sequence[Any], ranges: Sequence[range]) -> Any:
    names: dict[str, Any] = {}
    source = (
        "def combine(older, newer):\n"
        "    if older[0] == 0:\n        return newer\n"
        "    if newer[0] == 0:\n        return older\n"
    )
    fields = ["older[0] + newer[0]"]
    for number, (group, own) in enumerate(zip(groups, ranges, strict=True)):
        if not own:
            continue
        names[f"combine{number}"] = group.combine
        older, newer = (items(f"{name}[{k}]" for k in own) for name in ("older", "newer"))
        source += f"    s{number} = combine{number}(({older}), ({newer}), older[0], newer[0])\n"
        fields += [f"s{number}[{k}]" for k in range(len(own))]
    return hot(define("combine", f"{source}    return ({items(fields)})", **names))
