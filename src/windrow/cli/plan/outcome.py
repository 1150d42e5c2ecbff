"""What came out of `windrow plan`."""

from dataclasses import dataclass, replace
from functools import cached_property

from windrow.errors import InputError
from windrow.planning.topology import Adaptation, Emission, Plan
from windrow.planning.topology.planner import replanned
from windrow.planning.topology.trace import Measured

__all__ = ["LOSS", "Outcome"]

LOSS = 0.001  # the chance of a loss in an hour that is advised, where none is asked for


@dataclass(frozen=True)
class Outcome:
    """A plan, what a trace told about it, and what it follows."""

    plan: Plan
    trace: Measured | None = None
    change: Adaptation | None = None

    @property
    def used_up(self) -> bool:
        """Whether the plan leaves nothing to chance."""
        return self.plan.margin is None and self.plan.loss is None

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
