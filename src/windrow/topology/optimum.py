"""The true optimum of the published problem: the least weighted sum of nodes and layers.

A branch-and-bound search.  Wider layers only ever help those two below them, and by very little,
so what can be gained on the first assignment is a few nodes: hardly anything is left to search.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, inf, sqrt

from windrow.errors import InputError
from windrow.topology.checks import require_positive
from windrow.topology.csa import csa, exact, load_of, passed_on

__all__ = ["optimum", "weight"]

_MOST_TRIES = 100_000


def optimum(
    sources: int, rate: float, limit: float, *, per_node: float = 1.0, per_layer: float = 1.0
) -> tuple[int, ...]:
    """The widths with the smallest `per_node * nodes + per_layer * layers` that take the load.

    >>> optimum(500, 0.5, 20)
    (13, 7, 4, 2, 1)
    """
    require_positive(per_node, "per_node", 1)
    require_positive(per_layer, "per_layer", 1)
    search = _Search(load_of(sources, rate, limit), exact(per_node), exact(per_layer))
    return search.from_known(csa(sources, rate, limit))


def weight(widths: tuple[int, ...], per_node: Fraction, per_layer: Fraction) -> Fraction:
    """What is minimised.  The sink is in every topology: counting it or not changes no answer."""
    return per_node * sum(widths) + per_layer * len(widths)


class _Search:
    """Topologies by their first layers; `load` is always what reaches the next one, in nodes."""

    def __init__(self, load: Fraction, per_node: Fraction, per_layer: Fraction) -> None:
        self._load = load
        self._per_node = per_node
        self._per_layer = per_layer
        self._best: tuple[int, ...] = ()
        self._least = Fraction(0)
        self._tries = 0

    def from_known(self, widths: tuple[int, ...]) -> tuple[int, ...]:
        """The best, knowing one that is feasible."""
        self._take(widths)
        for layers in range(1, len(widths) + 1):
            self._extend((), self._load, layers)
        return self._best

    def _take(self, widths: tuple[int, ...]) -> None:
        self._best, self._least = widths, weight(widths, self._per_node, self._per_layer)

    def _extend(self, above: tuple[int, ...], load: Fraction, layers: int) -> None:
        """Try all topologies that begin like this and have this many more layers."""
        width = _narrowest(above, load, layers)
        if width is None:
            return
        if layers == 1:
            if weight((*above, 1), self._per_node, self._per_layer) < self._least:
                self._take((*above, 1))
            return
        # A wider layer weighs more and can at best halve the load: where even that cannot win, no
        # wider one can.
        at_best = _fewest_nodes(_shares(load / 2, layers - 1), load / 2)
        while at_best <= self._budget((*above, width), layers - 1):
            wider, further = (*above, width), load * passed_on((*above[-1:], width))
            if self._may_win(wider, further, layers - 1):
                self._extend(wider, further, layers - 1)
            width += 1

    def _budget(self, above: tuple[int, ...], layers: int) -> int:
        """The most nodes that this many more layers may have to beat the best so far."""
        self._tries += 1
        if self._tries > _MOST_TRIES:
            raise InputError(
                f"per_layer={float(self._per_layer):g} is so much more than "
                f"per_node={float(self._per_node):g} that there are too many topologies to search; "
                f"give at most per_layer={10 * float(self._per_node):g}"
            )
        left = self._least - self._per_layer * (len(above) + layers)
        return ceil(left / self._per_node) - 1 - sum(above)

    def _may_win(self, above: tuple[int, ...], load: Fraction, layers: int) -> bool:
        """Whether a topology that begins like this and has this many more layers may be better.

        What a layer may have beyond its share of the load is what is left when all others have
        theirs.  Layers of no more than that hand on more than half, by so much at least; with
        that the shares below are larger, and again less is left.
        """
        budget = self._budget(above, layers)
        shares = _shares(load, layers)
        while shares[-1] == 1 and _fewest_nodes(shares, load) <= budget:
            spare = budget - sum(shares)
            widths, reaching, before = [above[-1]], load, shares
            shares = []
            for share in before:
                shares.append(ceil(reaching))
                widths.append(share + spare)
                reaching *= passed_on(widths[-2:])
            if shares == before:
                return True
        return False


def _shares(load: Fraction, layers: int) -> list[int]:
    """The nodes that this many layers need if each halves the load."""
    return [ceil(load / 2**further) for further in range(layers)]


def _fewest_nodes(shares: Sequence[int], load: Fraction) -> float:
    """No fewer take this load in such layers: each has its share, and those below may need more.

    What neighbours of n and m nodes do not halve is a part 1 / (n (2 m - 1)), and all parts must
    add up to no more than the room that is left at the sink.  By the inequality of means, k parts
    that add up to at most c are of layers of at least k 2^(1/k) sqrt(k / 2 c) nodes in all.
    """
    room = float(2 ** (len(shares) - 1) / load - 1)
    if room < 0 or (room == 0 and len(shares) > 1):
        return inf
    total = fewest = sum(shares)
    for parts in range(1, len(shares) - 1):
        wide = int(parts * 2 ** (1 / parts) * sqrt(parts / 2 / room))
        fewest = max(fewest, total - sum(shares[-parts - 2 : -1]) + wide)
    return fewest


def _narrowest(above: tuple[int, ...], load: Fraction, layers: int) -> int | None:
    """The fewest nodes that take the load and may still end in one node; None: there are none.

    Layers at best halve: what reaches the last one is at least this layer's load, halved once for
    each layer between; and this layer's own width adds its factor to that.
    """
    room = 2 ** (layers - 1) / load
    if room < 1:
        return None
    if not above or layers == 1:
        return ceil(load)
    return None if room == 1 else max(ceil(load), ceil((1 / (above[-1] * (room - 1)) + 1) / 2))
