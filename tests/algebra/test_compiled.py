"""Every numeric form compiles, keeps the types of its state, and agrees with the plain one."""

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numba
import numpy as np
import pytest

from windrow import agg
from windrow.algebra.lookup import registered
from windrow.algebra.numeric import BOOL, FLOAT, INT, NULL, OVERFLOW, VALUE, Dtypes, Numeric
from windrow.compiler.interpreted import as_plain, like_compiled
from windrow.compiler.jit import jit
from windrow.testing import fold
from windrow.testing.closeness import close

typeof: Callable[[Any], Any] = numba.typeof

AGGREGATES = {
    **{name: entry.example for name, entry in registered().items()},
    "count of values": agg.count("v"),
    "variance of a population": agg.variance(ddof=0),
}

COLUMNS: dict[np.dtype[Any], list[list[Any]]] = {
    FLOAT: [
        [1.5],
        [2.0, -0.0, 2.0, 7.25, 8.5, 0.0],
        [math.nan, 1.0, math.inf, math.nan],
        [-math.inf, -math.inf],
        [math.nan],
    ],
    INT: [[3], [5, 1, 2, 5, 9, -(1 << 63)], [(1 << 63) - 1, (1 << 63) - 1], [0, 0, 1]],
    BOOL: [[True], [False, True, True, False], [False, False]],
}


def numeric_forms() -> Iterator[Any]:
    for name, aggregate in AGGREGATES.items():
        monoid = aggregate.monoid
        for dtypes in product(COLUMNS, repeat=len(monoid.inputs)):
            form = monoid.numeric(dtypes) if monoid.numeric else None
            if form is not None:
                types = " ".join(map(str, dtypes))
                yield pytest.param(monoid, dtypes, form, id=f"{name} of {types}")


def rows_of(dtypes: Dtypes) -> Iterator[list[tuple[Any, ...]]]:
    """Samples of rows; columns of different types are cut to one length."""
    if not dtypes:
        yield from ([], [(), (), ()])
        return
    yield []
    longest = max(len(COLUMNS[dtype]) for dtype in dtypes)
    for turn in range(longest):
        columns = (COLUMNS[dtype][turn % len(COLUMNS[dtype])] for dtype in dtypes)
        yield list(zip(*columns, strict=False))


def folded_as_in_kernels(form: Numeric, dtypes: Dtypes, rows: list[tuple[Any, ...]]) -> Any:
    """The state of rows as a kernel that runs interpreted reads and combines them."""
    columns = zip(*rows, strict=True) if rows else ((),) * len(dtypes)
    read = [as_plain(np.array(c, d)) for c, d in zip(columns, dtypes, strict=True)]
    state = form.identity
    with like_compiled():
        for row in range(len(rows)):
            state = form.combine(state, form.lift(*(column[row] for column in read)))
        return form.combine(state, form.identity)


def bits(numbers: Any) -> list[Any]:
    """Numbers so that equal ones are equal to the last bit, and -0.0 is not 0.0; NaN is NaN."""
    return [
        (repr(float(x)) if isinstance(x, float) else int(x)) if x == x else "nan" for x in numbers
    ]


@pytest.mark.parametrize(("monoid", "dtypes", "form"), list(numeric_forms()))
def test_compiled_and_plain_and_general_forms_agree(
    monoid: Any, dtypes: Dtypes, form: Numeric
) -> None:
    lift, combine, lower = jit(form.lift), jit(form.combine), jit(form.lower)
    identity = tuple(
        dtype.type(number) for dtype, number in zip(form.state, form.identity, strict=True)
    )
    for rows in rows_of(dtypes):
        compiled, plain = identity, form.identity
        for row in rows:
            typed = (dtype.type(value) for dtype, value in zip(dtypes, row, strict=True))
            compiled = combine(compiled, lift(*typed))
            # However a state came about, its fields have one type each: kernels lay them out.
            assert typeof(compiled) == typeof(identity)
            plain = form.combine(plain, form.lift(*row))
        compiled = combine(compiled, identity)
        interpreted = folded_as_in_kernels(form, dtypes, rows)
        assert bits(interpreted) == bits(compiled)
        if rows or not form.total:
            assert bits(form.lower(interpreted)) == bits(lower(compiled))
        if rows or not form.total:
            assert close(lower(compiled), form.lower(plain), tolerance=1e-12)
            inserted = [row[0] if len(row) == 1 else row for row in rows]
            expected = fold(agg.of(monoid), inserted)
            *numbers, status = lower(compiled)
            if status == VALUE:
                result = numbers[0] if len(form.result) == 1 else tuple(numbers)
                assert close(result, expected, tolerance=1e-12)
            elif status == NULL:
                assert expected is None
            else:
                assert status == OVERFLOW
                assert not -(1 << 63) <= expected < 1 << 63


def test_sums_of_integers_overflow_into_a_status_when_compiled() -> None:
    form = next(p.values[2] for p in numeric_forms() if p.id == "sum of int64")
    lift, combine, lower = jit(form.lift), jit(form.combine), jit(form.lower)
    most = lift((1 << 63) - 1)
    assert lower(combine(most, lift(1)))[-1] == OVERFLOW
    assert lower(combine(combine(most, most), lift(-(1 << 63))))[0] == (1 << 63) - 2


def test_most_of_the_catalogue_compiles() -> None:
    compiled = {p.id.partition(" of ")[0] for p in numeric_forms()}
    assert set(registered()) - compiled == {
        *("bloom", "collect", "concat", "distinct", "distinct_sketch"),
        *("median", "quantile", "quantile_sketch", "top_k"),
    }
