"""Sketches and filters: exact while small, within their error beyond, the same in every process."""

import math
import pickle
import random
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.algebra.drawn import column, floats, integers, rank, there
from windrow import agg
from windrow.algebra.canonical import encode, key
from windrow.algebra.catalogue import sketches
from windrow.algebra.lookup import registered
from windrow.errors import AggregateError, InputError
from windrow.testing import fold


def tree(aggregate: Any, values: list[Any]) -> Any:
    """The state of the values, combined in pairs: sketches meet sketches."""
    monoid = aggregate.monoid
    states = [monoid.lift_row(value) for value in values]
    while len(states) > 1:
        pairs = zip(states[::2], [*states[1::2], monoid.identity], strict=False)
        states = [monoid.combine(older, newer) for older, newer in pairs]
    return states[0]


def shuffled(count: int) -> list[float]:
    values = [float(value) for value in range(count)]
    random.Random(7).shuffle(values)
    return values


@pytest.mark.parametrize("q", [0.0, 0.1, 0.5, 0.99, 1.0])
def test_the_rank_of_a_sketched_quantile_is_close(q: float) -> None:
    aggregate = agg.quantile_sketch(q)
    values = shuffled(20_000)
    monoid = aggregate.monoid
    one_by_one = fold(aggregate, values)
    in_pairs = monoid.lower(tree(aggregate, values))
    assert in_pairs is not None
    # Of the values 0 … n − 1 each is its own rank; 1.65 % is the error at 99 % confidence.
    for result in (one_by_one, in_pairs):
        assert abs(result / 20_000 - q) < 2 * 0.0165


@given(column(floats, max_size=64), st.floats(0, 1))
def test_a_small_quantile_sketch_is_exact(values: list[Any], q: float) -> None:
    known = sorted(value for value in there(values) if not math.isnan(value))
    expected = known[max(math.ceil(q * len(known)) - 1, 0)] if known else None
    assert fold(agg.quantile_sketch(q), values) == expected


@given(st.lists(st.floats(-1e9, 1e9), min_size=60, max_size=64), st.floats(0, 1))
def test_becoming_a_sketch_changes_no_result(values: list[float], q: float) -> None:
    full = [*values, *[0.0] * (65 - len(values))]
    expected = sorted(full)[max(math.ceil(q * 65) - 1, 0)]
    assert fold(agg.quantile_sketch(q), full) == expected


@pytest.mark.parametrize("count", [65, 1_000, 20_000])
def test_sketched_distinct_counts_are_close(count: int) -> None:
    aggregate = agg.distinct_sketch()
    for values in (shuffled(count), [f"sensor {i}" for i in range(count)]):
        repeated = values + values[::3]
        assert fold(aggregate, repeated) == pytest.approx(count, rel=0.05)
        in_pairs = aggregate.monoid.lower(tree(aggregate, repeated))
        assert in_pairs == pytest.approx(count, rel=0.05)


@given(column(integers, max_size=64) | column(floats, max_size=64) | column(st.text(max_size=1)))
def test_a_small_distinct_sketch_is_exact(values: list[Any]) -> None:
    assert fold(agg.distinct_sketch(), values) == len(set(map(rank, there(values))))


def test_equal_values_are_one_to_a_sketch_too() -> None:
    many = [float(value) for value in range(5_000)]
    aggregate = agg.distinct_sketch()
    integer = [int(value) for value in many]
    monoid = aggregate.monoid
    as_floats, as_integers = tree(aggregate, many), tree(aggregate, integer)
    assert monoid.lower(monoid.combine(as_floats, as_integers)) == monoid.lower(as_integers)
    again = reduce(monoid.combine, map(monoid.lift_row, [-0.0, 7, 4999.0]), as_floats)
    assert monoid.lower(again) == monoid.lower(monoid.combine(as_floats, as_floats))


@pytest.mark.parametrize("aggregate", [agg.quantile_sketch(0.5), agg.distinct_sketch()], ids=repr)
def test_sketches_keep_the_laws_beyond_a_few_values(aggregate: Any) -> None:
    monoid = aggregate.monoid
    values = shuffled(6_000)
    older, newer = tree(aggregate, values[:3_000]), tree(aggregate, values[3_000:])
    before = pickle.dumps((older, newer))
    total = monoid.combine(older, newer)
    swapped = monoid.combine(newer, older)
    with_few = monoid.combine(older, monoid.lift_row(1.0))
    few_first = monoid.combine(monoid.lift_row(1.0), older)
    assert pickle.dumps((older, newer)) == before
    assert monoid.lower(total) == pytest.approx(monoid.lower(swapped), rel=0.1)
    assert monoid.lower(with_few) == pytest.approx(monoid.lower(few_first), rel=0.1)
    for state in (older, total):
        assert monoid.lower(monoid.combine(state, monoid.identity)) == monoid.lower(state)
        assert monoid.lower(monoid.combine(monoid.identity, state)) == monoid.lower(state)
        assert monoid.lower(pickle.loads(pickle.dumps(state))) == monoid.lower(state)


