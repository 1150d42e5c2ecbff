"""Monoids of a user's own: compiled where possible, interpreted with one warning elsewhere."""

import functools
import math
import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow import agg, monoid, roll, window
from windrow.aggregators import Recompute
from windrow.algebra.numeric import BOOL, FLOAT, INT
from windrow.algebra.optional import same
from windrow.errors import AggregateError, CompilationWarning
from windrow.testing import check_monoid_laws
from windrow.testing.closeness import close

pytestmark = pytest.mark.xdist_group("user monoids")

FLOATS = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0]
TWO = window.trailing(rows=2)


def require_folds(own: Any, *columns: list[Any], rows: int = 3) -> Any:
    """Roll a monoid, require that it gives what recomputing gives, and return the results."""
    names = [f"c{number}" for number in range(len(columns))]
    table = dict(zip(names, map(np.array, columns), strict=True))
    found = roll(pa.table(table), agg.of(own, *names), window.trailing(rows=rows))
    kept = Recompute(agg.of(own, *names))
    for row, values in enumerate(zip(*columns, strict=True)):
        kept.insert(dict(zip(names, values, strict=True)))
        kept.evict(max(len(kept) - rows, 0))
        expected, answer = kept.query(), found[row].as_py()
        if isinstance(answer, dict):
            answer, expected = tuple(answer.values()), expected and tuple(expected)
        assert close(answer, expected), (row, answer, expected)
    return found


