"""What came out of `windrow plan`."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import exp, floor

from windrow.errors import InputError
from windrow.topology import Adaptation, Emission, Plan
from windrow.topology.arrivals import POISSON
from windrow.topology.margin import log_poisson_tail
from windrow.topology.planner import replanned
from windrow.topology.trace import Measured

__all__ = ["LOSS", "Outcome"]

LOSS = 0.001  # the chance of a loss in an hour that is advised, where none is asked for


@dataclass(frozen=True)
class Outcome:
    """A plan, what was measured from a trace, and the plan it follows."""

    plan: Plan
    trace: Measured | None = None
    change: Adaptation | None = None

    @property
    def used_up(self) -> bool:
        """Whether the plan has a margin for random arrivals."""
        return self.plan.margin is None and self.plan.loss is None

    @property
    def refused(self) -> float | None:
        """Of all items, those that the first layer refuses by chance; None if that is not known.

        Of X items in a second a node refuses those beyond its limit n. Where X is Poisson, these
        are E[X]·P(X ≥ n) − n·P(X > n) on average.
        """
        first, limit = self.plan.layers[0], self.plan.layers[0].node.limit.items
        if limit is None or limit < 1 or first.load >= 1 or self.plan.arrivals != POISSON:
            return None
        whole, mean = floor(limit), first.load * limit
        if mean >= whole:
            return None
        at_least, more = (exp(log_poisson_tail(mean, least)) for least in (whole, whole + 1))
        return max(at_least - whole / mean * more, 0.0)

    @cached_property
    def safer(self) -> Plan | None:
        """Where nothing is left to chance, the plan that does; None if there is none either."""
        if not self.used_up:
            return None
        try:
            clocked = replace(self.plan.reduction, emission=Emission.AT_CLOSE)
            return replanned(replace(self.plan, loss=LOSS, reduction=clocked), self.plan.sources)
        except InputError:
            return None
