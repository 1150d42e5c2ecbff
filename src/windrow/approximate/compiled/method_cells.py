"""Where the methods of compiled buckets keep their settings, and what they learn: in cells.

The code of methods depends on what kinds of them there are alone, so that other settings need no
other code.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windrow.approximate.footprint import Footprint
from windrow.approximate.hop import Hop
from windrow.approximate.layout import Layout
from windrow.approximate.max_like import MaxLike
from windrow.approximate.prediction import LEAST, NO_NUMBERS, student_table
from windrow.approximate.sum_like import SumLike
from windrow.errors import AggregateError

__all__ = ["Dimension", "Extremum", "Kinds", "compiled_methods"]

BLOCKS = LEAST  # of which a sample of extreme values is made
SAMPLE = len(NO_NUMBERS)
TABLE = 63  # of Student's t, for each power of two

# The cells of a dimension whose error is controlled.
BOUND, ALLOWED, LENGTH, BEFORE, NOW = 0, 1, 2, 3, 3 + SAMPLE
DIMENSION = 3 + 2 * SAMPLE

# Those of an extremum; then the maxima of blocks, and how long windows were during each.
SHARE, HIGHEST, THRESHOLD, BLOCK, TAKEN, MAXIMA, LENGTHS = range(7)
RINGS = 7
EXTREMUM = RINGS + 2 * BLOCKS

# Those of hops.
LAST = SAMPLE
HOPS = SAMPLE + 1


@dataclass(frozen=True)
class Dimension:
    """A sum or, without a part, a count of updates."""

    part: int | None
    relative: bool


@dataclass(frozen=True)
class Extremum:
    """An extremum whose candidates open buckets."""

    part: int


class Kinds(NamedTuple):
    """Which methods there are."""

    dimensions: tuple[Dimension, ...] = ()
    extrema: tuple[Extremum, ...] = ()
    hops: bool = False
    limited: bool = False

    @property
    def cells(self) -> int:
        """How many cells they have."""
        tables = (bool(self.dimensions) + self.hops) * TABLE
        own = len(self.dimensions) * DIMENSION + len(self.extrema) * EXTREMUM + self.hops * HOPS
        return tables + own

    @property
    def tables(self) -> list[int]:
        """Where tables of Student's t begin, which never change."""
        return [0] * bool(self.dimensions) + [self.hop + HOPS] * self.hops

    def dimension(self, number: int) -> int:
        """The first cell of a dimension; before them all is their table of Student's t."""
        return TABLE + number * DIMENSION

    def extremum(self, number: int) -> int:
        """The first cell of an extremum."""
        before = TABLE * bool(self.dimensions) + len(self.dimensions) * DIMENSION
        return before + number * EXTREMUM

    @property
    def hop(self) -> int:
        """The first cell of hops; their table follows them."""
        return self.extremum(len(self.extrema))


def _dimension_cells(bound: float, least: int, *, relative: bool) -> NDArray[np.int64]:
    """A dimension that nothing is known of yet."""
    cells = np.zeros(DIMENSION)
    cells[BOUND], cells[ALLOWED], cells[LENGTH] = bound, 0.0 if relative else bound, least
    return cells.view(np.int64)


def _extremum_cells(share: float, block: int) -> NDArray[np.int64]:
    """An extremum without a block yet; blocks of 0 updates are as long as windows suggest."""
    cells = np.zeros(EXTREMUM)
    cells[SHARE], cells[HIGHEST], cells[THRESHOLD] = share, -inf, -inf
    found = cells.view(np.int64)
    found[BLOCK], found[RINGS + BLOCKS] = block, 1
    return found


def _hop_cells() -> NDArray[np.int64]:
    """Hops of which none has been seen."""
    cells = np.zeros(HOPS, np.int64)
    cells[LAST] = -1
    return cells


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
        cells.append(_floats(student_table(sums.confidence) if relative else [inf] * TABLE))
        for part, kind, bound in sums.dimensions(layout):
            dimensions.append(Dimension(None if kind == "count" else part, relative))
            cells.append(_dimension_cells(bound, LEAST, relative=relative))
    extrema: list[Extremum] = []
    most: MaxLike | None = found.get(MaxLike)
    if most is not None:
        block = 0 if isinstance(most.block, str) else most.block
        for part, _, _ in most.places(layout):
            extrema.append(Extremum(part))
            cells.append(_extremum_cells(most.share, block))
    hop: Hop | None = found.get(Hop)
    if hop is not None:
        cells += [_hop_cells(), _floats(student_table(hop.confidence))]
    limit: Footprint | None = found.get(Footprint)
    kinds = Kinds(tuple(dimensions), tuple(extrema), hop is not None, limit is not None)
    together = np.concatenate([np.zeros(0, np.int64), *cells])
    assert len(together) == kinds.cells
    return kinds, together, 0 if limit is None else limit.buckets


def _floats(numbers: Sequence[float]) -> NDArray[np.int64]:
    return np.array(numbers, np.float64).view(np.int64)
