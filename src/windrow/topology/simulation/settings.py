"""How sources send, and what happens to what a node refuses."""

from dataclasses import dataclass
from enum import Enum

from windrow.errors import InputError
from windrow.topology.checks import require_not_negative, require_positive, require_share

__all__ = ["BackOff", "Bursts", "Refusal", "Sending"]


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
