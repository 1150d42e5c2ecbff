"""Decimals near the limits of drawn types, against Python's fractions."""

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow import agg, monoid, roll, window
from windrow.algebra.aggregate import Aggregate
from windrow.errors import ResultOverflowError

WIDE = Context(prec=200)
PARTS: dict[str, Aggregate[Any]] = {"sum": agg.sum(), "mean": agg.mean(), "range": agg.range()}
MORE = {"sum": (10, 0), "mean": (4, 4), "range": (1, 0)}


@st.composite
def columns(draw: st.DrawFn) -> tuple[int, int, list[int | None]]:
    precision = draw(st.integers(1, 38))
    most = 10**precision - 1
    units = st.none() | st.sampled_from([most, -most, most // 2]) | st.integers(-most, most)
    return precision, draw(st.integers(0, precision)), draw(st.lists(units, min_size=1, max_size=9))


def of(name: str, values: list[int]) -> Fraction:
    if name == "range":
        return Fraction(max(values) - min(values))
    return Fraction(sum(values), len(values) if name == "mean" else 1)


def half_up(number: Fraction) -> int:
    whole = (2 * abs(number).numerator + number.denominator) // (2 * number.denominator)
    return whole if number >= 0 else -whole


@pytest.mark.parametrize("name", PARTS)
@given(drawn=columns(), rows=st.integers(1, 5))
def test_results_are_exact_and_rounded_once_or_refused(
    name: str, drawn: tuple[int, int, list[int | None]], rows: int
) -> None:
    precision, scale, units = drawn
    kind = pa.decimal128(precision, scale)
    column = pa.array([None if u is None else Decimal(u).scaleb(-scale, WIDE) for u in units], kind)
    digits, behind = MORE[name]
    result = pa.decimal128(min(precision + digits, 38), min(scale + behind, 38))
    wanted: list[Decimal | None] = []
    for place in range(len(units)):
        held = [u for u in units[max(place + 1 - rows, 0) : place + 1] if u is not None]
        found = half_up(of(name, held) * 10 ** (result.scale - scale)) if held else None
        wanted.append(None if found is None else Decimal(found).scaleb(-result.scale, WIDE))
    limit = Decimal(10**result.precision).scaleb(-result.scale, WIDE)
    fits = all(value is None or value.copy_abs() < limit for value in wanted)
    if not fits:
        with pytest.raises(ResultOverflowError, match="does not fit decimal128"):
            roll(column, PARTS[name], window.trailing(rows=rows))
        return
    answer = roll(column, PARTS[name], window.trailing(rows=rows))
    assert answer.type == result
    assert answer.to_pylist() == wanted


def test_lists_of_decimals_add_up_to_the_last_digit() -> None:
    most = Decimal(10**38 - 1)
    found = roll([most, most.copy_negate(), Decimal(1)], agg.sum(), window.trailing(rows=3))
    assert found.tolist() == [most, 0, 1]


def test_a_quotient_of_a_users_own_has_the_digits_that_python_is_asked_for() -> None:
    third = monoid(
        lift=lambda value: value,
        combine=lambda older, newer: older + newer,
        lower=lambda total: total / 3,
        identity=Decimal(0),
        name="third",
    )
    column = pa.array([Decimal(1)], pa.decimal128(5, 0))
    with localcontext(prec=12):
        found = roll(column, agg.of(third), window.trailing(rows=1))
    assert found.to_pylist() == [Decimal("0.333333333333")]
