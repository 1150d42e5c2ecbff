"""Tumbling and hopping windows contain exactly the times they should."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow import window
from windrow.errors import WindowError
from windrow.windows import Aligned, Hopping, Tumbling

sizes = st.integers(1, 40)
hops = st.integers(1, 40)
offsets = st.integers(-100, 100)
times = st.integers(-200, 200)


def starts_by_trying_all(size: int, every: int, offset: int, time: int) -> list[int]:
    """The oracle: walk the grid from far before the time, and keep what contains it."""
    starts = range(offset - 1_000 * every, offset + 1_000 * every, every)
    return [start for start in starts if start <= time < start + size]


@given(sizes, hops, offsets, times)
def test_a_time_is_in_exactly_the_windows_that_contain_it(
    size: int, every: int, offset: int, time: int
) -> None:
    hopping = Hopping(size, every, offset)
    expected = starts_by_trying_all(size, every, offset, time)
    assert list(hopping.starts(time)) == expected
    assert hopping.bounds(time) == [(start, start + size) for start in expected]


@given(sizes, offsets, times)
def test_a_time_is_in_exactly_one_tumbling_window(size: int, offset: int, time: int) -> None:
    tumbling = Tumbling(size, offset)
    assert list(tumbling.starts(time)) == starts_by_trying_all(size, size, offset, time)
    assert len(tumbling.starts(time)) == 1


@given(sizes, hops, offsets, times, st.integers(-5, 5))
def test_an_offset_by_whole_hops_changes_nothing(
    size: int, every: int, offset: int, time: int, hops_further: int
) -> None:
    shifted = Hopping(size, every, offset + hops_further * every)
    assert Hopping(size, every, offset).bounds(time) == shifted.bounds(time)


@given(st.integers(-(2**63), 2**63 - 1), st.integers(1, 10**12), st.integers(0, 10**12))
def test_times_at_the_ends_of_int64_are_in_their_window(time: int, size: int, offset: int) -> None:
    [(start, end)] = Tumbling(size, offset).bounds(time)
    assert start <= time < end
    assert end - start == size
    assert (start - offset) % size == 0


class TowardsZero(Hopping):
    """Broken on purpose: divides as C does, towards zero."""

    def _start_until(self, time_us: int) -> int:
        return self.offset_us + int((time_us - self.offset_us) / self.every_us) * self.every_us


def test_the_oracle_catches_division_towards_zero() -> None:
    broken, expected = TowardsZero(10, 4), Hopping(10, 4)
    assert list(broken.starts(25)) == list(expected.starts(25))
    assert list(broken.starts(-25)) != starts_by_trying_all(10, 4, 0, -25)


def test_the_start_is_inside_and_the_end_is_not() -> None:
    tumbling = Tumbling(10)
    assert tumbling.bounds(0) == tumbling.bounds(9) == [(0, 10)]
    assert tumbling.bounds(10) == [(10, 20)]
    assert tumbling.bounds(-1) == [(-10, 0)]


def test_a_size_that_does_not_divide_a_minute_gives_one_window() -> None:
    time = datetime(2024, 7, 1, 0, 8, 33, 40_400, tzinfo=UTC)
    time_us = (time - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    tumbling = window.tumbling("5.5 s", offset="5 s")
    [(start, end)] = tumbling.bounds(time_us)
    assert start <= time_us < end
    assert (start - 5_000_000) % 5_500_000 == 0
    assert [(start, end)] == window.hopping("5.5 s", every="5.5 s", offset="5 s").bounds(time_us)


def test_a_hop_longer_than_the_size_leaves_gaps() -> None:
    sampled = Hopping(size_us=2, every_us=5)
    assert [list(sampled.starts(time)) for time in range(-1, 6)] == [[], [0], [0], [], [], [], [5]]


def test_a_hop_that_does_not_divide_the_size_gives_windows_by_turns() -> None:
    uneven = Hopping(size_us=5, every_us=2)
    assert [len(uneven.starts(time)) for time in range(4)] == [3, 2, 3, 2]


def test_tumbling_and_hopping_are_both_aligned_and_never_equal() -> None:
    tumbling: Aligned = Tumbling(10)
    hopping: Aligned = Hopping(10, 10)
    assert tumbling.every_us == hopping.every_us
    assert tumbling != hopping


@pytest.mark.parametrize("size", ["0 s", "-1 hour"])
def test_a_size_that_is_not_positive_is_refused(size: str) -> None:
    for make in (window.tumbling, lambda size: window.hopping(size, every="1 s")):
        with pytest.raises(WindowError, match=r"^size='.*' is not positive; .*size=\"1 minute\""):
            make(size)


def test_a_hop_that_is_not_positive_is_refused() -> None:
    with pytest.raises(WindowError, match=r"^every='0 seconds' is not positive; .*every=\"1 min"):
        window.hopping("1 hour", every="0 s")


@pytest.mark.parametrize("size", [1.0, "1 hour", None, True])
def test_the_classes_take_whole_microseconds_only(size: Any) -> None:
    for make in (Tumbling, lambda size: Hopping(size, 1)):
        with pytest.raises(WindowError, match=r"^size_us=.*give whole microseconds as an int"):
            make(size)
    with pytest.raises(WindowError, match=r"^offset_us=.*windrow\.window, which reads durations"):
        Tumbling(1, size)


def test_microseconds_beyond_int64_are_refused() -> None:
    with pytest.raises(WindowError, match=r"^offset_us=\d+ exceeds .*at most 106751991 days"):
        Tumbling(1, 2**63)


def test_each_duration_is_refused_under_its_own_name() -> None:
    bare: Any = 60
    with pytest.raises(WindowError, match=r"^size=60 has no unit"):
        window.tumbling(bare)
    with pytest.raises(WindowError, match=r"^every=60 has no unit"):
        window.hopping("1 hour", every=bare)
    for make in (window.tumbling, lambda size, offset: window.hopping(size, "1 s", offset)):
        with pytest.raises(WindowError, match=r"^offset=60 has no unit"):
            make("1 hour", bare)
