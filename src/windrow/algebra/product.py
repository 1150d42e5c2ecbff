"""The product of monoids: several computed at once, each on its own part of one state."""

from functools import partial
from typing import Any

from windrow.algebra.monoid import Codec, Group, Kind, Monoid

__all__ = ["side_by_side"]


def side_by_side(parts: tuple[tuple[str, Monoid[Any, Any]], ...]) -> Monoid[Any, Any]:
    """One monoid over rows that all parts lift; lowers to a dict of their results by name.

    It can subtract if all parts can.
    """
    names = tuple(name for name, _ in parts)
    monoids = tuple(monoid for _, monoid in parts)

    def lift(row: Any) -> tuple[Any, ...]:
        return tuple(m.lift(row) for m in monoids)

    def combine(older: tuple[Any, ...], newer: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(m.combine(a, b) for m, a, b in zip(monoids, older, newer, strict=True))

    def lower(state: tuple[Any, ...]) -> dict[str, Any]:
        lowered = (m.lower(s) for m, s in zip(monoids, state, strict=True))
        return dict(zip(names, lowered, strict=True))

    shape: dict[str, Any] = {
        "name": "several",
        "lift": lift,
        "combine": combine,
        "lower": lower,
        "identity": tuple(m.identity for m in monoids),
        "kind": max((m.kind for m in monoids), key=list(Kind).index),
        "commutative": all(m.commutative for m in monoids),
        "inputs": ("row",),
        "nullable": frozenset({"row"}),
        "codec": _codec(monoids),
    }
    groups = tuple(m for m in monoids if isinstance(m, Group))
    if len(groups) < len(monoids):
        return Monoid(**shape)

    def subtract(total: tuple[Any, ...], older: tuple[Any, ...]) -> Any:
        rest = tuple(g.subtract(a, b) for g, a, b in zip(groups, total, older, strict=True))
        # One part that cannot be undone makes the whole be folded anew.
        return NotImplemented if any(part is NotImplemented for part in rest) else rest

    return Group(subtract=subtract, **shape)


def _codec(monoids: tuple[Monoid[Any, Any], ...]) -> Codec | None:
    """Each part by its own codec, if any has one; what is None stays so."""
    if all(m.codec is None for m in monoids):
        return None

    def through(way: int, states: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(
            state if m.codec is None or state is None else m.codec[way](state)
            for m, state in zip(monoids, states, strict=True)
        )

    return partial(through, 0), partial(through, 1)
