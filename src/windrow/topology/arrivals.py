"""How unevenly sources send.

>>> POISSON.burst  # the busiest seconds have no more than chance brings
1.0
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, NamedTuple

from windrow.arguments import shown
from windrow.errors import InputError
from windrow.topology.checks import (
    require_kind,
    require_not_negative,
    require_positive,
    require_text,
)
from windrow.topology.model import Sources, total_items

__all__ = ["GRACE", "POISSON", "Arrivals", "common_tick"]

GRACE = 3  # standard deviations of the skew that nodes with a clock wait for late items

_OF_CLASSES = ("bursts", "byte_bursts", "source_bursts", "source_byte_bursts")


class Busy(NamedTuple):
    """A busy second of a class over an average one: of all its sources, and of the busiest one."""

    items: float
    bytes: float
    items_of_one: float
    bytes_of_one: float


@dataclass(frozen=True)
class Arrivals:
    """How items arrive: independently, but `burst` times as many in the busiest seconds.

    `skew_s` is the standard deviation of the sources' clocks.  `bursts` gives a burst for each
    class of sources, if they differ; `byte_bursts` gives those of bytes, if large items come
    together.  `source_bursts` and `source_byte_bursts` are those of the busiest single source of
    each class: they matter if a source keeps to one node.

    >>> Arrivals(burst=3, skew_s=2).grace_s
    6
    """

    burst: float = 1.0
    skew_s: float = 0.0
    name: str = "Poisson"
    bursts: tuple[float, ...] = ()
    byte_bursts: tuple[float, ...] = ()
    source_bursts: tuple[float, ...] = ()
    source_byte_bursts: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        _require_burst(self.burst, "burst")
        require_not_negative(self.skew_s, "skew_s", 0.5)
        require_text(self.name, "name", "Poisson")
        for name in _OF_CLASSES:
            several = getattr(self, name)
            if isinstance(several, str) or not isinstance(several, Sequence):
                raise InputError(
                    f"{name}={shown(several)} is no tuple; give a number for each class"
                )
            for one in several:
                _require_burst(one, name)
            object.__setattr__(self, name, tuple(several))

    @property
    def grace_s(self) -> float:
        """How long nodes with a clock wait for late items after the end of a period."""
        return GRACE * self.skew_s

    def of_classes(self, sources: Sequence[Sources]) -> tuple[Busy, ...]:
        """What each class does in a busy second, all together at least what `burst` says."""
        for several in (getattr(self, name) for name in _OF_CLASSES):
            if several and len(several) != len(sources):
                raise InputError(
                    f"{self.name} arrivals have the bursts of {len(several)} classes of sources, "
                    f"but there are {len(sources)}; measure the new ones with a trace, "
                    f"or use Arrivals(burst={max(several):.3g}) for all"
                )
        bursts = self.bursts or (self.burst,) * len(sources)
        busy = sum(one.items * burst for one, burst in zip(sources, bursts, strict=True))
        # A storm of all may be too small to show in any single class.
        common = max(self.burst * total_items(sources) / busy, 1.0)
        of_bytes = self.byte_bursts or bursts
        of_one = self.source_bursts or bursts
        bytes_of_one = self.source_byte_bursts or of_bytes
        classes = zip(bursts, of_bytes, of_one, bytes_of_one, strict=True)
        return tuple(
            Busy(items := common * a, heavy := common * b, max(items, c), max(heavy, d))
            for a, b, c, d in classes
        )

    def ticks(self, sources: Sequence[Sources]) -> bool:
        """Whether all of these send at common ticks."""
        return self == common_tick(sources, self.skew_s)

    def for_others(self, before: Sequence[Sources], sources: Sequence[Sources]) -> "Arrivals":
        """How other sources send if they do as those before: at common ticks, again at those.

        Which of several classes new ones are like is not known: they bunch as the worst did.
        """
        if self.ticks(before):
            return common_tick(sources, self.skew_s)
        worst: dict[str, Any] = {
            name: (max(several),) * len(sources)
            for name in _OF_CLASSES
            if (several := getattr(self, name)) and len(several) != len(sources)
        }
        return replace(self, **worst)


def _require_burst(burst: object, argument: str) -> None:
    number = require_positive(burst, argument, 1.5)
    if number < 1:
        raise InputError(
            f"{argument}={number:g} says that the busiest second has fewer items than an average "
            "one; give 1 or more"
        )


POISSON = Arrivals()


def common_tick(sources: Sequence[Sources], skew_s: float = 0.0) -> Arrivals:
    """All sources send at the same moments: in one second, and then nothing until the next tick.

    >>> common_tick([Sources(500, 0.5)]).burst  # every two seconds, all at once
    2.0
    """
    if isinstance(sources, str) or not isinstance(sources, Sequence) or not sources:
        raise InputError(
            f"sources={shown(sources)} is no list of sources; give some, e.g. [Sources(500, 0.5)]"
        )
    for one in sources:
        require_kind(Sources, one, "sources")
    busiest = sum(one.count * ceil(one.rate) for one in sources)
    bursts = tuple(ceil(one.rate) / one.rate for one in sources)
    return Arrivals(busiest / total_items(sources), skew_s, "common tick", bursts)
