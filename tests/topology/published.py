"""The published formulas, written once more from the text, and topologies tried one by one."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil

__all__ = ["assigned", "best_weight", "is_feasible", "most_offered"]


def most_offered(load: Fraction, widths: Sequence[int]) -> Fraction:
    """Theorem 1 for the last of these layers: what each of its nodes is offered, in limits."""
    layer = len(widths)
    n = dict(enumerate(widths, start=1))
    offered: Fraction = load / (2 ** (layer - 1) * n[layer])
    for k in range(1, layer - 1):
        offered *= 1 + Fraction(1, n[k] * (2 * n[k + 1] - 1))
    return offered


def is_feasible(load: Fraction, widths: Sequence[int]) -> bool:
    """Whether no node of any layer may be offered more than its limit."""
    return widths[-1] == 1 and all(
        most_offered(load, widths[:layer]) <= 1 for layer in range(1, len(widths) + 1)
    )


def assigned(load: Fraction) -> tuple[int, ...]:
    """Algorithm 2: each width is the closed formula of those before, rounded up, until it is 1."""
    widths: list[int] = []
    while not widths or widths[-1] > 1:
        widths.append(ceil(most_offered(load, [*widths, 1])))
    return tuple(widths)


def best_weight(load: Fraction, per_node: Fraction, per_layer: Fraction) -> Fraction:
    """The least weight of all topologies that lose nothing, each of them tried."""
    known = assigned(load)
    most = per_node * sum(known) + per_layer * len(known)
    weights = [
        per_node * sum(widths) + per_layer * len(widths)
        for widths in _topologies(load, (), most, per_node, per_layer)
    ]
    return min(weights)


def _topologies(
    load: Fraction, above: tuple[int, ...], left: Fraction, per_node: Fraction, per_layer: Fraction
) -> Iterator[tuple[int, ...]]:
    """All that begin like this, end in one node, lose nothing and weigh no more than is left."""
    for width in range(1, int((left - per_layer) / per_node) + 1):
        widths = (*above, width)
        if most_offered(load, widths) > 1:
            continue
        if width == 1:
            yield widths
        further = left - per_layer - per_node * width
        yield from _topologies(load, widths, further, per_node, per_layer)
