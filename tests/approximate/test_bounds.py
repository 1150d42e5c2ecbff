"""Every result of a window of buckets holds the exact one, whatever comes and goes."""

import pickle
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.approximate.oracle import BOUNDED, check_all, followed, slid, window_of
from tests.structures.support import (
    Slide,
    counted,
    from_maximum,
    last,
    last_from_maximum,
    total_up_to,
)
from windrow import agg, window
from windrow.algebra.aggregate import as_monoid
from windrow.approximate import ApproximateAmta, Footprint, Hop, MaxLike, SumLike, additive
from windrow.approximate.additive import Strayed
from windrow.errors import SnapshotError, WindowError
from windrow.structures import Amta
from windrow.windows.options import Check

METHODS: dict[str, Callable[[], list[Any]]] = {
    "absolute": lambda: [SumLike(absolute=7)],
    "relative": lambda: [SumLike(relative=0.2)],
    "max-like": lambda: [MaxLike(block=2, confidence=0.5)],
    "auto": lambda: [MaxLike()],
    "hop": lambda: [Hop(confidence=0.5)],
    "footprint": lambda: [Footprint(4)],
    "one bucket": lambda: [Footprint(1)],
    "all": lambda: [SumLike(relative=0.5), Hop(confidence=0.5), Footprint(5)],
}

SLIDES = [last(6), total_up_to(40), from_maximum(), last_from_maximum(9)]

# Updates, or numbers of updates that leave.
numbers = st.one_of(st.integers(-5, 5), st.integers(-(10**6), 10**6), st.floats(-1e3, 1e3))
steps = st.lists(st.one_of(numbers, st.tuples(st.integers(1, 9))), max_size=150)


def _window(method: str, slide: Slide | None = None) -> ApproximateAmta:
    return window_of(BOUNDED, *METHODS[method](), slide=slide)


@pytest.mark.parametrize("method", METHODS)
@given(steps=steps)
def test_evicted_one_by_one_or_many_at_once(method: str, steps: list[Any]) -> None:
    window = _window(method)
    for values in followed(window, steps):
        assert len(window) == len(values)
        check_all(window, BOUNDED, values)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("slide", SLIDES, ids=lambda slide: slide.name)
@given(values=st.lists(st.integers(0, 20), max_size=120))
def test_slid_by_a_policy(method: str, slide: Slide, values: list[int]) -> None:
    window = _window(method, slide)
    for held in slid(window, slide, values):
        check_all(window, BOUNDED, held)


@given(values=st.lists(st.integers(-50, 50), min_size=1, max_size=300), bound=st.integers(0, 100))
def test_an_absolute_bound_is_never_exceeded(values: list[int], bound: int) -> None:
    window, held = ApproximateAmta(BOUNDED["sum"][0], SumLike(absolute=bound)), list[int]()
    for value in values:
        window.insert(value)
        held.append(value)
        if len(held) > 40:
            window.evict()
            del held[0]
        assert abs(window.query().value - sum(held)) <= bound


@pytest.mark.parametrize("limit", [1, 2, 3, 8])
@given(steps=steps, limits=st.lists(st.integers(1, 9), max_size=150))
def test_there_are_never_more_buckets_than_allowed(
    limit: int, steps: list[Any], limits: list[int]
) -> None:
    window = ApproximateAmta(BOUNDED["sum"][0], Footprint(limit))
    for number, _ in enumerate(followed(window, steps)):
        if number < len(limits):
            window.max_buckets = limits[number]
        assert window.max_buckets is not None
        assert window.buckets <= window.max_buckets


