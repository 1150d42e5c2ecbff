"""Who owns a window, and who must see a row: arithmetic alone, so nobody has to be asked.

Window i of a grid begins at `offset + i * every`.  It is on unit (h(key) + ⌊i / block⌋) mod units,
or on the unit that a hash of key and i names.  A row at time t is in the windows from
⌊(t - offset - size) / every⌋ + 1 to ⌊(t - offset) / every⌋, whole numbers rounded down.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from windrow.parallel.methods import Method
from windrow.windows import Aligned

__all__ = ["NOBODY", "Owners"]

Numbers: TypeAlias = NDArray[np.int64]

NOBODY = -1

_BY_HASH = (Method.HANDSHAKE, Method.HASH_ONCE)
_SEEN_BY_ALL = (Method.HANDSHAKE, Method.ROUND_ROBIN)
_MIX = np.uint64(0x9E3779B97F4A7C15)  # the golden ratio of 2^64
_MIX_AGAIN = np.uint64(0xBF58476D1CE4E5B9)


@dataclass(frozen=True)
class Owners:
    """The windows of aligned grids, spread over `units`.

    >>> from windrow import window
    >>> owners = Owners(Method.ROUND_ROBIN_CYCLIC, units=3)
    >>> hopping = window.hopping("20 s", every="10 s")
    >>> no_key, starts = np.zeros(4, np.int64), np.array([-10, 0, 10, 20]) * 1_000_000
    >>> owners.of(no_key, starts, hopping)
    array([2, 0, 1, 2])
    >>> rows, units = owners.seen_by(no_key[:1], starts[:1], [hopping])
    >>> units  # a row at -10 s is in the windows from -20 s and from -10 s
    array([1, 2])
    """

    method: Method
    units: int
    block: int = 1  # how many windows in a row stay together

    def of(self, hashes: Numbers, starts: Numbers, window: Aligned) -> Numbers:
        """The owner of each window, given the hash of its key and its start."""
        return self._of(hashes, _index(starts, window))

    def seen_by(
        self, hashes: Numbers, times: Numbers, windows: Sequence[Aligned]
    ) -> tuple[Numbers, Numbers]:
        """Which row goes to which unit, each pair once: rows that are in no window go nowhere."""
        seen = np.zeros((len(times), self.units), np.bool_)
        for window in windows:
            first, last = _indexes(times, window)
            if self.method in _SEEN_BY_ALL:
                seen |= (first <= last)[:, None]
            else:
                self._mark_owners(seen, hashes, first, last)
        rows, units = np.nonzero(seen)
        return rows, units

    def home_of(self, hashes: Numbers, times: Numbers, windows: Sequence[Aligned]) -> Numbers:
        """For each row one of the units that see it, which counts it; `NOBODY` without a window."""
        home = np.full(len(times), NOBODY, np.int64)
        for window in reversed(windows):
            first, last = _indexes(times, window)
            home = np.where(first <= last, self._of(hashes, last), home)
        return home

    def _of(self, hashes: Numbers, index: Numbers) -> Numbers:
        if self.method in _BY_HASH:
            return _mixed(hashes, index) % self.units
        blocks = index // self.block
        return (blocks + hashes if self.method is Method.TIME else blocks) % self.units

    def _mark_owners(
        self, seen: NDArray[np.bool_], hashes: Numbers, first: Numbers, last: Numbers
    ) -> None:
        """Mark the owners of the windows from first to last of each row."""
        places = np.arange(len(seen))
        # The owners of blocks in a row differ, until they come round to the first again.
        step = 1 if self.method in _BY_HASH else self.block
        at = first
        while len(places):
            within = at <= last[places]
            places, at = places[within], at[within]
            seen[places, self._of(hashes[places], at)] = True
            # On with the first window of the next block, unless all units see the row already.
            at = (at // step + 1) * step
            rest = ~seen[places].all(axis=1)
            places, at = places[rest], at[rest]


def _index(starts: Numbers, window: Aligned) -> Numbers:
    return (starts - window.offset_us % window.every_us) // window.every_us


def _indexes(times: Numbers, window: Aligned) -> tuple[Numbers, Numbers]:
    """The first and the last window that each time is in; none where the first comes after."""
    return _index(times - window.size_us, window) + 1, _index(times, window)


def _mixed(hashes: Numbers, index: Numbers) -> Numbers:
    """A number for each key and window, whose remainders are as good as random."""
    mixed = hashes.astype(np.uint64) * _MIX ^ index.view(np.uint64)
    mixed = (mixed ^ mixed >> np.uint64(30)) * _MIX_AGAIN
    mixed = (mixed ^ mixed >> np.uint64(27)) * _MIX
    return (mixed >> np.uint64(33)).astype(np.int64)
