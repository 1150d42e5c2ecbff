"""Fingerprints: equal for equal code over equal constants, different for all a compiler freezes."""

import math
import operator
import subprocess
import sys
from collections import namedtuple
from collections.abc import Callable
from enum import Enum
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from windrow.compiler.fingerprint import fingerprint
from windrow.compiler.jit import define, jit

Number = Callable[..., Any]


def scaled_by(factor: Any) -> Number:
    return lambda x: x * factor


def calling(helper: Any) -> Number:
    return lambda x: helper(x)  # noqa: PLW0108  (the closure is what is tested)


def module_with(**names: Any) -> ModuleType:
    module = ModuleType("settings_of_ours")
    vars(module).update(names)
    return module


def reading(module: ModuleType) -> Number:
    return define("scaled", "def scaled(x): return x * settings.factor", settings=module)


make_enum: Any = Enum

PAIRS: dict[str, tuple[Any, Any]] = {
    "constants": (lambda x: x * 2, lambda x: x * 3),
    "types of constants": (lambda x: x * 2, lambda x: x * 2.0),
    "signs of zero": (lambda x: x * 0.0, lambda x: x * -0.0),
    "operators": (lambda x: x * 2, lambda x: x + 2),
    "closures": (scaled_by(2), scaled_by(3)),
    "types in closures": (scaled_by(1), scaled_by(True)),
    "functions in closures": (calling(scaled_by(2)), calling(scaled_by(3))),
    "builtins in closures": (calling(max), calling(min)),
    "modules of builtins": (calling(math.floor), calling(math.ceil)),
    "defaults": (lambda x, k=2: x * k, lambda x, k=3: x * k),
    "keyword defaults": (lambda x, *, k=2: x * k, lambda x, *, k=3: x * k),
    "keyword names": (lambda x, *, k=2: x, lambda x, *, j=2: x),
    "names": (lambda row: row.a, lambda row: row.b),
    "globals": (
        define("f", "def f(x): return x * factor", factor=2),
        define("f", "def f(x): return x * factor", factor=3),
    ),
    "functions among globals": (
        define("f", "def f(x): return helper(x)", helper=scaled_by(2)),
        define("f", "def f(x): return helper(x)", helper=scaled_by(3)),
    ),
    "globals of inner functions": (
        define("f", "def f(x): return [y * factor for y in (x,)]", factor=2),
        define("f", "def f(x): return [y * factor for y in (x,)]", factor=3),
    ),
    "numbers in modules": (reading(module_with(factor=2)), reading(module_with(factor=3))),
    "modules in modules": (
        define(
            "f",
            "def f(x): return x * ours.settings.factor",
            ours=module_with(settings=module_with(factor=2)),
        ),
        define(
            "f",
            "def f(x): return x * ours.settings.factor",
            ours=module_with(settings=module_with(factor=3)),
        ),
    ),
    "fields of named tuples": (
        scaled_by(namedtuple("View", ["n", "peak"])),
        scaled_by(namedtuple("View", ["peak", "n"])),
    ),
    "members of enums": (
        scaled_by(make_enum("Side", "LEFT RIGHT")),
        scaled_by(make_enum("Side", "RIGHT")),
    ),
    "values of enums": (
        scaled_by(make_enum("Side", {"LEFT": 1})["LEFT"]),
        scaled_by(make_enum("Side", {"LEFT": 2})["LEFT"]),
    ),
    "orders of items": (scaled_by((1, 2)), scaled_by((2, 1))),
    "nesting of items": (scaled_by(((1,), 2)), scaled_by((1, (2,)))),
}


@pytest.mark.parametrize("difference", PAIRS)
def test_what_a_compiler_freezes_makes_a_difference(difference: str) -> None:
    one, other = map(fingerprint, PAIRS[difference])
    assert one is not None
    assert other is not None
    assert one != other


def test_equal_functions_have_equal_fingerprints() -> None:
    assert fingerprint(scaled_by(2)) == fingerprint(scaled_by(2))
    assert fingerprint(scaled_by(np.float64(2))) == fingerprint(scaled_by(np.float64(2)))
    assert fingerprint(scaled_by(frozenset({"a", "b"}))) == fingerprint(
        scaled_by(frozenset({"b", "a"}))
    )


def test_a_changed_global_changes_the_fingerprint() -> None:
    function = define("f", "def f(x): return x * factor", factor=2)
    before = fingerprint(function)
    function.__globals__["factor"] = 3
    assert fingerprint(function) != before
    function.__globals__["factor"] = 2
    assert fingerprint(function) == before


def test_a_compiled_function_is_known_by_its_source() -> None:
    assert fingerprint(jit(scaled_by(2))) == fingerprint(scaled_by(2))


def test_recursion_ends() -> None:
    source = "def even(n): return n == 0 or odd(n - 1)\ndef odd(n): return n > 0 and even(n - 1)"
    assert fingerprint(define("even", source)) != fingerprint(define("odd", source))


class Plain:
    """A class of a user's: nobody can tell what it does."""

    def method(self, x: float) -> float:
        return x


@pytest.mark.parametrize(
    "thing", [object(), Plain(), Plain, Plain().method, {"a": 1}.get, np.zeros(3), {1: 2}]
)
def test_what_nobody_can_tell_apart_has_no_fingerprint(thing: Any) -> None:
    assert fingerprint(scaled_by(thing)) is None


@pytest.mark.parametrize("thing", [max, float, operator.add, math, np, np.add, np.float64, ..., 1j])
def test_what_libraries_name_has_a_fingerprint(thing: Any) -> None:
    assert fingerprint(scaled_by(thing)) is not None


def test_fingerprints_are_the_same_in_every_process() -> None:
    code = """
from windrow.compiler.fingerprint import fingerprint
names = frozenset({"wind", "row", "pane", "slice"})
print(fingerprint(lambda x: (x, names, {"a", "b", "c"} and max)))
"""
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(seen) == 1
    assert "None" not in seen.pop()
