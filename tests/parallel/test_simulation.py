"""Simulated units give what the oracle does, whoever owns which windows, and never stall."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from tests.examples import examples
from windrow import agg
from windrow.errors import InputError
from windrow.parallel.counts import Delivery
from windrow.parallel.methods import Method
from windrow.parallel.simulation import Simulated, simulate, simulate_trailing
from windrow.parallel.simulation.unit import Row, stable_hash
from windrow.parallel.workload import Travel
from windrow.testing import expected, fold
from windrow.windows import Aligned

METHODS = [method for method in Method if method is not Method.AUTO]
EPOCH = datetime(1970, 1, 1)
JOINED = wr.monoid(name="joined", lift=str, combine=lambda a, b: a + b, identity="")

#: Size and advance that do not divide, offsets, gaps between windows, and tumbling ones.
WINDOWS = [Aligned(1000, 270, 33), Aligned(40, 100, -7), Aligned(60, 10), Aligned(50, 50, 20)]


def answers(rows: Sequence[Row], window: Aligned) -> dict[Any, Any]:
    """The oracle's, by key and start; values are joined in the order of time."""
    named = [{"at": EPOCH + timedelta(microseconds=t), "k": k, "v": v} for t, k, v in rows]
    found = expected(named, time="at", by="k", window=window, aggregates={"v": agg.of(JOINED, "v")})
    micro = timedelta(microseconds=1)
    return {(one["k"], (one["window"]["start"] - EPOCH) // micro): one["v"] for one in found}


def run(
    rows: Sequence[Row], window: Aligned, method: Method, units: int, **others: Any
) -> Simulated:
    options: dict[str, Any] = {"aggregate": JOINED, "block": 3} | others
    return simulate(rows, window, method, units, **options)


def some_rows(step: int, number: int = 60) -> list[Row]:
    """Times on both sides of zero, keys with a null among them, values that show their order."""
    keys = ("a", None, 7, "a")
    return [((n - number // 2) * step, keys[n % 4], f"{n},") for n in range(number)]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.value)
@pytest.mark.parametrize("units", [1, 2, 3, 7, 64])
def test_every_method_gives_what_the_oracle_does(method: Method, units: int) -> None:
    for window in WINDOWS:
        rows = some_rows(step=window.every_us // 7 + 1)
        assert run(rows, window, method, units).results == answers(rows, window)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.value)
@examples(15)
@given(
    times=st.lists(st.tuples(st.integers(-200, 200), st.sampled_from([None, 0, 1])), max_size=25),
    size=st.integers(1, 60),
    every=st.integers(1, 60),
    offset=st.integers(-30, 30),
    units=st.integers(1, 9),
    block=st.integers(1, 5),
    delivery=st.sampled_from(Delivery),
    travel=st.sampled_from(Travel),
)
def test_any_windows_over_any_rows(
    method: Method, times: list[tuple[int, Any]], size: int, every: int, offset: int, **others: Any
) -> None:
    window = Aligned(max(size, every // 8 + 1), every, offset)
    rows = [(time, key, f"{n},") for n, (time, key) in enumerate(times)]
    units = others.pop("units")
    assert run(rows, window, method, units, **others).results == answers(rows, window)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.value)
@pytest.mark.parametrize("hashed", [lambda _: 5, lambda value: -stable_hash(value)])
def test_keys_may_collide(method: Method, hashed: Callable[[Any], int]) -> None:
    window, rows = WINDOWS[0], some_rows(90)
    assert run(rows, window, method, 4, hashed=hashed).results == answers(rows, window)


@pytest.mark.parametrize(
    "method", [m for m in METHODS if m not in (Method.KEYS, Method.TIME)], ids=lambda m: m.value
)
def test_units_without_rows_do_not_hold_up_the_others(method: Method) -> None:
    """All rows are in windows of one unit: data with the period of units times the advance."""
    units, window = 5, Aligned(10, 10)
    rows: list[Row] = [(time, "a", "x") for time in range(0, 2_000, units * 10)]
    found = run(rows, window, method, units)
    assert found.results == answers(rows, window)
    for (_, start), closed_at in found.closed_at.items():
        following = start + units * 10
        assert closed_at == (following if following < 2_000 else None)


def test_a_simulation_that_loses_a_window_is_noticed() -> None:
    """The comparison with the oracle can fail."""
    rows = some_rows(90)
    found = dict(run(rows, WINDOWS[0], Method.PANES, 3).results)
    found.popitem()
    assert found != answers(rows, WINDOWS[0])


@examples(40)
@given(
    spans=st.lists(st.integers(0, 30), min_size=1, max_size=40),
    units=st.integers(1, 12),
)
def test_wide_trailing_windows_are_put_together_in_order(spans: list[int], units: int) -> None:
    firsts: list[int] = []
    for place, span in enumerate(spans):
        firsts.append(max(place - span, firsts[-1] if firsts else 0))
    values = [f"{place}," for place in range(len(spans))]
    found = simulate_trailing(values, firsts, units, aggregate=JOINED)
    assert list(found.results) == [
        fold(JOINED, values[first : place + 1]) for place, first in enumerate(firsts)
    ]


def test_what_cannot_be_simulated_is_refused() -> None:
    with pytest.raises(InputError, match=r"units=0"):
        run([], WINDOWS[0], Method.KEYS, 0)
    with pytest.raises(InputError, match=r"block=None"):
        run([], WINDOWS[0], Method.TIME, 2, block=None)
    with pytest.raises(InputError, match=r"AUTO"):
        run([], WINDOWS[0], Method.AUTO, 2)
    with pytest.raises(InputError, match=r"units=1.5"):
        simulate_trailing([], [], 1.5, aggregate=JOINED)  # type: ignore[arg-type]
