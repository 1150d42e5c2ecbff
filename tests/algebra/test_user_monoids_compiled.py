"""Monoids of a user's own that compile: they give what recomputing gives, in types that fit."""

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.algebra.own import FLOATS, TWO, add
from windrow import agg, monoid, roll, window
from windrow.algebra.numeric import BOOL, FLOAT, INT
from windrow.structures import Recompute
from windrow.testing.closeness import close

pytestmark = [pytest.mark.xdist_group("user monoids"), pytest.mark.usefixtures("always_compiled")]


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