@pytest.fixture
def compiled_only() -> Any:
    """Fails where a function runs interpreted."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", CompilationWarning)
        yield


def add(older: Any, newer: Any) -> Any:
    return (older[0] + newer[0], older[1] + newer[1])


def half(x: Any) -> Any:
    return x / 2


def halved_twice(x: Any) -> Any:
    return half(half(x))


def through(inner: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: inner(x) + 1


COMPILED: dict[str, tuple[Any, tuple[list[Any], ...]]] = {
    "scalar state": (monoid(lift=lambda x: x, combine=lambda a, b: a + b, identity=0.0), (FLOATS,)),
    "tuple state": (
        monoid(lift=lambda x: (x, 1), combine=add, lower=lambda s: s[0] / s[1], identity=(0.0, 0)),
        (FLOATS,),
    ),
    "identity of another type": (
        monoid(lift=lambda x: x, combine=operator.add, identity=0),
        (FLOATS,),
    ),
    "types that widen in combine": (
        monoid(lift=lambda x: 1, combine=lambda a, b: (a + b) * 1.0, identity=0),
        (FLOATS,),
    ),
    "truths lifted to counts": (
        monoid(lift=lambda x: x > 2, combine=operator.add, identity=0),
        (FLOATS,),
    ),
    "truths lifted to floats": (
        monoid(lift=lambda x: x > 2, combine=operator.add, identity=0.0),
        (FLOATS,),
    ),
    "truths": (monoid(lift=lambda x: x > 4, combine=operator.or_, identity=False), (FLOATS,)),
    "optional result": (
        monoid(
            lift=lambda x: (x, 1),
            combine=add,
            lower=lambda s: None if s[1] < 3 else s[0] / s[1],
            identity=(0, 0),
        ),
        (FLOATS,),
    ),
    "optional integer": (
        monoid(lift=lambda x: 1, combine=operator.add, lower=lambda n: n or None, identity=0),
        (FLOATS,),
    ),
    "tuple result": (
        monoid(lift=lambda x: (x, 1), combine=add, identity=(0.0, 0)),
        (FLOATS,),
    ),
    "optional tuple result": (
        monoid(
            lift=lambda x: (x, 1),
            combine=add,
            lower=lambda s: None if s[1] < 3 else (s[0], s[1]),
            identity=(0.0, 0),
        ),
        (FLOATS,),
    ),
    "two columns": (
        monoid(lift=lambda price, size: price * size, combine=operator.add, identity=0),
        (FLOATS, [1, 2, 3, 4, 5, 6, 7, 8]),
    ),
    "integers": (monoid(lift=lambda x: x, combine=max, identity=-(10**9)), ([3, 1, 2, -7],)),
    "helpers": (monoid(lift=halved_twice, combine=operator.add, identity=0.0), (FLOATS,)),
    "helpers in closures": (
        monoid(lift=through(halved_twice), combine=operator.add, identity=0.0),
        (FLOATS,),
    ),
    "helpers in comprehensions": (
        monoid(lift=lambda x: sum([half(y) for y in (x, x)]), combine=operator.add, identity=0.0),
        (FLOATS,),
    ),
    "builtins": (monoid(lift=float, combine=min, identity=math.inf), (FLOATS,)),
    "functions of math": (
        monoid(lift=math.log, combine=operator.add, lower=math.exp, identity=0.0),
        (FLOATS,),
    ),
    "defaults": (
        monoid(lift=lambda x, k=2: x * k, combine=operator.add, identity=0.0),
        (FLOATS,),
    ),
}


@pytest.mark.parametrize("name", COMPILED)
def test_compiled_monoids_give_what_recomputing_gives(name: str, compiled_only: None) -> None:
    own, columns = COMPILED[name]
    dtypes = tuple(INT if isinstance(c[0], int) else FLOAT for c in columns)
    assert own.numeric(dtypes) is not None
    require_folds(own, *columns)


def test_states_have_the_types_they_need(compiled_only: None) -> None:
    states = {
        name: COMPILED[name][0].numeric((FLOAT,)).state for name in COMPILED if name in STATES
    }
    assert states == STATES


STATES = {
    "scalar state": (FLOAT,),
    "tuple state": (FLOAT, INT),
    "identity of another type": (FLOAT,),
    "types that widen in combine": (FLOAT,),
    "truths lifted to counts": (INT,),
    "truths": (BOOL,),
}


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


def scaled_by(factor: float) -> Any:
    return monoid(lift=lambda x: factor * x, combine=lambda a, b: a + b, identity=0.0)


def test_the_same_text_over_other_constants_is_another_kernel(compiled_only: None) -> None:
    for _ in range(2):
        for factor in (2.0, 3.0):
            found = roll(np.array([1.0, 2.0]), agg.of(scaled_by(factor)), TWO)
            assert found.tolist() == [factor, 3 * factor]


def test_lambdas_on_one_line_are_told_apart(compiled_only: None) -> None:
    lifts = (lambda x: x * 2, lambda x: x * 5)
    one, other = (monoid(lift=lift, combine=operator.add, identity=0.0) for lift in lifts)
    assert roll(np.array([1.0]), agg.of(one), TWO).tolist() == [2.0]
    assert roll(np.array([1.0]), agg.of(other), TWO).tolist() == [5.0]


# NaN is above all numbers to agg.max, but not to Python.
finite = st.lists(st.integers(-100, 100).map(lambda n: n / 4), min_size=1, max_size=30)


@settings(max_examples=40)
@given(finite, st.integers(1, 10))
def test_monoids_equal_the_built_in_aggregates_they_spell_out(
    values: list[float], rows: int
) -> None:
    trailing, column = window.trailing(rows=rows), np.array(values)
    own = {"sum": agg.of(SUM), "max": agg.of(MAX), "mean": agg.of(MEAN)}
    built_in = {"sum": agg.sum(), "max": agg.max(), "mean": agg.mean()}
    ours, theirs = roll(column, own, trailing), roll(column, built_in, trailing)
    for name in own:
        np.testing.assert_array_equal(ours[name], theirs[name])


SUM = monoid(lift=same, combine=operator.add, identity=0.0)
MAX = monoid(lift=same, combine=max, identity=-math.inf)
MEAN = monoid(
    lift=lambda x: (x, 1),
    combine=add,
    lower=lambda s: s[0] / s[1] if s[1] else None,
    identity=(0.0, 0),
)


def test_monoids_of_a_user_keep_the_laws_in_both_forms() -> None:
    check_monoid_laws(MEAN, finite.map(lambda values: values[0]))


def test_policies_may_watch_monoids_of_a_user(compiled_only: None) -> None:
    limited = window.policy(keep=lambda w: w.total <= 6, using={"total": agg.of(SUM)})
    found = roll(np.array(FLOATS), agg.first(), limited)
    kept = Recompute(agg.first(), limited)
    expected = []
    for value in FLOATS:
        kept.insert(value)
        kept.slide()
        expected.append(kept.query())
    np.testing.assert_array_equal(found, [np.nan if x is None else x for x in expected])


def test_nulls_never_reach_lift() -> None:
    found = roll(pa.array([1.0, None, None, 2.0]), agg.of(MEAN), TWO)
    assert found.to_pylist() == [1.0, 1.0, None, 2.0]


@pytest.mark.parametrize("argument", ["lift", "combine", "lower"])
def test_what_is_not_callable_is_refused(argument: str) -> None:
    functions: dict[str, Any] = {"lift": same, "combine": max, "lower": same, argument: 3}
    with pytest.raises(AggregateError, match=rf"{argument}=3 is not callable; give a function"):
        monoid(identity=0, **functions)


def test_errors_of_a_users_function_reach_the_user() -> None:
    broken = monoid(lift=lambda x: 1 / x, combine=operator.add, identity=0.0)
    with pytest.raises(ZeroDivisionError):
        roll(np.array([1.0, 0.0]), agg.of(broken), TWO)