def test_the_sketches_of_nothing() -> None:
    assert fold(agg.quantile_sketch(0.5), [None, math.nan]) is None
    assert fold(agg.distinct_sketch(), [None]) == 0


@pytest.fixture
def without_datasketches(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    sketches._library.cache_clear()
    monkeypatch.setitem(sys.modules, "datasketches", None)
    yield
    sketches._library.cache_clear()


@pytest.mark.usefixtures("without_datasketches")
@pytest.mark.parametrize("name", ["quantile_sketch", "distinct_sketch"])
def test_making_a_sketch_says_what_to_install(name: str) -> None:
    with pytest.raises(AggregateError, match=r"pip install 'windrow\[sketches\]'"):
        _ = registered()[name].example


@pytest.mark.parametrize("k", [8, 65536, 200.0, None])
def test_a_k_no_sketch_has_is_refused(k: Any) -> None:
    with pytest.raises(AggregateError, match="use the default k=200"):
        agg.quantile_sketch(0.5, k=k)


@pytest.mark.parametrize("lg_k", [3, 22, 12.0, None])
def test_an_lg_k_no_sketch_has_is_refused(lg_k: Any) -> None:
    with pytest.raises(AggregateError, match="use the default lg_k=12"):
        agg.distinct_sketch(lg_k=lg_k)


@given(st.lists(st.integers() | st.text() | floats, max_size=50))
def test_a_filter_never_denies_what_it_holds(values: list[Any]) -> None:
    seen = fold(agg.bloom(), [*values, None])
    assert all(value in seen for value in values)


@pytest.mark.parametrize("error", [0.1, 0.01, 0.001])
def test_a_full_filter_errs_about_as_often_as_asked(error: float) -> None:
    seen = fold(agg.bloom(capacity=1_000, error=error), [f"in {i}" for i in range(1_000)])
    wrong = sum(f"out {i}" in seen for i in range(20_000)) / 20_000
    assert wrong < 1.5 * error


def test_a_filter_of_nothing_holds_nothing() -> None:
    empty = fold(agg.bloom(), [])
    assert empty.bits == 0
    assert 1 not in empty
    assert set(bytes(empty)) == {0}


def test_the_bytes_of_a_filter_are_its_bits() -> None:
    seen = fold(agg.bloom(capacity=10), [1, 2, 3])
    assert int.from_bytes(bytes(seen), "little") == seen.bits
    assert len(bytes(seen)) == math.ceil(seen.size / 8)


def test_filters_are_the_same_in_every_process() -> None:
    program = (
        "from windrow import agg; from windrow.testing import fold;"
        "print(fold(agg.bloom(capacity=10), ['wind', 1.5, b'row']).bits)"
    )
    other = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "5"},
    )
    assert int(other.stdout) == fold(agg.bloom(capacity=10), ["wind", 1.5, b"row"]).bits


@pytest.mark.parametrize("capacity", [0, -1, 1.5])
def test_a_capacity_that_holds_nothing_is_refused(capacity: Any) -> None:
    with pytest.raises(AggregateError, match="try capacity=1000"):
        agg.bloom(capacity=capacity)


@pytest.mark.parametrize("error", [0, 1, -0.1, math.nan, None])
def test_an_error_that_is_no_probability_is_refused(error: Any) -> None:
    with pytest.raises(AggregateError, match=r"is not between 0 and 1; use error=0\.01"):
        agg.bloom(error=error)


NOON = datetime(2024, 1, 1, 12, tzinfo=UTC)
ONES = [1, 1.0, True, Decimal("1.00"), Fraction(1), np.int64(1), np.float32(1), np.True_]


def test_equal_values_have_equal_bytes() -> None:
    assert len({encode(one) for one in ONES}) == 1
    assert encode(0.0) == encode(-0.0)
    assert encode(math.nan) == encode(-math.nan) == encode(Decimal("NaN")) == encode(key(math.nan))
    assert encode(0.5) == encode(Fraction(1, 2)) == encode(Decimal("0.5"))
    assert encode(math.inf) == encode(Decimal("Infinity"))
    assert encode(NOON) == encode(NOON.astimezone(timezone(timedelta(hours=2))))
    assert encode(bytearray(b"a")) == encode(b"a")
    assert encode((1, "a")) == encode((1.0, "a"))


def test_different_values_have_different_bytes() -> None:
    day = date(2024, 1, 1)
    hour = time(12)
    different = [
        *[0, 1, -1, 0.1, Decimal("0.1"), 10**400, math.inf, -math.inf, math.nan, 1e300],
        *["", "1", "nan", b"", b"1", "\ud800"],
        *[NOON, NOON.replace(tzinfo=None), day, datetime(2024, 1, 1), hour, timedelta(hours=12)],
        *[(), ("a", "b"), ("ab",), (("a",), "b"), ("a", ("b",))],
    ]
    assert len({encode(value) for value in different}) == len(different)


def test_what_has_no_stable_bytes_is_refused() -> None:
    with pytest.raises(InputError, match="object is not supported; use text, bytes"):
        encode(object())
