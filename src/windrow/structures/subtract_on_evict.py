"""Subtract-on-Evict: in-order, O(1), n states and a total; only for operators that can subtract.

Exact on integers.  On floats every subtraction may leave a rounding error behind, and errors add up
for as long as the window holds anything: the total of a float window drifts, and only a window that
becomes empty is exact again.  `TwoStacks` costs little more and does not drift.
"""

from collections import deque
from collections.abc import Mapping
from functools import reduce
from itertools import islice
from typing import Any, cast

from windrow.algebra.aggregate import Aggregate, Product, as_aggregation
from windrow.algebra.monoid import Group
from windrow.errors import NotInvertibleError
from windrow.structures.contents import require_policy
from windrow.structures.sliding import OneByOne
from windrow.windows.policy import Policy

__all__ = ["SubtractOnEvict"]


class SubtractOnEvict(OneByOne):
    """Windows over aggregates that can subtract: counts, sums and what is made of them.

    Combines per insert: 1; per query: none; subtractions per evicted update: 1.  A total from
    which nothing can be subtracted, such as an infinite sum, is recomputed with n combines.

    >>> from windrow import agg
    >>> window = SubtractOnEvict(agg.sum())
    >>> for value in (1, 20, 300):
    ...     window.insert(value)
    >>> window.evict()
    >>> window.query()
    320
    """

    def __init__(
        self,
        monoid: Group[Any, Any]
        | Aggregate[Group[Any, Any]]
        | Mapping[str, Aggregate[Group[Any, Any]]]
        | Product,
        policy: Policy | None = None,
    ) -> None:
        require_policy(policy)
        _require_groups(as_aggregation(monoid, "monoid"), "")
        if policy is not None:
            _require_groups(Product(policy.using), "the policy's ")
        super().__init__(monoid, policy)
        self._subtract = cast("Group[Any, Any]", self._contents.monoid).subtract

    def _clear(self) -> None:
        self._states: deque[Any] = deque()
        self._sum = self._identity

    def __len__(self) -> int:
        return len(self._states)

    def _insert(self, state: Any) -> None:
        self._sum = self._combine(self._sum, state) if self._states else state
        self._states.append(state)

    def _evict(self, count: int) -> None:
        if count == len(self):
            self._clear()  # an empty window is the identity itself: no rounding error survives it
            return
        left = self._sum
        for _ in range(count):
            oldest = self._states.popleft()
            if left is not NotImplemented:
                left = self._subtract(left, oldest)
        self._sum = self._folded(0) if left is NotImplemented else left

    def _folded(self, start: int) -> Any:
        """The state of the updates from `start` on, counted from the oldest; there is one."""
        states = islice(self._states, start, None)
        return reduce(self._combine, states, next(states))

    def _total(self) -> Any:
        return self._sum

    def _oldest(self) -> Any:
        return self._states[0]

    def _rest(self) -> Any:
        if len(self) == 1:
            return self._identity
        rest = self._subtract(self._sum, self._oldest())
        return self._folded(1) if rest is NotImplemented else rest

    def _dump(self) -> tuple[Any, ...]:
        return tuple(self._states), self._sum

    def _load(self, *data: Any) -> None:
        states, self._sum = data
        self._states = deque(states)


def _require_groups(part: Aggregate[Any] | Product, whose: str) -> None:
    if isinstance(part, Product):
        for name, inner in part.parts:
            _require_groups(inner, f"{whose}{name}=")
    elif not isinstance(part.monoid, Group):
        raise NotInvertibleError(
            f"monoid: SubtractOnEvict needs an aggregate that can subtract, and {whose}{part!r} "
            "cannot; "
            "use TwoStacks, or Amta for bulk evictions and slide policies"
        )
