"""Plans in files: what is written is read again, and what is damaged is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from windrow import topology
from windrow.errors import InputError
from windrow.topology import Arrivals, Emission, Limit, Node, Reduction, Routing, Sources

NAMES = st.text(st.characters(codec="utf-8"), max_size=8)


def up_to(most: float) -> st.SearchStrategy[float]:
    """Nothing, or an amount that can be measured."""
    return st.just(0.0) | st.floats(1e-6, most)


def planned(*sources: Any, **asked: Any) -> topology.Plan:
    """A plan, if there is one."""
    try:
        return topology.plan(*sources, **asked)
    except InputError:
        reject()


PLANS = st.builds(
    planned,
    st.lists(
        st.builds(Sources, st.integers(1, 10**6), st.floats(0.01, 9), up_to(900), NAMES),
        min_size=1,
        max_size=3,
    ),
    nodes=st.lists(
        st.builds(
            Node,
            st.builds(Limit, items=st.floats(10, 1_000), bytes=st.none() | st.floats(9e3, 9e6)),
            price=st.none() | up_to(1),
            delay_s=up_to(1),
            name=NAMES,
        ),
        min_size=1,
        max_size=3,
    ),
    reduction=st.builds(
        Reduction,
        period_s=st.floats(10, 1_000),
        keys=st.sampled_from([1, 1, 50_000]),
        state_bytes=up_to(100),
        emission=st.just(Emission.AT_CLOSE),
    ),
    arrivals=st.builds(Arrivals, st.floats(1, 3), up_to(1), NAMES),
    routing=st.sampled_from([Routing.ITEM, Routing.SOURCE]),
    margin=st.none() | st.floats(0, 0.5),
)


def told(**changed: object) -> str:
    """A plan as JSON with other entries; None takes one away."""
    plan: dict[str, Any] = json.loads(topology.to_json(topology.plan(500, rate=0.5, nodes=20)))
    plan.update(changed)
    return json.dumps({name: value for name, value in plan.items() if value is not ...})


def with_layer(**changed: object) -> str:
    layers = json.loads(told())["layers"]
    layers[1].update(changed)
    return told(layers=layers)


@given(PLANS)
def test_what_is_written_is_read_again(plan: topology.Plan) -> None:
    assert topology.from_json(topology.to_json(plan)) == plan


@pytest.mark.parametrize("loss", [None, 0.01])
def test_a_file_holds_a_plan(tmp_path: Path, loss: float | None) -> None:
    plan = topology.plan(500, rate=0.5, nodes=topology.GATEWAY, loss=loss)
    topology.write_plan(plan, tmp_path / "plan.json")
    again = topology.read_plan(str(tmp_path / "plan.json"))
    assert again == plan
    assert again.adapt(600) == plan.adapt(600)
    assert again.bounds == plan.bounds


def test_a_file_tells_widths_and_nodes_to_others() -> None:
    plan = json.loads(topology.to_json(topology.plan(500, rate=0.5, nodes=20)))
    assert (plan["widths"], plan["nodes"]) == ([13, 7, 4, 2, 1], 27)


@pytest.mark.parametrize("name", ["layers", "sources", "reduction", "arrivals", "kinds"])
@pytest.mark.parametrize("value", [..., 5, "x", None, [5], [None], {"x": 1}, [{"x": 1}], [[]]])
def test_entries_that_lack_or_are_something_else_are_refused(name: str, value: object) -> None:
    with pytest.raises(InputError, match="the plan"):
        topology.from_json(told(**{name: value}))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("width", -3),
        ("width", 0),
        ("width", 2.5),
        ("width", "7"),
        ("items", -1.0),
        ("items", float("nan")),
        ("bytes", None),
        ("margin", "a"),
        ("margin", 5),
        ("routing", "anywhere"),
        ("node", {}),
        ("node", {"limit": {"items": -5}}),
        ("node", {"limit": {"items": 5}, "name": None}),
        ("more", 1),
    ],
)
def test_layers_that_cannot_be_are_refused(name: str, value: object) -> None:
    with pytest.raises(InputError, match="the plan"):
        topology.from_json(with_layer(**{name: value}))


def layers_of(plan: topology.Plan, *widths: int, **last: object) -> list[Any]:
    """The first layers of a plan with other widths, and the last of them with other entries."""
    layers: list[Any] = json.loads(topology.to_json(plan))["layers"][: len(widths)]
    for layer, width in zip(layers, widths, strict=True):
        layer["width"] = width
    layers[-1].update(last)
    return layers


@pytest.mark.parametrize(
    ("keys", "widths", "last", "says"),
    [
        (1, (13, 7, 4, 2, 3), {}, "the last has width=3, by item; .* end with a layer of one"),
        (1, (13,), {}, "the last has width=13"),
        (1, (13, 1), {"routing": "key"}, "the last has width=1, by key"),
        (
            50,
            (5, 1),
            {"routing": "item"},
            "the last is routed by item; .* of 50 keys",
        ),
    ],
)
def test_layers_that_give_no_single_result_are_refused(
    keys: int, widths: tuple[int, ...], last: dict[str, object], says: str
) -> None:
    reduction = Reduction(keys=keys, emission=Emission.AT_CLOSE if keys > 1 else Emission.ON_CHANGE)
    plan = topology.plan(500, rate=0.5, nodes=20, reduction=reduction)
    changed = {**json.loads(topology.to_json(plan)), "widths": list(widths)}
    changed["layers"] = layers_of(plan, *widths, **last)
    with pytest.raises(InputError, match=f"the plan: layers: {says}"):
        topology.from_json(json.dumps(changed))


def test_widths_that_are_not_those_of_the_layers_are_refused() -> None:
    with pytest.raises(InputError, match=r"the plan: widths=\[1\] are not those of its layers"):
        topology.from_json(told(widths=[1]))


@pytest.mark.parametrize("name", ["margin", "loss"])
@pytest.mark.parametrize("value", [..., -1, 1, "x", float("nan"), []])
def test_margins_and_chances_that_cannot_be_are_refused(name: str, value: object) -> None:
    with pytest.raises(InputError, match="the plan"):
        topology.from_json(told(**{name: value}))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("widths: 13", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[1, 2]", "is not a plan of windrow"),
        ("{}", "is not a plan of windrow"),
        ("null", "is not a plan of windrow"),
        ('{"windrow_plan": 2}', "is not a plan of windrow"),
        ('{"windrow_plan": 1}', "lacks 'sources'"),
        (told(layers=[]), "no layers"),
        (told(sources=[]), "no sources"),
    ],
)
def test_what_is_no_plan_is_refused_with_a_way_out(text: str, says: str) -> None:
    with pytest.raises(InputError, match=f"plan.json.*{says}.*windrow plan --out"):
        topology.from_json(text, "plan.json")


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        topology.read_plan(tmp_path / "none.json")
    with pytest.raises(InputError, match="cannot be read"):
        topology.read_plan(tmp_path)
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot be read"):
        topology.read_plan(tmp_path / "bytes.json")
