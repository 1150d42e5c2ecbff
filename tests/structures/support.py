"""What the aggregators' tests share: the structures, a free monoid, a model, and counting."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any

from windrow import agg
from windrow.algebra.aggregate import Aggregation, as_monoid
from windrow.algebra.monoid import Group, Monoid
from windrow.structures import (
    Aggregator,
    Amta,
    Daba,
    FlatFat,
    LogMta,
    Recompute,
    SubtractOnEvict,
    TwoStacks,
)
from windrow.windows.options import Check
from windrow.windows.policy import Policy, named_aggregates

# Structures are built through this, so that those for groups fit in as well.
Structure = Callable[..., Aggregator]

FOR_ANY_MONOID: list[type[Aggregator]] = [Recompute, TwoStacks, Daba, FlatFat, LogMta, Amta]
ALL: list[type[Aggregator]] = [*FOR_ANY_MONOID, SubtractOnEvict]
SEARCHING: list[type[Aggregator]] = [FlatFat, LogMta, Amta]

# The free monoid: its results tell all updates and their order.  A prefix can be taken off again,
# so it is a group in our sense, and fits every structure.
FREE: Group[str, str] = Group(
    name="free",
    lift=str,
    combine=lambda older, newer: older + newer,
    lower=lambda text: text,
    identity="",
    subtract=lambda total, older: total.removeprefix(older),
)


@dataclass
class Counter:
    """How often something was called."""

    calls: int = 0

    def since(self, action: Callable[[], object]) -> int:
        """The calls that an action makes."""
        before = self.calls
        action()
        return self.calls - before


def counted(spec: Aggregation) -> tuple[Monoid[Any, Any], Counter]:
    """The same monoid, and a counter of its combines."""
    monoid, counter = as_monoid(spec), Counter()

    def combine(older: Any, newer: Any) -> Any:
        counter.calls += 1
        return monoid.combine(older, newer)

    return replace(monoid, combine=combine), counter


@dataclass
class Slide:
    """A policy in two forms: as windrow takes it, and as plain functions of lists of values."""

    name: str
    using: dict[str, Any]
    keep: Callable[[Any], bool] | None = None
    drop: Callable[[Any, Any, Any], bool] | None = None
    keeps: Callable[[Sequence[Any]], bool] = lambda window: True
    drops: Callable[[Sequence[Any], Sequence[Any]], bool] = lambda evicted, after: False
    calls: Counter = field(default_factory=Counter)

    def policy(self, check: Check = Check.TRUST) -> Policy:
        return Policy(
            keep=None if self.keep is None else self._counted(self.keep),
            drop=None if self.drop is None else self._counted(self.drop),
            using=named_aggregates(self.using),
            check=check,
        )

    def _counted(self, predicate: Callable[..., bool]) -> Callable[..., bool]:
        @wraps(predicate)  # the number of parameters must show
        def judged(*views: Any) -> bool:
            self.calls.calls += 1
            return predicate(*views)

        return judged

    def leaving(self, values: Sequence[Any]) -> int:
        """How many of the oldest values go, by the definition of a policy."""
        size = len(values)
        kept = [p for p in range(size) if self.keeps(values[p:])]
        condemned = [p for p in range(1, size) if self.drops(values[:p], values[p:])]
        return max(kept[0] if kept else size, condemned[-1] if condemned else 0)


def last(limit: int) -> Slide:
    return Slide(
        name=f"last {limit}",
        using={"n": agg.count()},
        keep=lambda window: window.n <= limit,
        keeps=lambda values: len(values) <= limit,
    )


def total_up_to(limit: int) -> Slide:
    """For values that are not negative."""
    return Slide(
        name=f"total up to {limit}",
        using={"total": agg.sum()},
        keep=lambda window: window.total <= limit,
        keeps=lambda values: sum(values) <= limit,
    )


def span_up_to(limit: int) -> Slide:
    """For values that never fall."""
    return Slide(
        name=f"span up to {limit}",
        using={"first": agg.first(), "last": agg.last()},
        drop=lambda evicted, after, before: before.last - evicted.last > limit,
        drops=lambda evicted, after: after[-1] - evicted[-1] > limit,
    )


def from_maximum() -> Slide:
    return Slide(
        name="from the maximum on",
        using={"peak": agg.max()},
        drop=lambda evicted, after, before: evicted.peak <= after.peak,
        drops=lambda evicted, after: max(evicted) <= max(after),
    )


def last_from_maximum(limit: int) -> Slide:
    return Slide(
        name=f"last {limit} from their maximum on",
        using={"n": agg.count(), "peak": agg.max()},
        keep=lambda window: window.n <= limit,
        drop=lambda evicted, after, before: evicted.peak <= after.peak,
        keeps=lambda values: len(values) <= limit,
        drops=lambda evicted, after: max(evicted) <= max(after),
    )


def contents(window: Aggregator) -> str:
    """All updates of a window over the free monoid, in order."""
    return str(window.query())
