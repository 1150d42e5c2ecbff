"""Where the methods of compiled buckets keep their settings, and what they learn: in cells.

The code of methods depends on what kinds of them there are alone, so that other settings need no
other code.
"""

from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windrow.aggregators.kernels.buckets.samples import SAMPLE, TABLE

__all__ = [
    "ALLOWED",
    "BEFORE",
    "BLOCK",
    "BLOCKS",
    "BOUND",
    "DIMENSION",
    "EXTREMUM",
    "HIGHEST",
    "HOPS",
    "LAST",
    "LENGTH",
    "LENGTHS",
    "MAXIMA",
    "NOW",
    "RINGS",
    "SHARE",
    "TAKEN",
    "THRESHOLD",
    "Dimension",
    "Extremum",
    "Kinds",
    "adopt_dimension",
    "adopt_extremum",
    "adopt_hops",
    "dimension_cells",
    "extremum_cells",
    "hop_cells",
]

BLOCKS = 30  # of which a sample of extreme values is made

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


def dimension_cells(bound: float, least: int, *, relative: bool) -> NDArray[np.int64]:
    """A dimension that nothing is known of yet."""
    cells = np.zeros(DIMENSION)
    cells[BOUND], cells[ALLOWED], cells[LENGTH] = bound, 0.0 if relative else bound, least
    return cells.view(np.int64)


def extremum_cells(share: float, block: int) -> NDArray[np.int64]:
    """An extremum without a block yet; blocks of 0 updates are as long as windows suggest."""
    cells = np.zeros(EXTREMUM)
    cells[SHARE], cells[HIGHEST], cells[THRESHOLD] = share, -inf, -inf
    found = cells.view(np.int64)
    found[BLOCK], found[RINGS + BLOCKS] = block, 1
    return found


def hop_cells() -> NDArray[np.int64]:
    """Hops of which none has been seen."""
    cells = np.zeros(HOPS, np.int64)
    cells[LAST] = -1
    return cells


def adopt_dimension(cells: NDArray[np.int64], learned: Any) -> None:
    """Take over what a relative bound of Python's learned."""
    (before, now, length), allowed = learned
    floats = cells.view(np.float64)
    floats[ALLOWED], floats[LENGTH] = allowed, length
    floats[BEFORE:NOW], floats[NOW:DIMENSION] = before, now


def adopt_extremum(cells: NDArray[np.int64], learned: Any) -> None:
    """Take over the blocks of an extremum of Python's."""
    maxima, lengths, (highest, taken, threshold) = learned
    floats = cells.view(np.float64)
    floats[HIGHEST], floats[THRESHOLD] = highest, threshold
    floats[RINGS : RINGS + len(maxima)] = maxima
    cells[RINGS + BLOCKS :][: len(lengths)] = lengths
    cells[TAKEN], cells[MAXIMA], cells[LENGTHS] = taken, len(maxima), len(lengths) - 1


def adopt_hops(cells: NDArray[np.int64], learned: Any) -> None:
    """Take over the sizes of evictions that Python saw."""
    sizes, last = learned
    cells.view(np.float64)[:SAMPLE] = sizes
    cells[LAST] = -1 if last is None else last
