"""Sessions take a positive gap, count windows positive numbers of rows."""

from typing import Any

import pytest

from windrow import window
from windrow.errors import WindowError
from windrow.windows import Count, Session


def test_a_session_is_given_by_its_gap() -> None:
    assert window.session("30 min") == Session(1_800_000_000)


def test_a_gap_that_is_not_positive_is_refused() -> None:
    with pytest.raises(WindowError, match=r"^gap='0 seconds' is not positive; .*gap=\"1 minute\""):
        window.session("0 s")


def test_a_gap_without_unit_is_refused_under_its_name() -> None:
    gap: Any = 30
    with pytest.raises(WindowError, match=r'^gap=30 has no unit; .*"90s"'):
        window.session(gap)
    with pytest.raises(WindowError, match=r"^gap_us=30.0 is a float; give whole microseconds"):
        Session(gap * 1.0)


def test_count_windows_follow_each_other_unless_told_otherwise() -> None:
    assert window.count(10) == Count(10, 10)
    assert window.count(10, every=3) == Count(10, 3)
    assert window.count(10, every=30) == Count(10, 30)


@pytest.mark.parametrize("number", [0, -5])
def test_numbers_of_rows_that_are_not_positive_are_refused(number: int) -> None:
    with pytest.raises(WindowError, match=rf"^size={number} is not positive; .*size=1000"):
        window.count(number)
    with pytest.raises(WindowError, match=rf"^every={number} is not positive; .*every=1000"):
        window.count(10, every=number)


@pytest.mark.parametrize("number", ["10", 10.0, True])
def test_numbers_of_rows_of_another_type_are_refused(number: Any) -> None:
    with pytest.raises(WindowError, match=r"^size=.* is a \w+; give a positive int, e\.g\. size="):
        window.count(number)
    with pytest.raises(WindowError, match=r"^every=.* is a \w+; give a positive int, e\.g\. every"):
        window.count(10, every=number)
