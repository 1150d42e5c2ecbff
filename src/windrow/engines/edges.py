"""Edges: where any window of a query starts or ends, so where slices begin and end.

With a thousand windows it takes too long to ask each about each row.  So the edges among the times
of all rows are found once, and then searched; rows in the order of time are not searched at all.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from windrow.columnar.keyed import spread
from windrow.windows import Aligned

__all__ = ["Edges", "on_grid"]

Times = NDArray[np.int64]

# Edges may always be as many as this, since that takes little time and memory.
_FEW = 1 << 16


class Edges:
    """The edges of some windows on grids of event time.

    All times are within the windows' `time_limits`: nothing here wraps around.

    >>> from windrow import window
    >>> edges = Edges([window.hopping("7 us", every="10 us")])
    >>> times = np.array([0, 6, 7, 9, 10])
    >>> edges.before(times).tolist()
    [0, 0, 7, 7, 10]
    >>> edges.covered(times).tolist()
    [True, True, False, False, True]
    """

    def __init__(self, windows: Sequence[Aligned]) -> None:
        both = [(w.every_us, w.offset_us + end) for w in windows for end in (0, w.size_us)]
        grids = list(dict.fromkeys((every, edge % every) for every, edge in both))
        self._every = np.array([every for every, _ in grids], np.int64)
        self._phase = np.array([phase for _, phase in grids], np.int64)
        # Windows without a pause between them cover all times by themselves.
        gapless = any(w.size_us >= w.every_us for w in windows)
        self._pausing = [] if gapless else list(dict.fromkeys(windows))

    def before(self, times: Times) -> Times:
        """The latest edge at or before each time."""
        if not len(times):
            return times
        in_order = bool((times[1:] >= times[:-1]).all())
        if in_order or len(self._every) > 1:
            first, last = (times[0], times[-1]) if in_order else (times.min(), times.max())
            edges = self._among(int(first), int(last), len(times))
            if edges is not None and in_order:
                return np.repeat(edges, np.diff(np.searchsorted(times, edges), append=len(times)))
            if edges is not None:
                return edges[np.searchsorted(edges, times, side="right") - 1]
        found = None
        for every, phase in zip(self._every, self._phase, strict=True):
            own = on_grid(times, phase, every)
            found = own if found is None else np.maximum(found, own, out=found)
        assert found is not None
        return found

    def covered(self, times: Times) -> NDArray[np.bool_]:
        """Which times are in any window; the others lie between two windows."""
        if not self._pausing or not len(times):
            return np.ones(len(times), np.bool_)
        # Neighbours are often equal, as the slices of rows in order are.
        heads = np.flatnonzero(np.append(True, times[1:] != times[:-1]))
        own = times[heads]
        held = np.zeros(len(own), np.bool_)
        for window in self._pausing:
            held |= own - on_grid(own, window.offset_us, window.every_us) < window.size_us
        return np.repeat(held, np.diff(heads, append=len(times)))

    def _among(self, first: int, last: int, times: int) -> Times | None:
        """The latest edge at or before the first time, and all up to the last one.

        None if to ask each grid about each time is less work, or takes less memory.
        """
        latest = on_grid(np.full(len(self._every), first), self._phase, self._every)
        # Distances are unsigned: between the ends of time they exceed 63 bits.
        steps = (last - latest).view(np.uint64) // self._every.view(np.uint64)
        if float(steps.sum(dtype=np.float64)) > min(len(self._every) * times, max(times, _FEW)):
            return None
        counts = steps.view(np.int64)
        every, start = np.repeat(self._every, counts), np.repeat(latest, counts)
        later = start + every * spread(np.ones_like(counts), counts)
        return np.append(latest.max(), np.unique(later))


def on_grid(times: Times, edge_us: int | Times, every_us: int | Times) -> Times:
    """The last time at or before each that is whole hops away from an edge."""
    own: Times = times - np.mod(times - edge_us % every_us, every_us)
    return own
