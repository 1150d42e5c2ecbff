"""What all window definitions have in common."""

import copy
import dataclasses
import pickle
from operator import methodcaller
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow import agg, window, windows
from windrow.algebra.aggregate import Aggregate
from windrow.windows import (
    Count,
    Hopping,
    Punctuated,
    Session,
    TrailingRows,
    TrailingTime,
    Tumbling,
    Window,
)

lengths_us = st.integers(1, 10**15)
offsets_us = st.integers(-(10**15), 10**15)
rows = st.integers(1, 10**9)
names = st.text(min_size=1)
definitions: st.SearchStrategy[Window] = st.one_of(
    st.builds(Tumbling, lengths_us, offsets_us),
    st.builds(Hopping, lengths_us, lengths_us, offsets_us),
    st.builds(TrailingTime, lengths_us),
    st.builds(TrailingRows, rows),
    st.builds(Session, lengths_us),
    st.builds(Count, rows, rows),
    st.builds(Punctuated, names, st.none() | names),
    st.builds(Punctuated, st.none(), names),
)
QUESTIONS = {
    name: getattr(Window(), name)
    for name in vars(Window)
    if not name.startswith("_") and name not in ("engine", "reading", "time_limits")
}
EXAMPLES = {
    "tumbling('1 hour')": window.tumbling("60 min"),
    "tumbling('1 hour', offset='-5 minutes')": window.tumbling("1h", "-5m"),
    "hopping('1 hour', every='1 minute')": window.hopping("1 hour", every="1 minute"),
    "hopping('5 s 500 ms', every='1 second', offset='5 seconds')": window.hopping(
        "5.5 s", every="1 s", offset="5 s"
    ),
    "trailing('1 h 30 min')": window.trailing("90 min"),
    "trailing(rows=1000)": window.trailing(rows=1000),
    "session('30 minutes')": window.session("30m"),
    "count(10)": window.count(10, every=10),
    "count(10, every=3)": window.count(10, 3),
    "punctuated(start='on')": window.punctuated("on"),
    "punctuated(end='off')": window.punctuated(end="off"),
}


@pytest.mark.parametrize("text", EXAMPLES)
def test_a_definition_reads_like_the_call_that_makes_it(text: str) -> None:
    assert repr(EXAMPLES[text]) == str(EXAMPLES[text]) == text


@given(definitions)
def test_what_a_definition_reads_like_makes_it_again(definition: Window) -> None:
    again = eval(repr(definition), vars(window))
    assert again == definition
    assert hash(again) == hash(definition)


@given(definitions)
def test_definitions_survive_pickling_and_copying(definition: Any) -> None:
    assert pickle.loads(pickle.dumps(definition)) == definition
    assert copy.deepcopy(definition) == definition
    assert dataclasses.replace(definition) == definition


@given(definitions)
def test_definitions_cannot_be_changed(definition: Any) -> None:
    for field in dataclasses.fields(definition):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(definition, field.name, 1)
    assert not hasattr(definition, "__dict__")


@given(definitions, definitions)
def test_definitions_are_equal_exactly_when_they_read_alike(a: Window, b: Window) -> None:
    assert (a == b) == (repr(a) == repr(b))


@pytest.mark.parametrize("module", [window, windows])
def test_a_module_exports_what_it_lists(module: Any) -> None:
    exported = module.__all__
    assert exported == sorted(exported, key=lambda name: (name.islower(), name))
    assert all(hasattr(module, name) for name in exported)


def test_every_definition_answers_the_questions_of_a_window() -> None:
    """What each kind says of itself, where it differs from what most say."""
    means = {"mean": agg.mean("v")}
    keep = methodcaller("is_enough")
    grid_shape = {"shape": "tumbling and hopping", "ends_by_time": True}
    marked = {"numbers": ("nth",), "alone": "its marks are columns of their own"}
    kinds: dict[str, tuple[Window, dict[str, Any]]] = {
        "tumbling": (window.tumbling("1 s"), grid_shape),
        "hopping": (window.hopping("2 s", every="1 s"), grid_shape),
        "session": (
            window.session("1 s"),
            {"shape": "session", "ends_by_time": True, "silence_us": 1_000_000},
        ),
        "count": (
            window.count(10),
            {"shape": "count", "numbers": ("first", "last"), "span_rows": 10},
        ),
        "start": (
            window.punctuated("on"),
            marked | {"ended_by_next_row": True, "markers": {"start": "on"}},
        ),
        "end": (window.punctuated(end="off"), marked | {"markers": {"end": "off"}}),
        "time": (
            window.trailing("1 s", closed="left", ties="together"),
            {
                "shape": "trailing",
                "per_row": True,
                "in_buckets": True,
                "ends_by_time": True,
                "bounded": True,
                "reach_us": 1_000_001,
                "holds_own_time": False,
                "ties_together": True,
            },
        ),
        "rows": (
            window.trailing(rows=5),
            {
                "shape": "trailing",
                "per_row": True,
                "in_buckets": True,
                "bounded": True,
                "reach_rows": 5,
                "span_rows": 5,
            },
        ),
        "policy": (
            window.policy(keep=keep, using=means),
            {
                "per_row": True,
                "in_buckets": True,
                "alone": "which rows it holds depends on what it held before",
                "watched": tuple(means.items()),
                "functions": (keep, None),
            },
        ),
    }
    for kind, (one, differing) in kinds.items():
        found = {name: getattr(one, name) for name in QUESTIONS}
        grid = one if kind in ("tumbling", "hopping") else None
        assert found == QUESTIONS | {"grid": grid} | differing, kind


def test_a_window_reads_other_columns_and_is_the_same_otherwise() -> None:
    def renamed(role: str, marker: str) -> str:
        return f"{role} of {marker}"

    def moved(name: str, part: Aggregate[Any]) -> Aggregate[Any]:
        return dataclasses.replace(part, columns=(name,))

    marked = window.punctuated("on", "off").reading(renamed, moved)
    assert marked == window.punctuated("start of on", "end of off")
    means = window.policy(keep=bool, using={"mean": agg.mean("v")})
    assert means.reading(renamed, moved) == window.policy(
        keep=bool, using={"mean": agg.mean("mean")}
    )
    assert window.count(3).reading(renamed, moved) == window.count(3)
