"""What one window keeps: the aggregate asked for and what its policy looks at, as one monoid."""

from collections import namedtuple
from typing import Any

from windrow.algebra.aggregate import Aggregation, Product, as_aggregation, marks_of
from windrow.algebra.monoid import Monoid
from windrow.algebra.product import side_by_side
from windrow.arguments import shown
from windrow.errors import WindowError
from windrow.windows.policy import Policy

__all__ = ["Contents", "Judge", "require_policy"]


class Contents:
    """The monoid of a window's states, and how to read a result or a policy's view off a state."""

    def __init__(self, aggregation: Aggregation, policy: Policy | None) -> None:
        require_policy(policy)
        asked = as_aggregation(aggregation, "monoid")
        self.asked: Monoid[Any, Any] = asked.bound()
        self.policy = policy
        #: What the states are made of; windows with the same description can exchange snapshots.
        parts = asked.parts if isinstance(asked, Product) else (("", asked),)
        self.described = f"{asked!r}{marks_of(part for _, part in parts)}"
        if policy is None:
            self.monoid = self.asked
            return
        marks = marks_of(part for _, part in policy.using)
        self.described += f" with a policy using {dict(policy.using)!r}{marks}"
        # The asked aggregate is the first part of the product; a policy reads the others by name.
        watched = ((name, aggregate.bound()) for name, aggregate in policy.using)
        self.monoid = side_by_side((("", self.asked), *watched))
        self.judge = Judge(policy)

    def result(self, state: Any) -> Any:
        """What a query answers for this state."""
        return self.asked.lower(state if self.policy is None else state[0])


def require_policy(policy: object) -> None:
    """Refuse what is neither a slide policy nor None."""
    if policy is not None and not isinstance(policy, Policy):
        raise WindowError(
            f"policy={shown(policy)} is no slide policy; give window.policy(...), or evict by hand"
        )


class Judge:
    """A slide policy applied to states."""

    def __init__(self, policy: Policy) -> None:
        self._keep = policy.keep
        self._drop = policy.drop
        self._watched = tuple(aggregate.bound() for _, aggregate in policy.using)
        self._view: Any = namedtuple("View", [name for name, _ in policy.using])  # type: ignore[misc]

    @property
    def drops(self) -> bool:
        """Whether evicted prefixes matter at all; if not, nobody needs to aggregate them."""
        return self._drop is not None

    def view(self, state: Any) -> Any:
        """What the predicates see: an attribute for each watched aggregate, never None."""
        lowered = (m.lower(s) for m, s in zip(self._watched, state[1:], strict=True))
        return self._view._make(
            m.neutral if value is None else value
            for m, value in zip(self._watched, lowered, strict=True)
        )

    def keeps(self, window: Any) -> bool:
        """Whether this window needs no more eviction."""
        return self._keep is None or bool(self._keep(self.view(window)))

    def condemns(self, evicted: Any, after: Any, before: Any) -> bool:
        """Whether at least this prefix must go, leaving `after` of `before`."""
        if self._drop is None:
            return False
        return self.condemns_view(self.view(evicted), self.view(after), self.view(before))

    def condemns_view(self, evicted: Any, after: Any, before: Any) -> bool:
        """The same of what `view` gave."""
        return self._drop is not None and bool(self._drop(evicted, after, before))
