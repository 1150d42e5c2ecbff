"""What cannot be planned is refused: the argument, its value, and what would make it possible."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from windrow import topology
from windrow.errors import InputError
from windrow.topology import Arrivals, Emission, Limit, Node, Reduction, Routing, Sources

NOT_NUMBERS = [float("nan"), float("inf"), -float("inf"), True, "20", None, [], 10**400, 1j]
NOT_POSITIVE = [0, 0.0, -1, -0.5, *NOT_NUMBERS]


def anything(value: object) -> Any:
    """A value of a type that is not asked for."""
    return value


def plan(**changed: object) -> topology.Plan:
    asked: dict[str, object] = {"sources": 500, "rate": 0.5, "nodes": 20, **changed}
    return topology.plan(asked.pop("sources"), **asked)  # type: ignore[arg-type]


NO_NUMBER = r"is not a number above 0(, from 1e-18 to 1e\+18)?; give one"


@pytest.mark.parametrize("value", [x for x in NOT_POSITIVE if x is not None])
def test_a_rate_is_a_number_above_0(value: object) -> None:
    with pytest.raises(InputError, match=rf"^rate=.* {NO_NUMBER}"):
        plan(rate=value)


@pytest.mark.parametrize("value", [x for x in NOT_POSITIVE if x != []])
def test_a_limit_is_a_number_above_0(value: object) -> None:
    with pytest.raises(InputError, match=rf"^nodes=.* {NO_NUMBER}"):
        plan(nodes=value)


@pytest.mark.parametrize(
    "value", [0, -1, 2.0, 0.5, float("nan"), True, "500", None, Fraction(1, 2)]
)
def test_sources_are_a_whole_number_above_0(value: object) -> None:
    with pytest.raises(InputError, match=r"^sources=.* is not a whole number above 0; give one"):
        plan(sources=value)


@pytest.mark.parametrize("function", [topology.csa, topology.bounds, topology.optimum])
@pytest.mark.parametrize(
    ("argument", "values"),
    [("sources", (0, 0.5, 20)), ("rate", (5, -1, 20)), ("limit", (5, 0.5, float("nan")))],
)
def test_the_published_problem_is_checked_too(
    function: Callable[..., object], argument: str, values: tuple[float, ...]
) -> None:
    with pytest.raises(InputError, match=f"^{argument}="):
        function(*values)


@pytest.mark.parametrize("value", [1, 1.5, -0.1, float("nan"), True, "0.1"])
def test_a_margin_is_a_share_below_1(value: object) -> None:
    with pytest.raises(InputError, match=r"^margin=.* is not a share from 0 to below 1; give one"):
        plan(margin=value)


@pytest.mark.parametrize("value", [0, 1, 2, -0.1, float("nan"), True, "0.1"])
def test_a_chance_of_loss_is_above_0_and_below_1(value: object) -> None:
    with pytest.raises(InputError, match=r"^loss=.* give one, e.g. loss=0.001"):
        plan(loss=value)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"margin": 0.1, "loss": 0.01}, r"margin=0.1 and loss=0.01: .* give one of them"),
        ({"rate": None}, r"sources=500 .* give the rate of each"),
        ({"sources": []}, "sources is empty; give at least one class"),
        ({"nodes": []}, "nodes is empty; give at least one kind"),
        ({"sources": [500]}, "sources=500 is no Sources; give a Sources"),
        ({"nodes": [20]}, "nodes=20 is no Node; give a Node"),
        ({"arrivals": "Poisson"}, "arrivals='Poisson' is no Arrivals; give an? Arrivals"),
        ({"reduction": 60}, "reduction=60 is no Reduction; give a Reduction"),
        (
            {"routing": "items"},
            r"routing='items' is not a valid value for routing; use Routing\.ITEM \('item'\) or",
        ),
        ({"sources": Sources(5, 1.0)}, "rate=0.5: classes of sources tell their own"),
        ({"sources": 10**400}, r"sources=1\.00e\+400 .* above 0, from 1 to 1e\+18; give one"),
        ({"loss": 5e-324}, r"loss=5e-324 is not a number above 0, from 1e-18"),
        (
            {"nodes": 2, "loss": 0.001},
            r"^a period cannot .* more, allow for more than loss=0.001, or give longer periods",
        ),
        (
            {"loss": 0.001, "arrivals": Arrivals(burst=1e18)},
            "no number of nodes that could be counted .* or a smaller burst",
        ),
        ({"routing": Routing.KEY}, "routing=Routing.KEY .* give Routing.ITEM or Routing.SOURCE"),
        ({"rate": 21}, r"rate=21: one .* than the 20 items .* limit of at least 21 items, or let"),
        (
            {"item_bytes": 2_000, "nodes": Limit(bytes=1_000)},
            r"item_bytes=2000: a single item .* limit of at least 2000 bytes, or smaller items",
        ),
        (
            {"rate": 8, "item_bytes": 200, "nodes": Limit(bytes=1_000)},
            r"rate=8 with item_bytes=200: .* at least 1600 bytes, or let each send at most 5 items",
        ),
        (
            {"nodes": Limit(items=20, bytes=1_000), "reduction": Reduction(state_bytes=1_001)},
            r"state_bytes=1001 is more than the 1000 bytes .* limit of at least 1001 bytes",
        ),
        (
            {"nodes": 0.6, "loss": 0.01},
            r"items=0.6 with loss=0.01: .* give a limit of at least 1 item, or a margin",
        ),
        (
            {"rate": 15, "loss": 0.01, "routing": Routing.SOURCE},
            r"loss=0.01: no number of nodes .* larger limit, or .*Routing.ITEM",
        ),
        (
            {"reduction": Reduction(keys=10**6, hottest=0.01), "sources": 10**6},
            r"of keys=1000000 cannot be gathered .* let nodes take more, or .*AT_CLOSE",
        ),
        (
            {
                "reduction": Reduction(emission=Emission.AT_CLOSE, spread_s=1e-3),
                "sources": 10**6,
            },
            r"^a period cannot be .* let nodes take more, or hand .* over more than spread_s=0.001",
        ),
    ],
)
def test_what_no_topology_can_do_says_what_would_make_it_possible(
    changed: dict[str, object], says: str
) -> None:
    with pytest.raises(InputError, match=says):
        plan(**changed)


def test_one_source_at_the_very_limit_is_possible() -> None:
    assert plan(rate=20, sources=3).widths == (3, 2, 1)


def test_states_too_large_for_the_first_layer_only_are_possible() -> None:
    kinds = (Node(Limit(bytes=1_000)), Node(Limit(bytes=10_000)))
    assert plan(nodes=kinds, item_bytes=10, reduction=Reduction(state_bytes=2_000)).widths[0] == 3


def test_states_are_of_no_account_where_one_layer_will_do() -> None:
    kinds = (Node(Limit(bytes=1_000_000)), Node(Limit(bytes=10_000)))
    assert plan(sources=1, rate=0.1, item_bytes=50_000, nodes=kinds).widths == (1,)


def test_amounts_of_layers_may_be_larger_than_any_that_is_given() -> None:
    assert plan(sources=10**12, rate=10, item_bytes=1e6, nodes=1e9).layers[0].bytes == 1e19


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Sources(0, 1), "count=0"),
        (lambda: Sources(1, 0), "rate=0"),
        (lambda: Sources(1, 1, -1), "item_bytes=-1"),
        (Limit, "neither items nor bytes; give at least one"),
        (lambda: Limit(items=0), "items=0"),
        (lambda: Limit(bytes=float("nan")), "bytes=nan"),
        (lambda: Node(Limit(items=1), price=-1), "price=-1"),
        (lambda: Node(Limit(items=1), delay_s=float("inf")), "delay_s=inf"),
        (lambda: Reduction(period_s=0), "period_s=0"),
        (lambda: Reduction(keys=0), "keys=0"),
        (lambda: Reduction(keys=1.5), "keys=1.5"),  # type: ignore[arg-type]
        (lambda: Reduction(states=0), "states=0"),
        (lambda: Reduction(state_bytes=-1), "state_bytes=-1"),
        (lambda: Reduction(keys=10, hottest=0.05), "hottest=0.05 .* give at least 0.1"),
        (lambda: Reduction(keys=10, hottest=1.5), "hottest=1.5"),
        (lambda: Reduction(keys=10, hottest=float("nan")), "hottest=nan"),
        (lambda: Reduction(keys=1, hottest=0.5), "hottest=0.5"),
        (lambda: Reduction(spread_s=0), "spread_s=0"),
        (lambda: Reduction(spread_s=1), r"spread_s=1 .* closes; hand them on then .*AT_CLOSE"),
        (
            lambda: Reduction(emission=anything("closing")),
            "emission='closing' is not a valid value",
        ),
        (lambda: Node(anything(5)), "limit=5 is no Limit; give a Limit"),
        (
            lambda: Arrivals(bursts=anything(3)),
            "bursts=3 is no tuple; give",
        ),
        (lambda: Arrivals(bursts=(2, 0.5)), "bursts=0.5 says .* give 1 or more"),
        (lambda: Arrivals(byte_bursts=anything(("2",))), "byte_bursts='2' is not a number above 0"),
        (lambda: Reduction(period_s=60, spread_s=61), "spread_s=61 .* give at most 60"),
        (lambda: Reduction(period_s=60, states=6, spread_s=11), "spread_s=11 .* at most 10"),
        (lambda: Arrivals(burst=0.5), "burst=0.5 .* give 1 or more"),
    ],
)
def test_definitions_are_checked_when_made(make: Callable[[], object], says: str) -> None:
    with pytest.raises(InputError, match=says):
        make()
