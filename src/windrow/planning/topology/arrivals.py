"""How unevenly sources send."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from windrow.errors import InputError
from windrow.planning.topology.checks import require_not_negative, require_positive
from windrow.planning.topology.model import Sources, total_items

__all__ = ["POISSON", "Arrivals", "common_tick"]


@dataclass(frozen=True)
class Arrivals:
    """Items come independently of each other, `burst` times as many in the busiest seconds.

    `skew_s` is the standard deviation of when sources change the period, around its true end.
    `bursts` are those of each class of sources, where some bunch more than others.
    """

    burst: float = 1.0
    skew_s: float = 0.0
    name: str = "Poisson"
    bursts: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        require_positive(self.burst, "burst", 1.5)
        if self.burst < 1:
            raise InputError(
                f"burst={self.burst:g} says that the busiest second has fewer items than an "
                "average one; give 1 or more"
            )
        require_not_negative(self.skew_s, "skew_s", 0.5)
        for one in self.bursts:
            require_positive(one, "bursts", 3)

    def of_classes(self, classes: int) -> tuple[float, ...]:
        """The burst of each of so many classes."""
        return self.bursts if len(self.bursts) == classes else (self.burst,) * classes


POISSON = Arrivals()


def common_tick(sources: Sequence[Sources], skew_s: float = 0.0) -> Arrivals:
    """All sources send at the same moments: whoever is due sends in one second, and then rests.

    >>> common_tick([Sources(500, 0.5)]).burst  # every two seconds, all at once
    2.0
    """
    busiest = sum(one.count * ceil(one.rate) for one in sources)
    bursts = tuple(ceil(one.rate) / one.rate for one in sources)
    return Arrivals(busiest / total_items(sources), skew_s, "common tick", bursts)
