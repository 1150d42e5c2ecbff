"""Monoids of a user's own that cannot be compiled: they run interpreted, with one warning."""

import functools
import operator
from collections.abc import Callable
from typing import Any

import pytest

from tests.algebra.own import FLOATS, TWO
from windrow import agg, monoid, roll, window
from windrow.algebra.numeric import FLOAT
from windrow.errors import CompilationWarning

pytestmark = pytest.mark.xdist_group("user monoids")


def factorial(n: float) -> float:
    return 1.0 if n <= 1 else n * factorial(n - 1)


def even(n: float) -> bool:
    return n == 0 or odd(n - 1)


def odd(n: float) -> bool:
    return n > 0 and even(n - 1)


def importing(x: float) -> int:
    import math

    return math.floor(x)


class Doubling:
    """A callable that the compiler knows nothing of."""

    def __call__(self, x: float) -> float:
        return 2 * x


INTERPRETED: dict[str, tuple[Callable[..., Any], str]] = {
    "recursion": (factorial, "factorial"),
    "functions that call each other": (even, "odd"),
    "imports": (importing, "IMPORT_NAME"),
    "partial functions": (functools.partial(operator.mul, 2.0), "partial"),
    "callable objects": (Doubling(), "Doubling"),
    "generators": (lambda x: sum(y for y in (x, x)), "yield"),
    "keyword parameters": (lambda x, *, k=2: x * k, "k"),
    "text": (lambda x: len(f"{x:.3f}") * 1.0, "lift cannot be compiled"),
    "complex numbers": (lambda x: x * 1j, "lift returns complex128"),
}


@pytest.mark.parametrize("name", INTERPRETED)
def test_what_cannot_be_compiled_runs_interpreted_with_one_warning(name: str) -> None:
    lift, reason = INTERPRETED[name]
    own = agg.of(monoid(lift=lift, combine=operator.add, identity=0.0, name="own"))
    with pytest.warns(CompilationWarning, match=rf"own runs interpreted.*{reason}") as seen:
        found = roll([1.0, 2.0, 3.0], own, TWO)
    assert len(seen) == 1
    expected = [lift(1.0), lift(1.0) + lift(2.0), lift(2.0) + lift(3.0)]
    assert found.tolist() == pytest.approx(expected)
    # Once is enough.
    assert roll([1.0, 2.0, 3.0], own, TWO).tolist() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"combine": lambda a, b: (a, b)}, "combine returns .*, but identity is a number"),
        ({"lift": lambda x: (x, x)}, "lift returns .*, but identity is a number"),
        ({"lower": lambda s: (s, (s, s))}, "lower returns .* flat tuple of numbers"),
        ({"lower": lambda s: [s]}, "lower returns "),
    ],
)
def test_the_warning_says_which_function_has_the_wrong_shape(
    arguments: dict[str, Any], reason: str
) -> None:
    own = monoid(**{"lift": lambda x: x, "combine": same_number, "identity": 0.0, **arguments})
    assert own.numeric is not None
    with pytest.warns(CompilationWarning, match=reason):
        assert own.numeric((FLOAT,)) is None


def same_number(older: Any, newer: Any) -> Any:
    return older


def test_states_that_are_no_numbers_run_interpreted_without_a_word() -> None:
    texts = monoid(lift=lambda x: f"{x:.0f}", combine=operator.add, identity="")
    assert roll(FLOATS, agg.of(texts), window.trailing(rows=3)).tolist()[2] == "314"
    counts = monoid(
        lift=lambda x: {x: 1},
        combine=lambda a, b: {key: a.get(key, 0) + b.get(key, 0) for key in {**a, **b}},
        lower=lambda counted: max(counted.values(), default=None),
        identity={},
    )
    assert roll(FLOATS, agg.of(counts), window.trailing(rows=4)).tolist()[3] == 2
    nested = monoid(lift=lambda x: (x, (x,)), combine=lambda a, b: a, identity=(0.0, (0.0,)))
    assert roll(FLOATS, agg.of(nested), TWO)[1] == (3.0, (3.0,))
