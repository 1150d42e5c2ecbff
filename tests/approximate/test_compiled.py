"""Compiled windows of buckets give what those of Python's objects give, to the last digit."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from windrow import agg, window
from windrow.algebra.aggregate import Aggregate, Product, several
from windrow.approximate import (
    ApproximateAmta,
    CompiledApproximateAmta,
    Footprint,
    Hop,
    MaxLike,
    SumLike,
)
from windrow.errors import (
    SnapshotError,
)

pytestmark = pytest.mark.usefixtures("interpreted_and_compiled")

# One kind of window each: what differs between tests are settings, which need no compilation.
_MANY = 10**9
_FLOATS = several(
    n=agg.count("v"),
    total=agg.sum("v"),
    mean=agg.mean("v"),
    spread=agg.stddev("v"),
    peak=agg.max("v"),
)
_INTEGERS = several(n=agg.count("v"), total=agg.sum("v"), mean=agg.mean("v"), peak=agg.max("v"))


def _methods(
    absolute: float = 0.0, block: int = _MANY, hop: float = 0.0001, buckets: int = _MANY
) -> list[Any]:
    """All four of them; those that are not asked for let nothing join."""
    bounds = {"total": absolute, "mean": absolute}
    return [SumLike(absolute=bounds), MaxLike(block), Hop(hop or 0.0001), Footprint(buckets)]


class _Both:
    """The same window twice."""

    def __init__(
        self, asked: Product | Aggregate[Any], methods: Sequence[Any], **more: Any
    ) -> None:
        dtypes = more.pop("dtypes", None)
        self.plain = ApproximateAmta(asked, *methods, **more)
        self.compiled = CompiledApproximateAmta(asked, *methods, dtypes=dtypes, **more)

    def extend(self, numbers: Sequence[float | None]) -> None:
        for number in numbers:
            self.plain.insert({"v": number})
        self.compiled.extend(np.ma.masked_invalid(np.array(numbers, float)))
        self.agree()

    def evict(self, count: int) -> None:
        self.plain.evict(count)
        self.compiled.evict(count)
        self.agree()

    def agree(self) -> None:
        assert len(self.compiled) == len(self.plain)
        assert self.compiled.buckets == self.plain.buckets
        # As text: NaN is not equal to itself.
        assert repr(self.compiled.query()) == repr(self.plain.query())


_numbers = st.lists(
    st.floats(-1e6, 1e6, allow_subnormal=False)
    | st.sampled_from([0.0, -0.0, 1.0, 2.0])
    | st.none(),
    max_size=40,
)
_actions = st.lists(
    st.tuples(st.just("extend"), _numbers)
    | st.tuples(st.just("evict"), st.integers(0, 60))
    | st.tuples(st.just("limit"), st.integers(1, 20)),
    max_size=25,
)


@examples(60)
@given(
    _actions,
    st.sampled_from([0.0, 3.0, 1e6]),
    st.sampled_from([1, 2, 5, _MANY]),
    st.sampled_from([0.5, 0.9999]),
    st.sampled_from([1, 2, 3, 8, _MANY]),
)
def test_whatever_is_done_both_forms_agree(
    actions: list[tuple[str, Any]], absolute: float, block: int, hop: float, buckets: int
) -> None:
    both = _Both(_FLOATS, _methods(absolute, block, hop, buckets))
    for action, given_ in actions:
        match action:
            case "extend":
                both.extend(given_)
            case "evict":
                both.evict(min(given_, len(both.plain)))
            case "limit":
                both.plain.max_buckets = both.compiled.max_buckets = given_
                both.agree()


@pytest.mark.parametrize(
    "methods",
    [
        _methods(absolute=40.0),
        _methods(block=20),
        _methods(hop=0.95),
        _methods(buckets=17),
        _methods(absolute=40.0, block=20, hop=0.95, buckets=17),
    ],
)
def test_long_windows_agree(methods: list[Any]) -> None:
    rng, both = np.random.default_rng(5), _Both(_FLOATS, methods)
    for _ in range(60):
        both.extend(rng.normal(10.0, 2.0, int(rng.integers(1, 80))).tolist())
        if len(both.plain) > 500:
            both.evict(len(both.plain) - 400 + int(rng.integers(0, 3)))


@pytest.mark.parametrize("relative", [1e-4, 0.01, 0.2])
@pytest.mark.parametrize("around", [10.0, 0.0])
def test_relative_bounds_and_blocks_of_their_own_size_agree(relative: float, around: float) -> None:
    asked = several(mean=agg.mean("v"), peak=agg.max("v"))
    rng = np.random.default_rng(11)
    both = _Both(asked, [SumLike(relative={"mean": relative}), MaxLike()])
    for _ in range(40):
        both.extend(rng.normal(around, 2.0, 50).tolist())
        both.evict(max(len(both.plain) - 700, 0))


def test_rows_roll_as_if_they_came_one_by_one() -> None:
    numbers = np.random.default_rng(3).normal(5.0, 1.0, 700)
    methods = _methods(absolute=20.0, buckets=40)
    plain, compiled = ApproximateAmta(_FLOATS, *methods), CompiledApproximateAmta(_FLOATS, *methods)
    rolled = compiled.roll(numbers, at_most=100)
    for row, number in enumerate(numbers.tolist()):
        plain.insert({"v": number})
        plain.evict(max(len(plain) - 100, 0))
        for name, interval in plain.query().items():
            found = rolled[name]
            ends = [end.tolist()[row] for end in found]  # masked ones are None there
            assert ends == list(interval)


_POLICY = window.policy(
    keep=lambda w: w.n <= 60,
    drop=lambda evicted, after, before: evicted.peak <= after.peak,
    using={"n": agg.count(), "peak": agg.max("v")},
)
_LOOKS_BACK = window.policy(
    drop=lambda evicted, after, before: evicted.n < before.n / 2,
    using={"n": agg.count()},
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "methods", [_methods(block=3), _methods(absolute=9.0), _methods(buckets=4)]
)
@examples(25)
@given(st.lists(st.floats(-10.0, 10.0).map(lambda x: round(x, 1)), max_size=150))
def test_policies_cut_alike(methods: list[Any], numbers: list[float]) -> None:
    asked = several(total=agg.sum("v"), mean=agg.geometric_mean("v"), peak=agg.min("v"))
    _slides_alike(_Both(asked, methods, policy=_POLICY), numbers)


@pytest.mark.slow
def test_policies_that_look_at_what_there_was_cut_alike() -> None:
    numbers = np.random.default_rng(2).normal(0.0, 3.0, 80).tolist()
    _slides_alike(_Both(agg.sum("v"), [Footprint(5)], policy=_LOOKS_BACK), numbers)


def _slides_alike(both: _Both, numbers: Sequence[float]) -> None:
    for number in numbers:
        both.extend([number])
        assert both.compiled.slide() == both.plain.slide()
        both.agree()


@examples(30)
@given(
    st.lists(st.tuples(st.integers(0, 7), st.integers(-(2**40), 2**40) | st.none()), max_size=120),
    st.sampled_from([0, 2**41, 2**45]),
    st.sampled_from([1, 3, 10, _MANY]),
)
def test_windows_of_time_over_integers_are_those_of_a_policy(
    rows: list[tuple[int, int | None]], absolute: int, buckets: int
) -> None:
    bounds = {"total": absolute, "mean": absolute}
    methods: list[Any] = [SumLike(absolute=bounds), Footprint(buckets)]
    span = window.policy(keep=lambda w: w.span < 20, using={"span": agg.range("t")})
    plain = ApproximateAmta(_INTEGERS, *methods, policy=span)
    compiled = CompiledApproximateAmta(
        _INTEGERS, *methods, policy=window.trailing("20 microseconds"), dtypes=(np.int64,)
    )
    times = np.cumsum([step for step, _ in rows], dtype=np.int64)
    values = np.ma.masked_array(
        [value or 0 for _, value in rows], [value is None for _, value in rows], dtype=np.int64
    )
    for row, (time, (_, value)) in enumerate(zip(times.tolist(), rows, strict=True)):
        plain.insert({"v": value, "t": time})
        plain.slide()
        compiled.roll(values[row : row + 1], times[row : row + 1])
        if row == len(rows) // 2:
            compiled.adopt(plain.snapshot())
        assert compiled.query() == plain.query()
        assert compiled.buckets == plain.buckets


def test_a_snapshot_is_not_reached_by_later_changes() -> None:
    rng, methods = np.random.default_rng(4), _methods(absolute=9.0, buckets=20)
    one = CompiledApproximateAmta(_FLOATS, *methods)
    one.extend(rng.normal(1.0, 1.0, 300))
    kept, answer = one.snapshot(), one.query()
    coming = rng.normal(1.0, 1.0, 300)
    expected = one.roll(coming, at_most=300)
    other = CompiledApproximateAmta(_FLOATS, *methods)
    other.restore(kept)
    assert other.query() == answer
    again = other.roll(coming, at_most=300)
    for name, found in expected.items():
        assert np.array_equal(again[name].value, found.value)
    with pytest.raises(SnapshotError, match="does not fit"):
        CompiledApproximateAmta(_FLOATS, *_methods(absolute=8.0)).restore(kept)


@examples(25)
@given(st.lists(st.integers(0, 90), max_size=8), st.sampled_from([3, 20, _MANY]))
def test_what_is_dumped_goes_on_to_the_last_digit(pieces: list[int], buckets: int) -> None:
    rng, methods = np.random.default_rng(len(pieces)), _methods(absolute=9.0, buckets=buckets)
    one, other = (CompiledApproximateAmta(_FLOATS, *methods) for _ in range(2))
    for length in pieces:
        coming = rng.normal(1.0, 1.0, length)
        other.load(one.dump())
        expected, again = (window.roll(coming, at_most=100) for window in (one, other))
        assert repr(other.query()) == repr(one.query())
        assert other.dump() == one.dump()
        for name, found in expected.items():
            assert found.value.tolist() == again[name].value.tolist()
    other.load(None)
    assert (len(other), other.buckets) == (0, 0)


@examples(25)
@given(
    st.lists(
        st.floats(-1e3, 1e3, allow_subnormal=False) | st.sampled_from([0.0, -0.0]) | st.none(),
        max_size=120,
    ),
    st.sampled_from([0.0, 50.0]),
    st.sampled_from([2, 9, _MANY]),
    st.sampled_from([3, _MANY]),
)
def test_what_python_began_goes_on_compiled(
    numbers: list[float | None], absolute: float, buckets: int, block: int
) -> None:
    both = _Both(_FLOATS, _methods(absolute, block, 0.9, buckets))
    both.extend(numbers)
    both.evict(len(both.plain) // 3)
    begun = both.plain.snapshot()
    both.compiled = CompiledApproximateAmta(_FLOATS, *_methods(absolute, block, 0.9, buckets))
    both.compiled.adopt(begun)
    both.agree()
    for piece in (numbers[:20], numbers[20:50]):
        both.extend(piece)
        both.evict(len(both.plain) // 2)
