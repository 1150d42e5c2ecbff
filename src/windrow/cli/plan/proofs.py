"""What is proved of a plan, and how far it is from the best there is."""

from collections.abc import Iterator

from windrow.cli.figures import counted, rounded, share
from windrow.topology import Bounds, Plan

__all__ = ["proofs", "widths_of"]


def proofs(plan: Plan) -> Iterator[str]:
    """Published bounds and those that always hold, and the optimum."""
    bounds = plan.bounds
    if bounds is None:
        yield (
            "bounds: none are proved for such a plan, only for equal sources and nodes, a limit of "
            "items, one key, and no clock"
        )
        return
    yield f"bounds{_of_what(plan)}"
    yield (
        f"  published  at most {_both(bounds.layers, bounds.nodes)}; by its ratio "
        f"{rounded(bounds.ratio_nodes)} nodes{_broken(plan, bounds)}"
    )
    yield (
        f"  safe       at most {_both(bounds.safe_layers, bounds.safe_nodes)}; by the ratio "
        f"{rounded(bounds.safe_ratio_nodes)} nodes"
    )
    yield f"  optimum    {widths_of(bounds.optimum)}: {_distance(plan, bounds.optimum)}"
    yield f"  at least   {counted(bounds.fewest_nodes, 'node')}, to take the load at all"


def widths_of(widths: tuple[int, ...]) -> str:
    """Widths, as one says them."""
    return ", ".join(f"{width:,}" for width in widths)


def _of_what(plan: Plan) -> str:
    free = plan.layers[0].margin
    if plan.margin is None and plan.loss is None:
        return ""
    return f", with {share(free)} of the limit left free"


def _both(layers: int, nodes: int) -> str:
    return f"{counted(layers, 'layer')} and {counted(nodes, 'node')}"


def _broken(plan: Plan, bounds: Bounds) -> str:
    """Two published steps do not hold, so that a plan may be beyond what they allow."""
    is_beyond = {
        "layers": len(plan.layers) > bounds.layers,
        "nodes": plan.nodes > bounds.nodes,
        "ratio": plan.nodes > bounds.ratio_nodes,
    }
    broken = [name for name, beyond in is_beyond.items() if beyond]
    if not broken:
        return ""
    return f" (this plan is beyond the {' and '.join(broken)}: the published proof has a gap there)"


def _distance(plan: Plan, best: tuple[int, ...]) -> str:
    nodes, layers = plan.nodes - sum(best), len(plan.layers) - len(best)
    if not nodes and not layers:
        return "the plan is as small"
    differences = [
        _more(number, what) for number, what in ((nodes, "node"), (layers, "layer")) if number
    ]
    return (
        f"the plan has {' and '.join(differences)} ({share(abs(nodes) / sum(best))} of its nodes)"
    )


def _more(number: int, what: str) -> str:
    return f"{counted(abs(number), what)} {'more' if number > 0 else 'fewer'}"
