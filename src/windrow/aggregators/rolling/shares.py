"""Groups share no state: several threads can roll their rows, each a share of whole groups."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from windrow.aggregators.kernels.threads import all_at_once, threads_for

__all__ = ["in_shares"]


def in_shares(run: Callable[[slice, NDArray[np.int64]], None], borders: NDArray[np.int64]) -> None:
    """Run all groups: `run(places, borders)` for shares of about as many rows.

    A share's borders count from the first of its places.
    """
    rows = int(borders[-1])
    threads = threads_for(rows)
    if threads == 1:  # small tables come by the thousand, and dividing them takes longest
        run(slice(int(borders[0]), rows), borders - borders[0])
        return
    wanted = np.linspace(0, rows, threads + 1)[1:-1]
    cuts = np.unique([0, *np.searchsorted(borders, wanted), len(borders) - 1])
    shares = [borders[a : b + 1] for a, b in pairwise(cuts)] or [borders]
    all_at_once([partial(run, slice(int(own[0]), int(own[-1])), own - own[0]) for own in shares])
