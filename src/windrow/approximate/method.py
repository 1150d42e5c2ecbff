"""What decides which updates share a bucket, and the cells in which a window has that.

The settings of methods, and what they learn, are numbers in a row.  Their code (`method_code`)
depends only on which kinds of methods there are, so that other settings need no other code.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple, TypeAlias

from windrow.approximate.footprint import Footprint
from windrow.approximate.hop import Hop
from windrow.approximate.layout import Layout
from windrow.approximate.max_like import MaxLike
from windrow.approximate.prediction import LEAST, NO_NUMBERS, student_table
from windrow.approximate.sum_like import SumLike

__all__ = ["Bounded", "Candidates", "Even", "Hops", "Kind", "Method", "MethodCells", "method_cells"]

#: The definition of a method; a value.
Method: TypeAlias = SumLike | MaxLike | Hop | Footprint

BLOCKS = LEAST  # of which a sample of extreme values is made
SAMPLE = len(NO_NUMBERS)

# The first cells: the limit on buckets, 0 for none, and whether it was reached.
LIMIT, REACHED = range(2)

# The cells of a dimension whose error is controlled.
BOUND, ALLOWED, LENGTH, BEFORE, NOW = 0, 1, 2, 3, 3 + SAMPLE

# Those of an extremum; then the maxima of blocks, and how long windows were during each.
SHARE, HIGHEST, THRESHOLD, BLOCK, TAKEN, MAXIMA, LENGTHS = range(7)
RINGS = 7

# Those of hops; then their table.
LAST = SAMPLE
HOPS = SAMPLE + 1


@dataclass(frozen=True)
class Own:
    """What a method has of one aggregate: where its cells begin, and its part of a bucket."""

    cell: int
    part: int | None  # None: it counts updates


@dataclass(frozen=True)
class Bounded:
    """Updates share a bucket while no dimension's error may become too large."""

    dimensions: tuple[Own, ...]
    table: int | None  # where Student's t begins, for bounds that are relative


@dataclass(frozen=True)
class Candidates:
    """Updates share a bucket that are no candidates for any extremum."""

    extrema: tuple[Own, ...]


@dataclass(frozen=True)
class Hops:
    """Updates share a bucket between the ends of evictions."""

    cell: int


@dataclass(frozen=True)
class Even:
    """Once the limit was reached, buckets grow to the size that all would have on average."""


Kind: TypeAlias = Bounded | Candidates | Hops | Even


class MethodCells(NamedTuple):
    """The methods of a window: their kinds, and their cells before anything was learned."""

    kinds: tuple[Kind, ...]
    numbers: list[float]
    learned: list[int]  # the cells to keep: all but tables of Student's t

    def require(self, kept: Sequence[object]) -> None:
        """Refuse what no window has kept of these methods: ValueError."""
        if [type(number) for number in kept] != [type(self.numbers[at]) for at in self.learned]:
            raise ValueError(f"{len(kept)} numbers are not what the methods have learned")


def method_cells(methods: Sequence[Method], layout: Layout) -> MethodCells:
    """The cells of these methods in a window of such buckets."""
    kinds: list[Kind] = []
    numbers: list[float] = [0, 0]
    tables: set[int] = set()

    def table(confidence: float) -> int:
        start = len(numbers)
        numbers.extend(student_table(confidence))
        tables.update(range(start, len(numbers)))
        return start

    for method in methods:
        match method:
            case SumLike():
                is_relative = method.relative is not None
                start = table(method.confidence) if is_relative else None
                dimensions = []
                for part, kind, bound in method.dimensions(layout):
                    dimensions.append(Own(len(numbers), None if kind == "count" else part))
                    allowed = 0.0 if is_relative else float(bound)
                    numbers += [float(bound), allowed, float(LEAST), *NO_NUMBERS, *NO_NUMBERS]
                kinds.append(Bounded(tuple(dimensions), start))
            case MaxLike():
                extrema = []
                for part in method.places(layout):
                    extrema.append(Own(len(numbers), part))
                    # Blocks of 0 updates are as long as windows suggest.
                    block = 0 if isinstance(method.block, str) else int(method.block)
                    numbers += [method.share, -inf, -inf, block, 0, 0, 0]
                    numbers += [*[0.0] * BLOCKS, 1, *[0] * (BLOCKS - 1)]
                kinds.append(Candidates(tuple(extrema)))
            case Hop():
                kinds.append(Hops(len(numbers)))
                numbers += [*NO_NUMBERS, -1]
                table(method.confidence)
            case Footprint():
                kinds.append(Even())
                numbers[LIMIT] = method.buckets
    learned = [at for at in range(len(numbers)) if at not in tables]
    return MethodCells(tuple(kinds), numbers, learned)
