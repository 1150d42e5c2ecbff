"""The methods of a window as compiled code takes them: which kinds, and their cells at first."""

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windrow.aggregators.approximate.footprint import Footprint
from windrow.aggregators.approximate.hop import Hop
from windrow.aggregators.approximate.layout import Layout
from windrow.aggregators.approximate.max_like import MaxLike
from windrow.aggregators.approximate.prediction import LEAST, student_table
from windrow.aggregators.approximate.sum_like import SumLike
from windrow.aggregators.kernels.buckets.method_cells import (
    Dimension,
    Extremum,
    Kinds,
    dimension_cells,
    extremum_cells,
    hop_cells,
)
from windrow.errors import AggregateError

__all__ = ["compiled_methods"]


def compiled_methods(
    methods: Sequence[Any], layout: Layout
) -> tuple[Kinds, NDArray[np.int64], int]:
    """Kinds, cells, and the limit on buckets, 0 for none; refuses what only Python does."""
    found: dict[type, Any] = {}
    for method in methods:
        if type(method) not in (SumLike, MaxLike, Hop, Footprint) or type(method) in found:
            raise AggregateError(
                f"{method!r} is not compiled beside {methods!r}; use ApproximateAmta"
            )
        found[type(method)] = method
    cells: list[NDArray[Any]] = []
    dimensions: list[Dimension] = []
    sums: SumLike | None = found.get(SumLike)
    if sums is not None:
        relative = sums.relative is not None
        cells.append(_floats(student_table(sums.confidence) if relative else [inf] * 63))
        for part, kind, bound in sums.dimensions(layout):
            dimensions.append(Dimension(None if kind == "count" else part, relative))
            cells.append(dimension_cells(bound, LEAST, relative=relative))
    extrema: list[Extremum] = []
    most: MaxLike | None = found.get(MaxLike)
    if most is not None:
        block = 0 if isinstance(most.block, str) else most.block
        for part, _, _ in most.places(layout):
            extrema.append(Extremum(part))
            cells.append(extremum_cells(most.share, block))
    hop: Hop | None = found.get(Hop)
    if hop is not None:
        cells += [hop_cells(), _floats(student_table(hop.confidence))]
    limit: Footprint | None = found.get(Footprint)
    kinds = Kinds(tuple(dimensions), tuple(extrema), hop is not None, limit is not None)
    together = np.concatenate([np.zeros(0, np.int64), *cells])
    assert len(together) == kinds.cells
    return kinds, together, 0 if limit is None else limit.buckets


def _floats(numbers: Sequence[float]) -> NDArray[np.int64]:
    return np.array(numbers, np.float64).view(np.int64)
