"""The register in which each module of the catalogue enters its aggregates; `lookup` reads it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, ParamSpec, TypeVar

from windrow.algebra.aggregate import Aggregate

__all__ = ["Entry", "Takes", "entries", "register"]


class Takes(Enum):
    """The values an aggregate is meant for; decides what its laws are tested with."""

    ANYTHING = "anything"
    NUMBERS = "numbers"
    QUANTITIES = "numbers and durations"  # results are of the same unit
    POSITIONS = "numbers, times and durations"  # what has a distance from its like
    BOOLEANS = "booleans"
    TEXT = "text"
    NUMBER_PAIRS = "pairs of numbers"


@dataclass(frozen=True)
class Entry:
    """One aggregate of the catalogue, and parameters that make an example of it."""

    name: str
    factory: Callable[..., Aggregate[Any]]
    takes: Takes
    parameters: tuple[object, ...]
    bulky: bool  # a state is more than a few values

    @property
    def example(self) -> Aggregate[Any]:
        """The aggregate with its parameters filled in."""
        return self.factory(*self.parameters)


entries: dict[str, Entry] = {}

P = ParamSpec("P")
A = TypeVar("A", bound=Aggregate[Any])


def register(
    takes: Takes, *parameters: object, bulky: bool = False
) -> Callable[[Callable[P, A]], Callable[P, A]]:
    """Enter a factory into the catalogue; `parameters` make its example.

    Its states are `bulky` if they are more than a few values: they grow with the rows, or are
    kilobytes from the first on.
    """

    def enter(factory: Callable[P, A]) -> Callable[P, A]:
        entries[factory.__name__] = Entry(factory.__name__, factory, takes, parameters, bulky)
        return factory

    return enter
