"""Checked policies: one that contradicts itself is found out, on the data at hand."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.structures.support import ALL, FOR_ANY_MONOID, FREE, Slide, last, last_from_maximum
from windrow import agg
from windrow.errors import PolicyError, SnapshotError
from windrow.structures import Aggregator, Recompute
from windrow.windows.options import Check

EVEN = Slide(name="even", using={"n": agg.count()}, keep=lambda window: window.n % 2 == 0)


def odd_prefix(evicted: Any, after: Any, before: Any) -> bool:
    return bool(evicted.n % 2 == 1)


ODD = Slide(name="odd", using={"n": agg.count()}, drop=odd_prefix)


def filled(structure: type[Aggregator], slide: Slide, size: int, check: Check) -> Aggregator:
    window = structure(FREE, slide.policy(check))
    for number in range(size):
        window.insert(number % 10)
    return window


@pytest.mark.parametrize("structure", ALL)
def test_a_keep_that_is_not_monotone_is_named_with_both_windows(
    structure: type[Aggregator],
) -> None:
    window = filled(structure, EVEN, 4, Check.VERIFY)
    with pytest.raises(PolicyError) as caught:
        window.slide()
    message = str(caught.value)
    assert "keep= is not monotone" in message
    assert "newest 4 updates View(n=4)" in message
    assert "newest 3 of them View(n=3)" in message
    assert window.query() == "0123", "a refused slide evicts nothing"


@pytest.mark.parametrize("structure", ALL)
def test_a_drop_that_is_not_monotone_is_named_with_both_prefixes(
    structure: type[Aggregator],
) -> None:
    window = filled(structure, ODD, 5, Check.VERIFY)
    with pytest.raises(PolicyError) as caught:
        window.slide()
    message = str(caught.value)
    assert "drop= is not monotone" in message
    assert "oldest 3 updates View(n=3)" in message
    assert "oldest 2 of them View(n=2)" in message
    assert window.query() == "01234"


@pytest.mark.parametrize("structure", ALL)
@pytest.mark.parametrize("slide", [EVEN, ODD], ids=["keep", "drop"])
def test_a_trusted_policy_is_not_verified(structure: type[Aggregator], slide: Slide) -> None:
    window = filled(structure, slide, 5, Check.TRUST)
    assert window.slide() + len(window) == 5


@pytest.mark.parametrize("structure", FOR_ANY_MONOID)
@given(values=st.lists(st.integers(0, 9), max_size=40), evict_after=st.integers(3, 50))
def test_a_monotone_policy_passes_unharmed(
    structure: type[Aggregator], values: list[int], evict_after: int
) -> None:
    slide = last_from_maximum(6)
    checked = structure(FREE, slide.policy(Check.VERIFY))
    trusted = Recompute(FREE, slide.policy())
    for number, value in enumerate(values):
        for window in (checked, trusted):
            window.insert(value)
            if number % evict_after == 2:
                window.evict()
        assert checked.slide() == trusted.slide()
        assert checked.query() == trusted.query()


@pytest.mark.parametrize("structure", ALL)
def test_a_checked_window_goes_on_from_its_snapshot(structure: type[Aggregator]) -> None:
    window = filled(structure, EVEN, 3, Check.VERIFY)
    restored = structure(FREE, EVEN.policy(Check.VERIFY))
    restored.restore(window.snapshot())
    restored.insert(9)
    with pytest.raises(PolicyError, match="newest 4"):
        restored.slide()


@pytest.mark.parametrize("structure", ALL)
def test_a_trusted_snapshot_does_not_fit_a_checked_window(structure: type[Aggregator]) -> None:
    trusted = filled(structure, last(3), 5, Check.TRUST)
    checked = structure(FREE, last(3).policy(Check.VERIFY))
    with pytest.raises(SnapshotError, match="same aggregate and policy"):
        checked.restore(trusted.snapshot())
