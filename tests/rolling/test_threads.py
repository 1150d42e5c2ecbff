"""Threads share groups out and change no result."""

from typing import Any

import numpy as np
import pytest

from windrow import agg, roll, window
from windrow.windows import Order

pytestmark = [pytest.mark.xdist_group("other kernels"), pytest.mark.compiles]

ROWS = 220_000


@pytest.mark.parametrize("keys", [3, 5000])
def test_any_number_of_threads_gives_the_same(keys: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(keys)
    by, values = random.integers(0, keys, ROWS), random.normal(size=ROWS)
    times = random.integers(0, 10**9, ROWS)
    last_ten = window.policy(keep=lambda w: w.n <= 10, using={"n": agg.count()})
    several = {"first": agg.first(), "last": agg.last(), "sum": agg.sum()}
    found: dict[str, list[Any]] = {}
    for threads in ("1", "2", "7"):
        monkeypatch.setenv("WINDROW_THREADS", threads)
        found[threads] = [
            *roll(values, several, window.trailing(rows=20), by=by).values(),
            roll(values, agg.max(), window.trailing("1 s"), times, by, Order.TIME),
            roll(values, agg.first(), last_ten, by=by),
        ]
    for threads in ("2", "7"):
        for one, other in zip(found["1"], found[threads], strict=True):
            np.testing.assert_array_equal(one, other)
    group = np.flatnonzero(by == 1)
    own = values[group]
    np.testing.assert_array_equal(
        found["2"][0][group], own[np.maximum(np.arange(len(own)) - 19, 0)]
    )
    np.testing.assert_array_equal(found["2"][4][group], own[np.maximum(np.arange(len(own)) - 9, 0)])
