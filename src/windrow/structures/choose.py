"""Which structure fits: what is known of the aggregate and of the stream, turned into a choice."""

from dataclasses import dataclass
from enum import Enum

from windrow.algebra.aggregate import Aggregation
from windrow.arguments import member, shown
from windrow.errors import InputError
from windrow.structures.amta import Amta
from windrow.structures.base import Aggregator
from windrow.structures.contents import Contents, require_policy
from windrow.structures.daba import Daba
from windrow.structures.log_mta import LogMta
from windrow.structures.subtract_on_evict import SubtractOnEvict
from windrow.structures.two_stacks import TwoStacks
from windrow.windows.policy import Policy

__all__ = ["Choice", "Drift", "Eviction", "Latency", "Needs", "choose"]


class Eviction(Enum):
    """How many updates are evicted at a time.

    >>> Eviction("bulk") is Eviction.BULK
    True
    """

    ONE_BY_ONE = "one by one"
    """One for each insertion, or few."""
    BULK = "bulk"
    """Many at once, such as from a window by time after a silence."""


class Latency(Enum):
    """What a single operation may cost.

    >>> Latency("worst case") is Latency.WORST_CASE
    True
    """

    AMORTISED = "amortised"
    """Only the average counts; an occasional pause does no harm."""
    WORST_CASE = "worst case"
    """No single operation may be slow."""


class Drift(Enum):
    """Whether rounding errors of evicted floats may stay in the result.

    >>> Drift("accept") is Drift.ACCEPT
    True
    """

    REFUSE = "refuse"
    """They may not: floats are never subtracted."""
    ACCEPT = "accept"
    """They may, or the values are integers, which do not drift."""


@dataclass(frozen=True, kw_only=True)
class Needs:
    """What a window is used for, as `choose` has to know it.

    >>> Needs(eviction="bulk").eviction
    <Eviction.BULK: 'bulk'>
    """

    eviction: Eviction = Eviction.ONE_BY_ONE
    latency: Latency = Latency.AMORTISED
    drift: Drift = Drift.REFUSE
    policy: Policy | None = None

    def __post_init__(self) -> None:
        for name, kind in (("eviction", Eviction), ("latency", Latency), ("drift", Drift)):
            object.__setattr__(self, name, member(kind, getattr(self, name), name))
        require_policy(self.policy)


@dataclass(frozen=True)
class Choice:
    """A structure to build, `choice.aggregator(monoid, policy)`, and the reason for it.

    >>> from windrow import agg
    >>> window = choose(agg.max()).aggregator(agg.max())
    >>> window.insert(3)
    >>> window.query()
    3
    """

    aggregator: type[Aggregator]
    why: str


def choose(monoid: Aggregation, needs: Needs | None = None) -> Choice:
    """Choose the structure that meets these needs with the fewest combines.

    >>> from windrow import agg
    >>> choose(agg.max())
    Choice(aggregator=<class '...TwoStacks'>, why='any aggregate, at 3 combines per update')
    >>> choose(agg.max(), Needs(latency=Latency.WORST_CASE)).aggregator.__name__
    'Daba'
    >>> choose(agg.max(), Needs(eviction=Eviction.BULK)).aggregator.__name__
    'Amta'
    """
    needs = Needs() if needs is None else needs
    if not isinstance(needs, Needs):
        raise InputError(
            f"needs={shown(needs)} is no Needs; use Needs(eviction=Eviction.BULK), say"
        )
    invertible = Contents(monoid, needs.policy).monoid.invertible
    in_bulk = needs.eviction is Eviction.BULK or needs.policy is not None
    at_worst = needs.latency is Latency.WORST_CASE
    if in_bulk and at_worst:
        return Choice(LogMta, "many updates leave at once, and no step may cost more than O(log n)")
    if in_bulk:
        return Choice(Amta, "many updates may leave at once, at 4 combines per update on average")
    if at_worst:
        return Choice(Daba, "no step may be slow, and 8 combines per update are the most it takes")
    if invertible and needs.drift is Drift.ACCEPT:
        return Choice(SubtractOnEvict, "the aggregate can subtract, and drift is accepted")
    return Choice(TwoStacks, "any aggregate, at 3 combines per update")
