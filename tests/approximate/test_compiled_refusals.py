"""What compiled windows of buckets cannot do is refused, with what can."""

from typing import Any

import numpy as np
import pytest

from windrow import agg, window
from windrow.algebra.aggregate import several
from windrow.approximate import CompiledApproximateAmta, Footprint, SumLike
from windrow.errors import (
    AggregateError,
    InputError,
    ResultOverflowError,
    WindowError,
)

_MANY = 10**9


def test_integers_that_may_not_fit_are_refused() -> None:
    asked = several(n=agg.count("v"), total=agg.sum("v"), mean=agg.mean("v"), peak=agg.max("v"))
    methods: list[Any] = [SumLike(absolute={"total": 0, "mean": 0}), Footprint(_MANY)]
    one = CompiledApproximateAmta(
        asked, *methods, policy=window.trailing("1 second"), dtypes=(np.int64,)
    )
    with pytest.raises(ResultOverflowError, match="64 bits"):
        one.roll([2**62, 2**62], [1, 2])


@pytest.mark.parametrize(
    ("asked", "methods", "more", "message"),
    [
        (agg.median(), [Footprint(3)], {}, "compiled bounds"),
        (agg.argmax("a", "b"), [Footprint(3)], {}, "compiled bounds"),
        (agg.sum(), [Footprint(3)], {"dtypes": (np.bool_,)}, "float64 or int64"),
    ],
)
def test_what_is_not_compiled_is_refused(
    asked: Any, methods: list[Any], more: dict[str, Any], message: str
) -> None:
    with pytest.raises(AggregateError, match=message):
        CompiledApproximateAmta(asked, *methods, **more)


def test_methods_are_those_of_windows_of_objects() -> None:
    with pytest.raises(InputError, match="several of"):
        CompiledApproximateAmta(agg.sum(), Footprint(3), Footprint(4))
    with pytest.raises(InputError, match="without a method"):
        CompiledApproximateAmta(agg.sum())


def test_wrong_columns_are_refused() -> None:
    one = CompiledApproximateAmta(agg.sum(), Footprint(3))
    with pytest.raises(InputError, match="give 1"):
        one.extend([1.0], [2.0])
    with pytest.raises(WindowError, match="without a policy"):
        one.slide()
    with pytest.raises(WindowError, match=r"Footprint\(2\)"):
        CompiledApproximateAmta(agg.sum(), SumLike(absolute=1.0)).max_buckets = 2


@pytest.mark.parametrize(
    ("over", "nearest"),
    [
        (window.trailing("1 s", closed="left"), "trailing('1 second', closed='both')"),
        (window.trailing("1 s", closed="neither"), "trailing('1 second')"),
        (window.trailing("1 s", ties="together"), "trailing('1 second')"),
    ],
    ids=repr,
)
def test_windows_that_do_not_end_with_their_row_are_refused(over: Any, nearest: str) -> None:
    with pytest.raises(WindowError) as caught:
        CompiledApproximateAmta(agg.sum(), Footprint(3), policy=over)
    assert str(caught.value).startswith(f"policy={over!r} does not end with its row")
    assert f"use {nearest}, or windrow.roll" in str(caught.value)
