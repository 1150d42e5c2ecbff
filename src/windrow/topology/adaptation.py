"""From one plan to the next: which layers change, and the fewest nodes to start and to stop."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from windrow.arguments import shown
from windrow.errors import InputError
from windrow.topology.checks import require_count
from windrow.topology.model import Sources
from windrow.topology.plan import Plan
from windrow.topology.planner import classes_of, replanned

__all__ = ["Adaptation", "Move", "fewest_moves"]


@dataclass(frozen=True)
class Move:
    """How one layer changes: its number and its width, before and after; layers count from 1.

    A new layer has no number before, a removed one has none after; the width there is 0.

    >>> str(Move(before=1, after=1, nodes_before=13, nodes_after=24))
    'layer 1: start 11'
    """

    before: int | None
    after: int | None
    nodes_before: int
    nodes_after: int

    @property
    def started(self) -> int:
        """How many nodes to start."""
        return max(self.nodes_after - self.nodes_before, 0)

    @property
    def stopped(self) -> int:
        """How many nodes to stop."""
        return max(self.nodes_before - self.nodes_after, 0)

    def __str__(self) -> str:
        if self.before is None:
            return f"layer {self.after} is new: start {self.started}"
        if self.after is None:
            return f"layer {self.before} goes: stop {self.stopped}"
        renamed = "" if self.before == self.after else f", layer {self.after} from now on"
        what = f"start {self.started}" if self.started else f"stop {self.stopped}"
        if not self.started and not self.stopped:
            what = f"all {self.nodes_after} stay"
        return f"layer {self.before}: {what}{renamed}"


@dataclass(frozen=True)
class Adaptation:
    """A new plan, and the changes that lead to it.

    >>> from windrow import topology
    >>> adaptation = topology.plan(500, rate=0.5, nodes=20).adapt(950)
    >>> adaptation.plan.widths, adaptation.started
    ((24, 12, 6, 3, 2, 1), 21)
    """

    before: Plan
    plan: Plan
    moves: tuple[Move, ...]  # of every layer, the untouched ones too

    @property
    def changed(self) -> tuple[Move, ...]:
        """The layers that change."""
        return tuple(
            move for move in self.moves if move.started or move.stopped or move.before != move.after
        )

    @property
    def started(self) -> int:
        """How many nodes to start, in all layers."""
        return sum(move.started for move in self.moves)

    @property
    def stopped(self) -> int:
        """How many nodes to stop, in all layers."""
        return sum(move.stopped for move in self.moves)


def adapted(plan: Plan, new_sources: int | Sources | Sequence[Sources]) -> Adaptation:
    """The plan for other sources, with all else as before."""
    classes = classes_of(new_sources, "new_sources")
    new = replanned(plan, _so_many(plan, new_sources) if classes is None else classes)
    before, after = plan.layers, new.layers

    def serves(i: int, j: int) -> bool:
        return before[i].node == after[j].node

    return Adaptation(plan, new, fewest_moves(plan.widths, new.widths, serves))


def _so_many(plan: Plan, count: object) -> tuple[Sources, ...]:
    if len(plan.sources) > 1:
        raise InputError(
            f"new_sources={shown(count)} is a number, and this plan has {len(plan.sources)} "
            "classes of sources; give the classes, e.g. (Sources(100, 0.5), Sources(20, 3.0))"
        )
    [one] = plan.sources
    count = require_count(count, "new_sources", 500)
    return (replace(one, count=count),)


def fewest_moves(
    before: Sequence[int],
    after: Sequence[int],
    serves: Callable[[int, int], bool] = lambda i, j: True,
) -> tuple[Move, ...]:
    """Layers matched in their order so that the fewest nodes start and stop, and few change.

    `serves(i, j)` says whether nodes of the layer i before can be those of the layer j after.

    >>> [str(move) for move in fewest_moves((4, 2, 1), (9, 5, 3, 2, 1))][:3]
    ['layer 1: start 5', 'layer 2 is new: start 5', 'layer 3 is new: start 3']
    """

    @cache
    def best(i: int, j: int) -> tuple[int, int, int, tuple[Move, ...]]:
        """From layers i and j on: nodes, layers and numbers of layers that change; the moves."""
        if i == len(before) and j == len(after):
            return 0, 0, 0, ()
        ways = []
        if i < len(before) and j < len(after) and serves(i, j):
            ways.append(_then(Move(i + 1, j + 1, before[i], after[j]), *best(i + 1, j + 1)))
        if i < len(before):
            ways.append(_then(Move(i + 1, None, before[i], 0), *best(i + 1, j)))
        if j < len(after):
            ways.append(_then(Move(None, j + 1, 0, after[j]), *best(i, j + 1)))
        return min(ways, key=lambda way: way[:3])

    return best(0, 0)[-1]


def _then(
    move: Move, nodes: int, layers: int, numbers: int, further: tuple[Move, ...]
) -> tuple[int, int, int, tuple[Move, ...]]:
    change = move.started + move.stopped
    renumbered = move.before != move.after
    return nodes + change, layers + (change > 0), numbers + renumbered, (move, *further)
