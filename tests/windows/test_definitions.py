"""What all window definitions have in common."""

import copy
import dataclasses
import pickle
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow import window, windows
from windrow.windows import (
    Count,
    Hopping,
    Policy,
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
def test_definitions_survive_pickling_and_copying(definition: Window) -> None:
    assert pickle.loads(pickle.dumps(definition)) == definition
    assert copy.deepcopy(definition) == definition
    assert dataclasses.replace(definition) == definition


@given(definitions)
def test_definitions_cannot_be_changed(definition: Window) -> None:
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


def test_window_is_any_of_the_definitions() -> None:
    made = {type(example) for example in EXAMPLES.values()} | {Policy}
    assert set(get_args(Window)) == made
