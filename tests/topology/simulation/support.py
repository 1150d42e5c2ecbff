"""Small plans for simulations, and the hash that routes, written once more on Python's integers."""

from collections.abc import Sequence

from windrow.topology.arrivals import Arrivals
from windrow.topology.model import Limit, Node, Reduction, Routing, Sources
from windrow.topology.plan import Layer, Plan

__all__ = ["UNLIMITED", "hash_of", "node_of", "plan_of", "share_of"]

UNLIMITED = Limit(items=1e9)

_WORD = 2**64 - 1


def plan_of(
    widths: Sequence[int],
    limits: Limit | Sequence[Limit] = UNLIMITED,
    *,
    sources: Sequence[Sources] = (Sources(100, 0.5),),
    reduction: Reduction | None = None,
    routing: Routing | Sequence[Routing] = Routing.ITEM,
    delays: Sequence[float] | None = None,
    skew_s: float = 0.0,
) -> Plan:
    """A plan of so many nodes; one limit or routing may hold for all layers."""
    layers = len(widths)
    each_limit = [limits] * layers if isinstance(limits, Limit) else limits
    each_routing = [routing] * layers if isinstance(routing, Routing) else routing
    each_delay = [0.0] * layers if delays is None else delays
    return Plan(
        sources=tuple(sources),
        reduction=Reduction() if reduction is None else reduction,
        arrivals=Arrivals(skew_s=skew_s),
        layers=tuple(
            Layer(width, Node(limit, delay_s=delay), how, 1.0, 0.0, 1.0)
            for width, limit, how, delay in zip(
                widths, each_limit, each_routing, each_delay, strict=True
            )
        ),
    )


def hash_of(salt: int, number: int) -> int:
    """SplitMix64 of a number, begun at a salt."""
    word = (salt + number * 0x9E3779B97F4A7C15) & _WORD
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _WORD
    return word ^ (word >> 31)


def node_of(salt: int, number: int, width: int) -> int:
    """One of so many nodes, by the upper half of the hash."""
    return (hash_of(salt, number) >> 32) * width >> 32


def share_of(salt: int, number: int) -> float:
    """A share from 0 to below 1, by the upper 53 bits of the hash."""
    return (hash_of(salt, number) >> 11) / 2**53
