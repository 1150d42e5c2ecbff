"""Two-Stacks: in-order, amortised O(1), O(n) at worst, 2n states (adamax, 2011).

The older part of the window is the front, a stack of the aggregates of its suffixes with the
longest on top; the newer part is the back, a running aggregate:

        front                        back
        [a b c d) [b c d) [c d) [d)  e f g → combine(…)

Evict pops the front; an empty front takes over the whole back, one suffix after the other.
"""

from itertools import accumulate
from typing import Any

from windrow.structures.sliding import OneByOne

__all__ = ["TwoStacks"]


class TwoStacks(OneByOne):
    """Constant-time windows over any monoid on average, with an occasional pause of O(n).

    Combines per insert + evict + query: 3 amortised, n + 1 at most.

    >>> from windrow import agg
    >>> window = TwoStacks(agg.min())
    >>> for value in (1, 3, 2):
    ...     window.insert(value)
    >>> window.evict()
    >>> window.query()
    2
    """

    def _clear(self) -> None:
        # invariant: suffixes[k] aggregates the updates of older[k], older[k - 1] … older[0]
        self._older: list[Any] = []  # the states of the front, the oldest on top
        self._suffixes: list[Any] = []
        self._newer: list[Any] = []  # the states of the back, the newest on top
        self._back = self._identity

    def __len__(self) -> int:
        return len(self._older) + len(self._newer)

    def _insert(self, state: Any) -> None:
        self._back = self._combine(self._back, state) if self._newer else state
        self._newer.append(state)

    def _evict(self, count: int) -> None:
        beyond = count - len(self._older)
        if beyond > 0:
            self._flip(beyond)
        else:
            del self._older[-count:], self._suffixes[-count:]

    def _flip(self, start: int) -> None:
        """Make the back's updates from `start` on the front, in place of what the front was."""
        self._older = self._newer[start:][::-1]
        self._suffixes = list(accumulate(self._older, self._prepended))
        self._newer, self._back = [], self._identity

    def _prepended(self, newer: Any, older: Any) -> Any:
        return self._combine(older, newer)

    def _total(self) -> Any:
        return self._from(len(self._suffixes))

    def _from(self, height: int) -> Any:
        """The state of the window, were the front only this high."""
        if not height:
            return self._back
        suffix = self._suffixes[height - 1]
        return self._combine(suffix, self._back) if self._newer else suffix

    def _oldest(self) -> Any:
        return self._older[-1] if self._older else self._newer[0]

    def _rest(self) -> Any:
        if not self._older:
            self._flip(0)
        return self._from(len(self._suffixes) - 1)

    def _dump(self) -> tuple[Any, ...]:
        return tuple(self._older), tuple(self._suffixes), tuple(self._newer), self._back

    def _load(self, *data: Any) -> None:
        older, suffixes, newer, self._back = data
        self._older, self._suffixes, self._newer = list(older), list(suffixes), list(newer)
