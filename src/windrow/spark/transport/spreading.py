"""Rows and slices copied to the units that must see them; units are key groups of their own."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.columnar.keyed import numbers
from windrow.engines.definition import Definition
from windrow.engines.edges import Edges
from windrow.parallel.owners import Owners
from windrow.spark.transport.hashed import HASH_KEY
from windrow.windows import Aligned

__all__ = ["grids_of", "to_owners", "to_slice_owners"]


def grids_of(definition: Definition) -> list[Aligned]:
    """The grids of a definition's windows."""
    grids = (window.grid for _, window in definition.windows)
    return [grid for grid in grids if grid is not None]


def to_owners(
    table: pa.Table, owners: Owners, windows: Sequence[Aligned], time: str
) -> tuple[pa.Table, NDArray[np.int64]]:
    """Rows or slices, each once for every unit that owns a window it is in; and those units."""
    places, units = owners.seen_by(_hashes(table), numbers(table[time]), windows)
    return table.take(pa.array(places)), units


def to_slice_owners(
    table: pa.Table, owners: Owners, windows: Sequence[Aligned], time: str
) -> tuple[pa.Table, NDArray[np.int64]]:
    """Rows or slices, and the unit that makes one whole slice of what belongs together."""
    starts = Edges(windows).before(numbers(table[time]))
    return table, owners.of(_hashes(table), starts, windows[0])


def _hashes(table: pa.Table) -> NDArray[np.int64]:
    return numbers(table[HASH_KEY]).astype(np.int64)
