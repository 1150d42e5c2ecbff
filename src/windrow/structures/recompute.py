"""Recompute: any order of calls, O(n) per query, n states; the oracle of all the others.

It holds nothing but the states and follows the definitions word by word.
"""

from collections import deque
from functools import reduce
from itertools import islice
from typing import Any

from windrow.structures.base import Aggregator

__all__ = ["Recompute"]


class Recompute(Aggregator):
    """Recomputes every result from all updates in the window.

    Combines: none per insert and evict, n - 1 per query.

    >>> from windrow import agg
    >>> window = Recompute(agg.max())
    >>> for value in (3, 1, 2):
    ...     window.insert(value)
    >>> window.evict()
    >>> window.query()
    2
    """

    def _clear(self) -> None:
        self._states: deque[Any] = deque()

    def __len__(self) -> int:
        return len(self._states)

    def _insert(self, state: Any) -> None:
        self._states.append(state)

    def _evict(self, count: int) -> None:
        for _ in range(count):
            self._states.popleft()

    def _total(self) -> Any:
        return self._fold(0, len(self))

    def _fold(self, start: int, end: int) -> Any:
        """The state of the updates [start, end), counted from the oldest."""
        states = islice(self._states, start, end)
        return reduce(self._combine, states, next(states, self._identity))

    def _slide(self) -> int:
        leaving = max(self._first_kept(), self._last_condemned())
        self._evict(leaving)
        return leaving

    def _first_kept(self) -> int:
        """The first position from which `keep` holds, or the end."""
        judge, end = self._contents.judge, len(self)
        suffixes = (position for position in range(end) if judge.keeps(self._fold(position, end)))
        return next(suffixes, end)

    def _last_condemned(self) -> int:
        """The last position up to which `drop` holds, or the start."""
        judge, end = self._contents.judge, len(self)
        if not judge.drops:
            return 0
        before = self._total()
        prefixes = (
            position
            for position in range(end - 1, 0, -1)
            if judge.condemns(self._fold(0, position), self._fold(position, end), before)
        )
        return next(prefixes, 0)

    def _dump(self) -> tuple[Any, ...]:
        return (tuple(self._states),)

    def _load(self, *data: Any) -> None:
        (states,) = data
        self._states = deque(states)