@pytest.mark.parametrize("method", METHODS)
def test_goes_on_from_a_snapshot(method: str) -> None:
    values = [(7 * number) % 23 - 9 for number in range(400)]
    one, other = _window(method), _window(method)
    for number, value in enumerate(values):
        if number % 50 == 49:
            snapshot = pickle.loads(pickle.dumps(one.snapshot()))
            one.evict(one.buckets // 2)  # does not reach it
            other.restore(snapshot)
            one, other = other, one
        one.insert(value)
        if len(one) > 60:
            one.evict()
        check_all(one, BOUNDED, values[number + 1 - len(one) : number + 1])


def test_another_snapshot_is_refused() -> None:
    with pytest.raises(SnapshotError, match="does not fit"):
        _window("hop").restore(_window("footprint").snapshot())


def test_a_trace_that_forgets_how_far_sums_strayed_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def forgetful(older: Strayed, newer: Strayed) -> Strayed:
        total = older.total + newer.total
        return Strayed(total, total / 2, total / 2, older.magnitude + newer.magnitude)

    monkeypatch.setattr(additive, "strayed", forgetful)
    window, values = _window("footprint"), [0, 9, 0, 0, 9, 0, 0, 0, 9, 0]
    for value in values:
        window.insert(value)
    window.evict()
    with pytest.raises(AssertionError, match="Interval"):
        check_all(window, BOUNDED, values[1:])


def test_evicting_any_number_takes_a_logarithm_of_combines() -> None:
    summed, combines = counted(agg.of(as_monoid(agg.sum())))
    for leaving in (1, 100, 1 << 12, (1 << 13) - 1):
        window = ApproximateAmta(summed, Footprint(1 << 13))
        for number in range(1 << 13):
            window.insert(number)
        assert combines.since(partial(window.evict, leaving)) <= 6 * 13 + 12


def test_an_insert_takes_a_few_combines_however_small_the_footprint() -> None:
    summed, combines = counted(agg.of(as_monoid(agg.sum())))
    window = ApproximateAmta(summed, Footprint(64))

    def fill() -> None:
        for number in range(20_000):
            window.insert(number)

    assert combines.since(fill) <= 4 * 20_000


def test_a_policy_that_looks_at_what_there_was_is_not_guessed_at() -> None:
    halving = Slide(
        name="halve",
        using={"n": agg.count()},
        drop=lambda evicted, after, before: before.n > 6 and evicted.n <= before.n // 2,
        drops=lambda evicted, after: (
            len(evicted) + len(after) > 6 and len(evicted) <= (len(evicted) + len(after)) // 2
        ),
    )
    window, held = _window("absolute", halving), list[int]()
    for number in range(200):
        window.insert(number % 5)
        held.append(number % 5)
        if number % 7 == 3:
            window.evict(min(2, len(window)))
            del held[:2]
        window.slide()
        del held[: halving.leaving(held)]
        check_all(window, BOUNDED, held)


def test_a_policy_to_be_verified_is_refused() -> None:
    with pytest.raises(WindowError, match="use Amta to verify"):
        ApproximateAmta(agg.sum(), Footprint(3), policy=last(3).policy(Check.VERIFY))


@pytest.mark.parametrize("constant", [20, 20.0, Decimal(20)])
def test_the_mean_of_a_constant_is_told_wherever_the_window_may_start(constant: Any) -> None:
    slide = window.policy(keep=lambda w: w.span < 97, using={"span": agg.range("t")})
    held = ApproximateAmta(agg.mean("v"), Footprint(9), policy=slide)
    for place in range(300):
        held.insert({"v": constant, "t": 3 * place})
        held.slide()
        assert float(held.query().value) == pytest.approx(20.0, rel=1e-12)


def test_a_cut_may_lie_anywhere_in_the_newest_bucket() -> None:
    slide = window.policy(
        keep=lambda w: w.s <= 25,
        drop=lambda evicted, after, before: evicted.p <= after.p,
        using={"p": agg.max(), "s": agg.sum()},
    )
    held = ApproximateAmta(agg.count(), Footprint(2), policy=slide)
    exact = Amta(agg.count(), policy=slide)
    for one in (held, exact):
        for value in (3, 20, 5, 5):
            one.insert(value)
        one.slide()
        one.slide()
    assert held.query().low <= exact.query() <= held.query().high


_SINCE = [
    window.policy(
        keep=lambda w: w.s <= 25,
        drop=lambda evicted, after, before: evicted.p <= after.p,
        using={"p": agg.max(), "s": agg.sum()},
    ),
    window.policy(drop=lambda evicted, after, before: evicted.p <= after.p, using={"p": agg.max()}),
]


@pytest.mark.parametrize("slide", _SINCE)
@given(
    st.lists(st.lists(st.integers(0, 20), min_size=1, max_size=6), max_size=25), st.integers(1, 6)
)
def test_however_often_a_policy_slides_the_exact_result_is_inside(
    slide: Any, pieces: list[list[int]], buckets: int
) -> None:
    held = ApproximateAmta(agg.sum(), Footprint(buckets), policy=slide)
    exact = Amta(agg.sum(), policy=slide)
    for piece in pieces:
        for value in piece:
            held.insert(value)
            exact.insert(value)
        exact.slide()
        held.slide()
        found, truth = held.query(), exact.query()
        assert truth is None or found.low is None or found.low <= truth <= found.high
        assert not found.exact or found.value == truth


def test_a_relative_bound_holds_again_soon_after_a_step() -> None:
    held, total = ApproximateAmta(agg.sum(), SumLike(relative=0.05)), 0
    values = [1000] * 3000 + [1] * 3000
    for place, value in enumerate(values):
        held.insert(value)
        total += value
        if place >= 500:
            held.evict(1)
            total -= values[place - 500]
        if place > 3000 + 3 * 500:
            assert abs(held.query().value - total) <= 0.05 * total
    assert held.buckets > 10
