"""Which states make up each window."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Spans"]


@dataclass(frozen=True)
class Spans:
    """Windows over states that stand in a line: window w has the states [since[w], until[w]).

    They slide: neither where windows begin nor where they end goes back from one to the next.
    """

    since: NDArray[np.int64]
    until: NDArray[np.int64]
