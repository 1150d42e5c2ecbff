"""What is simulated: a plan, and what happens to it."""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from windrow.arguments import member, shown
from windrow.errors import InputError
from windrow.topology.arrivals import GRACE
from windrow.topology.checks import (
    require_kind,
    require_not_negative,
    require_positive,
    require_share,
)
from windrow.topology.model import Emission, Limit, Routing
from windrow.topology.plan import Plan
from windrow.topology.trace import Trace

__all__ = ["BackOff", "Bursts", "Refusal", "Scenario", "Sending"]

_MOST_ITEMS = 1e12


class Sending(Enum):
    """When devices send.

    >>> Sending("tick") is Sending.TICK
    True
    """

    POISSON = "poisson"
    """At random, independently of each other and of when they sent before."""
    PERIODIC = "periodic"
    """Every 1 / rate seconds, each device starting at a moment of its own."""
    TICK = "tick"
    """Every 1 / rate seconds, all at once."""
    BURSTY = "bursty"
    """As `POISSON`, but all devices of a class send more often during bursts."""
    TRACE = "trace"
    """When the devices of a trace sent."""


class Refusal(Enum):
    """What becomes of a tuple if its node is full.

    >>> Refusal("retry") is Refusal.RETRY
    True
    """

    DROP = "drop"
    """It is lost, and so is every item it stands for."""
    RETRY = "retry"
    """The sender keeps it and sends it again, as often as it takes."""


@dataclass(frozen=True)
class BackOff:
    """How long a refused tuple waits before it is sent again: a lognormal random time.

    >>> BackOff(median_s=0.5)
    BackOff(median_s=0.5, sigma=1.0)
    """

    median_s: float = 1.0
    sigma: float = 1.0  # of the logarithm; 0: always the median

    def __post_init__(self) -> None:
        require_positive(self.median_s, "median_s", 1)
        require_not_negative(self.sigma, "sigma", 1)


@dataclass(frozen=True)
class Bursts:
    """For a `share` of the time, all devices of a class send at `factor` times their mean rate.

    Bursts last `duration_s` on average; between them the rate is lower, so that the mean is kept.

    >>> Bursts(factor=3, duration_s=30, share=0.05).quiet_s
    570.0
    """

    factor: float = 4.0
    duration_s: float = 10.0
    share: float = 0.1

    def __post_init__(self) -> None:
        require_positive(self.factor, "factor", 4)
        require_positive(self.duration_s, "duration_s", 10)
        require_share(self.share, "share", 0.1)
        if self.share == 0 or self.factor < 1 or self.share * self.factor > 1:
            raise InputError(
                f"bursts of {self.factor:g} times the mean rate for a share={self.share:g} of the "
                "time leave no rate for the rest; give a factor from 1 up to 1 / share"
            )

    @property
    def quiet_factor(self) -> float:
        """The rate between bursts, as a share of the mean."""
        return (1 - self.share * self.factor) / (1 - self.share)

    @property
    def quiet_s(self) -> float:
        """The mean time between bursts."""
        return self.duration_s * (1 - self.share) / self.share


@dataclass(frozen=True)
class Scenario:
    """All that a simulation depends on, checked."""

    plan: Plan
    sending: Sending
    duration_s: float
    seed: int
    on_refusal: Refusal
    back_off: BackOff
    routing: Routing
    skew_s: float
    bursts: Bursts
    jitter_s: float
    trace: Trace | None

    def __post_init__(self) -> None:
        for name, kind in (
            ("sending", Sending),
            ("on_refusal", Refusal),
            ("routing", Routing),
        ):
            object.__setattr__(self, name, member(kind, getattr(self, name), name))
        require_kind(BackOff, self.back_off, "back_off")
        require_kind(Bursts, self.bursts, "bursts")
        require_positive(self.duration_s, "duration_s", 3600)
        require_not_negative(self.skew_s, "skew_s", 0.5)
        require_not_negative(self.jitter_s, "jitter_s", 0.1)
        if not isinstance(self.seed, int) or isinstance(self.seed, bool) or self.seed < 0:
            raise InputError(
                f"seed={shown(self.seed)} is not a whole number of 0 or more; give one"
            )
        if (self.trace is not None) != (self.sending is Sending.TRACE):
            raise InputError(
                f"sending={self.sending} with trace={'one' if self.trace else None}: a trace is "
                "replayed by sending=Sending.TRACE, and by nothing else; give both or neither"
            )
        if self.trace is not None:
            require_kind(Trace, self.trace, "trace")
            self._require_good_trace(self.trace)
        else:
            self._require_few_items()
        if self.on_refusal is Refusal.RETRY:
            self._require_small_tuples()

    @property
    def devices(self) -> int:
        """Those of all classes, and those that a trace has more."""
        planned = sum(one.count for one in self.plan.sources)
        return planned if self.trace is None else max(planned, int(self.trace.devices.max()) + 1)

    @property
    def closes(self) -> bool:
        """Whether nodes hand on when a period closes."""
        return self.plan.reduction.emission is Emission.AT_CLOSE

    @property
    def grace_s(self) -> float:
        """How long after its end a period closes in the first layer."""
        return GRACE * self.skew_s

    def _require_few_items(self) -> None:
        items = self.plan.rate * self.duration_s
        if max(items, self.devices) > _MOST_ITEMS:
            raise InputError(
                f"duration_s={self.duration_s:g} of {self.devices:g} sources are {items:.2g} "
                "items: one by one they would take days; simulate a shorter time, or fewer sources "
                "into fewer nodes"
            )

    def _require_good_trace(self, trace: Trace) -> None:
        if trace.times_s[0] < 0 or not (np.diff(trace.times_s) >= 0).all():
            raise InputError(
                "times_s of the trace are not all of 0 or more and in order; sort the trace, and "
                "count seconds from its first item"
            )
        if trace.devices.min() < 0:
            raise InputError("devices of the trace are below 0; number them from 0")
        planned, alike = sum(one.count for one in self.plan.sources), trace.sizes is not None
        alike = alike or len({one.item_bytes for one in self.plan.sources}) == 1
        if not alike and self.devices > planned:
            raise InputError(
                f"the trace has {self.devices:,} devices and the plan {planned:,}, in classes of "
                "items of different size; plan for as many, or give the trace sizes"
            )

    def _require_small_tuples(self) -> None:
        """Refuse tuples that a node can never accept: they would be sent again forever."""
        largest = max(one.item_bytes for one in self.plan.sources)
        if self.trace is not None and self.trace.sizes is not None:
            largest = float(self.trace.sizes.max())
        for number, layer in enumerate(self.plan.layers, 1):
            if not _fits(largest, layer.node.limit):
                limit = " and ".join(
                    f"{most:g} {of}" for of, most in layer.node.limit.given.items()
                )
                raise InputError(
                    f"a node of layer {number} never takes a tuple of {largest:g} bytes, as it "
                    f"takes {limit} in a second: on_refusal=Refusal.RETRY "
                    "would send it again forever; raise the limit, or use Refusal.DROP"
                )
            largest = self.plan.state_bytes


def _fits(size: float, limit: Limit) -> bool:
    return (limit.items is None or limit.items >= 1) and (
        limit.bytes is None or limit.bytes >= size
    )
