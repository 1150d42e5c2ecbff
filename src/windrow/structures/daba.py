"""DABA: in-order, worst-case O(1), 2n states (Tangwongsan, Hirzel and Schneider, 2017).

Two-Stacks whose front takes over the back a step at a time, ahead of need, instead of all at once.
A queue holds each update's state and an aggregate beside it; six positions tell what those mean:

        F          L          R          A          B          E
        [  →  B  ) [  →  R  ) [  R  →  ) [  →  B  ) [  B  →  )
          ready      left       right      accrued    back

`→ X` aggregates from the entry on until X, `X →` from X on until the entry.  Every insert and
evict turns one entry of `left` and one of `right` into such that reach B: all suffixes are ready
when the front needs them.
"""

from typing import Any

from windrow.structures.levels import Ring
from windrow.structures.sliding import OneByOne

__all__ = ["Daba"]


class Daba(OneByOne):
    """Constant-time windows over any monoid, in the worst case too.

    Combines per insert: 4 at most; per evicted update: 3 at most; per query: 1.

    >>> from windrow import agg
    >>> window = Daba(agg.max())
    >>> for value in (3, 1, 2):
    ...     window.insert(value)
    >>> window.evict()
    >>> window.query()
    2
    """

    def _clear(self) -> None:
        self._states, self._aggregates = Ring(), Ring()
        # invariant: F ≤ L ≤ R ≤ A ≤ B ≤ E; `left` and `right` are of one length; F < L if F < B
        self._f = self._l = self._r = self._a = self._b = self._e = 0

    def __len__(self) -> int:
        return self._e - self._f

    def _insert(self, state: Any) -> None:
        newest = self._e
        self._states.put(newest, state, self._f)
        if self._b < newest:
            state = self._combine(self._aggregates[newest - 1], state)
        self._aggregates.put(newest, state, self._f)
        self._e = newest + 1
        self._step()

    def _evict(self, count: int) -> None:
        for _ in range(count):
            self._f += 1
            self._step()

    def _step(self) -> None:
        """Restore the invariants after one insert or evict."""
        if self._f == self._b:
            # The front is used up, and then the back has one update at most: it reaches E.
            self._l = self._r = self._a = self._b = self._e
            return
        if self._l == self._b:
            # Flip: what was ready is `left`, what was the back is `right`; R is at B already.
            self._l = self._f
            self._a = self._b = self._e
        if self._l == self._r:
            # Shift: both are used up, so an accrued entry is a ready one.
            self._l = self._r = self._a = self._l + 1
        else:
            self._shrink()

    def _shrink(self) -> None:
        aggregates, last = self._aggregates, self._a - 1
        aggregates[self._l] = self._front_from_left()
        self._l += 1
        state = self._states[last]
        accrued = self._a < self._b
        aggregates[last] = self._combine(state, aggregates[self._a]) if accrued else state
        self._a = last

    def _front_from_left(self) -> Any:
        """The aggregate of [L, B), from the parts that are not empty."""
        parts = []
        if self._l < self._r:
            parts += [self._aggregates[self._l], self._aggregates[self._a - 1]]
        if self._a < self._b:
            parts.append(self._aggregates[self._a])
        state = parts[0]
        for part in parts[1:]:
            state = self._combine(state, part)
        return state

    def _total(self) -> Any:
        if self._f == self._b:
            return self._back()
        return self._and_back(self._aggregates[self._f])

    def _back(self) -> Any:
        return self._aggregates[self._e - 1] if self._b < self._e else self._identity

    def _and_back(self, front: Any) -> Any:
        return self._combine(front, self._back()) if self._b < self._e else front

    def _oldest(self) -> Any:
        return self._states[self._f]

    def _rest(self) -> Any:
        second = self._f + 1
        if second >= self._b:
            return self._back()
        ready = second < self._l
        return self._and_back(self._aggregates[second] if ready else self._front_from_left())

    def _dump(self) -> tuple[Any, ...]:
        positions = (self._f, self._l, self._r, self._a, self._b, self._e)
        return positions, self._states.dump(), self._aggregates.dump()

    def _load(self, *data: Any) -> None:
        positions, states, aggregates = data
        self._f, self._l, self._r, self._a, self._b, self._e = positions
        self._states, self._aggregates = Ring(states), Ring(aggregates)
