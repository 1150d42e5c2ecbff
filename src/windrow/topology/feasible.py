"""Refuses what no topology can do, and says what would make it possible."""

from collections.abc import Sequence

from windrow.errors import InputError
from windrow.topology.model import Emission, Node, Reduction, Sources

__all__ = ["refused_states", "require_feasible"]

_MIXING = 3  # deviations of clocks between a period's end and those of its neighbours, at least


def require_feasible(
    sources: Sequence[Sources],
    nodes: Sequence[Node],
    reduction: Reduction,
    loss: float | None,
    skew_s: float,
) -> None:
    """Refuse sources that no node takes, and limits and clocks that leave chance no room."""
    for one in sources:
        _require_taken(one, nodes[0])
    if nodes[0].limit.items is None and not any(one.item_bytes for one in sources):
        raise InputError(
            f"item_bytes=0: items of no size count as nothing against the {nodes[0].limit.bytes:g} "
            f"bytes a {nodes[0].name} takes in a second; give their size, e.g. item_bytes=1_000"
        )
    for node in nodes:
        most = node.limit.items
        if loss is not None and most is not None and most < 1:
            raise InputError(
                f"items={most:g} with loss={loss:g}: a {node.name} that takes less than one item "
                "in a second loses every one; give a limit of at least 1 item, or a margin and no "
                "loss, to hold the limit on average"
            )
    by_change = reduction.emission is Emission.ON_CHANGE
    if loss is not None and by_change and skew_s > reduction.pane_s / _MIXING:
        raise InputError(
            f"skew_s={skew_s:g} with loss={loss:g}: more than two periods of {reduction.pane_s:g} "
            "s would mix; give longer periods, or hand states on by the clock (Emission.AT_CLOSE)"
        )


def refused_states(reduction: Reduction, node: Node) -> InputError | None:
    """What to say of states that a node of a further layer does not take; None if it does."""
    most, state_bytes = node.limit.bytes, reduction.state_bytes or 0.0
    if most is None or state_bytes <= most:
        return None
    return InputError(
        f"state_bytes={state_bytes:g} is more than the {most:g} bytes a {node.name} takes in a "
        f"second: no state could be handed on; give a limit of at least {state_bytes:g} bytes, or "
        "an aggregate with smaller states"
    )


def _require_taken(one: Sources, node: Node) -> None:
    limit = node.limit
    if limit.items is not None and one.rate > limit.items:
        raise InputError(
            f"rate={one.rate:g}: one of the {one.name} alone sends more than the {limit.items:g} "
            f"items a {node.name} takes in a second; give a limit of at least {one.rate:g} items, "
            f"or let each send at most {limit.items:g}"
        )
    if limit.bytes is None:
        return
    if one.most_bytes > limit.bytes:
        raise InputError(
            f"item_bytes={one.most_bytes:g}: a single item of the {one.name} is more than the "
            f"{limit.bytes:g} bytes a {node.name} takes in a second; give a limit of at least "
            f"{one.most_bytes:g} bytes, or smaller items"
        )
    if one.rate * one.item_bytes > limit.bytes:
        raise InputError(
            f"rate={one.rate:g} with item_bytes={one.item_bytes:g}: one of the {one.name} alone "
            f"sends more than the {limit.bytes:g} bytes a {node.name} takes in a second; give a "
            f"limit of at least {one.rate * one.item_bytes:g} bytes, or let each send at most "
            f"{limit.bytes / one.item_bytes:g} items a second"
        )
