"""Loads at the ends of what there is: a plan or a refusal, and never anything else."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow import topology
from windrow.errors import InputError
from windrow.topology import Arrivals, Emission, Limit, Node, Reduction, Routing, Sources


def decades(least: int, most: int) -> st.SearchStrategy[float]:
    """Numbers of all sizes alike."""
    return st.builds(
        lambda digits, power: digits * 10.0**power, st.floats(1, 9.99), st.integers(least, most - 1)
    )


LIMITS = st.builds(Limit, items=st.none() | decades(-9, 12), bytes=decades(-3, 12)) | st.builds(
    Limit, items=decades(-9, 12)
)
SOURCES = st.builds(
    Sources, st.sampled_from([1, 7, 500, 10**8]), decades(-9, 12), st.just(0.0) | decades(-3, 9)
)
REDUCTIONS = st.builds(
    Reduction,
    period_s=decades(-3, 6),
    keys=st.sampled_from([1, 1, 2, 1_000, 10**8]),
    states=st.sampled_from([1, 60]),
    state_bytes=st.just(0.0) | decades(0, 6),
    emission=st.sampled_from(Emission),
)


@given(
    st.lists(SOURCES, min_size=1, max_size=3),
    st.lists(st.builds(Node, LIMITS), min_size=1, max_size=3),
    REDUCTIONS,
    st.sampled_from([None, 0.0, 0.5, 0.999999]),
    st.sampled_from([None, None, 0.9, 1e-3, 1e-12]),
    st.sampled_from([1.0, 2.0, 1e9]),
    st.sampled_from([Routing.ITEM, Routing.SOURCE]),
)
def test_any_load_is_planned_or_refused(
    sources: list[Sources],
    nodes: list[Node],
    reduction: Reduction,
    margin: float | None,
    loss: float | None,
    burst: float,
    routing: Routing,
) -> None:
    with suppress(InputError):
        plan = topology.plan(
            sources,
            nodes=nodes,
            reduction=reduction,
            arrivals=Arrivals(burst),
            routing=routing,
            margin=margin if loss is None else None,
            loss=loss,
        )
        usable = 1 - (margin or 0) if loss is None else 1
        assert all(layer.load <= usable * (1 + 1e-9) for layer in plan.layers)
        assert topology.from_json(topology.to_json(plan)) == plan
        assert plan.latency_s > 0
        assert plan.bounds is None or plan.bounds.fewest_nodes >= 1


@pytest.mark.parametrize("loss", [None, 1e-3, 1e-12])
@pytest.mark.parametrize("nodes", [20, 1_000, topology.KINESIS_SHARD, Limit(items=3e7)])
def test_as_many_devices_as_there_are_can_be_planned(
    loss: float | None, nodes: float | Limit | Node
) -> None:
    plan = topology.plan(10**8, rate=0.5, item_bytes=300, nodes=nodes, loss=loss)
    assert plan.widths[-1] == 1
    assert plan.layers[0].items == 5e7
