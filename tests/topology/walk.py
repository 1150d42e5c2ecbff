"""Nodes and routes acted out item by item, to hold rates against, and what a plan's layers lose."""

from collections.abc import Sequence

import numpy as np
from scipy import stats

from windrow import topology

__all__ = ["chance_of_loss", "mixed_items", "through"]

SECONDS = 3600


def chance_of_loss(plan: topology.Plan) -> float:
    """At most: the mean number of overruns in an hour, of all nodes that are limited in items."""
    overruns = 0.0
    for number, layer in enumerate(plan.layers):
        assert layer.node.limit.items is not None
        clocked = number > 0 and plan.reduction.emission is topology.Emission.AT_CLOSE
        mean = layer.items * (1.0 if clocked else plan.arrivals.burst) / layer.width
        overruns += layer.width * SECONDS * stats.poisson.sf(int(layer.node.limit.items), mean)
    return overruns


def mixed_items(
    random: np.random.Generator, rate: float, seconds: int, shares: Sequence[float]
) -> list[tuple[int, int]]:
    """Keys and periods of items in a bad moment: any item is of this period or of the next."""
    count = random.poisson(rate * seconds)
    keys = random.choice(len(shares), size=count, p=shares)
    return list(zip(keys.tolist(), random.integers(0, 2, count).tolist(), strict=True))


def through(
    random: np.random.Generator, items: Sequence[tuple[int, int]], width: int
) -> list[tuple[int, int]]:
    """What a layer hands on: each item goes to any node, which keeps one period of each key."""
    kept: dict[tuple[int, int], int] = {}
    handed_on = []
    for (key, period), node in zip(items, random.integers(0, width, len(items)), strict=True):
        before = kept.get((int(node), key))
        if before is not None and before != period:
            handed_on.append((key, before))
        kept[int(node), key] = period
    return handed_on
