"""Wide trailing windows, a result for each row: blocks of rows, one to a unit.

A result is made of a suffix of the block left behind, the states of whole blocks, and a prefix of
the own block.  So a unit needs the rows of its own block and of those where its windows begin, and
of all between them one state each.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from windrow.algebra.aggregate import Aggregation, as_monoid
from windrow.algebra.monoid import Monoid
from windrow.parallel.counts import Load
from windrow.parallel.simulation.blocks import counting
from windrow.parallel.simulation.unit import Store, Unit
from windrow.parallel.workload import require_whole
from windrow.structures import TwoStacks

__all__ = ["SimulatedTrailing", "simulate_trailing"]


@dataclass(frozen=True)
class SimulatedTrailing:
    """A result for each row, and what each unit did; copies are rows and states of blocks."""

    results: Sequence[Any]
    units: tuple[Load, ...]
    rows: tuple[int, ...]
    """How many rows each unit was sent."""


def simulate_trailing(
    values: Sequence[Any], firsts: Sequence[int], units: int, *, aggregate: Aggregation
) -> SimulatedTrailing:
    """Windows from the place `firsts[i]` to i itself, for every place i; firsts must not fall.

    >>> from windrow import agg
    >>> firsts = [max(place - 3, 0) for place in range(8)]
    >>> found = simulate_trailing("abcdefgh", firsts, 4, aggregate=agg.last())
    >>> found.rows
    (2, 2, 3, 3)
    """
    require_whole(units, "units")
    monoid = as_monoid(aggregate, "aggregate")
    states = [monoid.lift_row(value) for value in values]
    borders = [len(states) * unit // units for unit in range(units + 1)]
    done = [Unit(Store(monoid), Store(monoid)) for _ in range(units)]
    blocks = [
        _Block(me, states[begin:end], counting(monoid, unit))
        for me, (unit, begin, end) in enumerate(zip(done, borders, borders[1:], strict=False))
    ]
    results, sent = list[Any](), list[int]()
    for unit, block, begin, end in zip(done, blocks, borders, borders[1:], strict=False):
        own = firsts[begin:end]
        behind = _left_behind(borders, [first for first in own if first < begin])
        rows = end - begin + sum(borders[at + 1] - first for at, first in behind.items())
        sent.append(rows)
        unit.done["copies"] += rows + (
            block.me - bisect_left(borders, own[0]) if own and own[0] < begin else 0
        )
        unit.done["lifts"] += rows
        unit.done["results"] += end - begin
        results += map(monoid.lower, block.rolled(own, begin, borders, blocks, behind))
    return SimulatedTrailing(results, tuple(unit.load for unit in done), tuple(sent))


def _left_behind(borders: Sequence[int], firsts: Sequence[int]) -> dict[int, int]:
    """The blocks in which windows begin, and where the first does; a whole block needs no rows."""
    behind: dict[int, int] = {}
    for first in firsts:
        at = bisect_right(borders, first) - 1
        if first > borders[at]:
            behind.setdefault(at, first)
    return behind


class _Block:
    """The rows of one unit; what is combined here is counted there."""

    def __init__(self, me: int, states: Sequence[Any], monoid: Monoid[Any, Any]) -> None:
        self.me = me
        self.states = states
        self.monoid = monoid
        self.prefixes = list(accumulate(states, monoid.combine))

    @property
    def whole(self) -> Any:
        return self.prefixes[-1] if self.prefixes else self.monoid.identity

    def rolled(
        self,
        firsts: Sequence[int],
        begin: int,
        borders: Sequence[int],
        blocks: Sequence["_Block"],
        behind: dict[int, int],
    ) -> Iterator[Any]:
        """The state of each own row's window."""
        combine = self.monoid.combine

        def prepended(newer: Any, older: Any) -> Any:
            return combine(older, newer)

        nearest = bisect_right(borders, firsts[0]) - 1 if firsts else self.me
        # invariant: between[k] combines the whole blocks from the k-th before this one on
        wholes = [block.whole for block in blocks[nearest : self.me]]
        between = [None, *accumulate(reversed(wholes), prepended)]
        suffixes = {
            at: list(accumulate(reversed(blocks[at].states[first - borders[at] :]), prepended))
            for at, first in behind.items()
        }
        stacks, oldest = TwoStacks(self.monoid), begin
        for place, (first, prefix) in enumerate(zip(firsts, self.prefixes, strict=True), begin):
            if first >= begin:  # not so wide here: the window lies in its own block
                for at in range(oldest + len(stacks), place + 1):
                    stacks.insert(self.states[at - begin])
                stacks.evict(first - oldest)
                oldest = first
                yield stacks.query()
                continue
            at = bisect_right(borders, first) - 1
            after = at + (first > borders[at])
            middle = between[self.me - after]
            state = prefix if middle is None else combine(middle, prefix)
            if after > at:
                state = combine(suffixes[at][borders[after] - first - 1], state)
            yield state
