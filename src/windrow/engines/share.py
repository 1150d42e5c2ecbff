"""One unit's share of the windows, where several units share those of a key."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.columnar.keyed import numbers
from windrow.parallel.owners import Owners
from windrow.windows import Aligned

__all__ = ["Share"]

_HASH = "k0"


@dataclass(frozen=True)
class Share:
    """Which windows one unit answers; the first key of its rows is the hash of all others."""

    owners: Owners
    unit: int

    def owns(self, keys: pa.Table, starts: NDArray[np.int64], window: Aligned) -> NDArray[np.bool_]:
        """Which of these windows are the unit's, given their keys and starts."""
        owned: NDArray[np.bool_] = self.owners.of(_hashes(keys), starts, window) == self.unit
        return owned

    def counts(
        self, rows: pa.Table, times: NDArray[np.int64], windows: Sequence[Aligned]
    ) -> NDArray[np.bool_]:
        """Which rows this unit counts, so that a row that several have seen counts once."""
        counted: NDArray[np.bool_] = self.owners.home_of(_hashes(rows), times, windows) == self.unit
        return counted


def _hashes(rows: pa.Table) -> NDArray[np.int64]:
    return numbers(rows[_HASH]).astype(np.int64)
