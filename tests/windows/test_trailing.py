"""Trailing windows are given by exactly one of a duration and a number of rows."""

from datetime import timedelta
from typing import Any

import pytest

from windrow import window
from windrow.errors import WindowError
from windrow.windows import Closed, Ties, TrailingRows, TrailingTime

trailing: Any = window.trailing  # the calls below are the ones its types rule out


def test_a_duration_gives_a_window_over_time() -> None:
    assert window.trailing("90s") == TrailingTime(90_000_000)
    assert window.trailing(timedelta(minutes=1)) == TrailingTime(60_000_000)


def test_rows_give_a_window_over_rows() -> None:
    assert window.trailing(rows=3) == TrailingRows(3)


@pytest.mark.parametrize(
    ("arguments", "got"),
    [({}, "duration=None and rows=None"), ({"duration": "1 s", "rows": 2}, "'1 s' and rows=2")],
)
def test_both_or_neither_are_refused(arguments: dict[str, Any], got: str) -> None:
    with pytest.raises(WindowError) as caught:
        trailing(**arguments)
    assert got in str(caught.value)
    assert 'call trailing("1 hour") or trailing(rows=1000)' in str(caught.value)


@pytest.mark.parametrize("rows", ["1000", True, 10.0, [3]])
def test_rows_of_another_type_are_refused(rows: object) -> None:
    with pytest.raises(WindowError) as caught:
        trailing(rows=rows)
    assert str(caught.value) == (
        f"rows={rows!r} is a {type(rows).__name__}; give a positive int, e.g. rows=1000"
    )


@pytest.mark.parametrize("rows", [0, -1])
def test_rows_that_are_not_positive_are_refused(rows: int) -> None:
    with pytest.raises(WindowError, match=rf"^rows={rows} is not positive; .*e\.g\. rows=1000"):
        window.trailing(rows=rows)


def test_a_bare_number_is_pointed_to_units_and_to_rows() -> None:
    with pytest.raises(WindowError, match=r'^duration=1000 has no unit; .*"90s".*rows=1000$'):
        trailing(1000)
    with pytest.raises(WindowError, match=r'^duration=1\.5 has no unit; .*"90s"'):
        trailing(1.5)


@pytest.mark.parametrize("duration", ["0 s", "-1 s", timedelta(0)])
def test_a_duration_that_is_not_positive_is_refused(duration: str | timedelta) -> None:
    with pytest.raises(WindowError, match=r"^duration='.*' is not positive; .*duration=\"1 minute"):
        window.trailing(duration)


def test_the_class_takes_whole_microseconds_only() -> None:
    text: Any = "1 s"
    with pytest.raises(WindowError, match=r"^duration_us='1 s' is a str; give whole microseconds"):
        TrailingTime(text)


@pytest.mark.parametrize("closed", Closed)
@pytest.mark.parametrize("ties", Ties)
def test_ends_and_ties_are_members_or_their_words_and_the_repr_says_them(
    closed: Closed, ties: Ties
) -> None:
    made = TrailingTime(1_000_000, closed, ties)
    assert window.trailing("1 s", closed=closed, ties=ties) == made
    assert window.trailing("1 s", closed=closed.value.upper(), ties=ties.value) == made
    assert eval(repr(made), {"trailing": window.trailing}) == made
    assert (repr(made) == "trailing('1 second')") == (made == TrailingTime(1_000_000))


@pytest.mark.parametrize("wrong", ["rihgt", "", True, 1, None, Ties.TOGETHER])
def test_other_ends_are_refused(wrong: Any) -> None:
    if wrong is not None:
        with pytest.raises(WindowError) as caught:
            trailing("1 s", closed=wrong)
        assert str(caught.value) == (
            f"closed={wrong!r} is not a valid value for closed; use Closed.RIGHT ('right') or "
            "Closed.LEFT ('left') or Closed.BOTH ('both') or Closed.NEITHER ('neither')"
        )
    with pytest.raises(WindowError, match=r"^closed=.* is not a valid value for closed; use "):
        TrailingTime(1, closed=wrong)


def test_other_ties_are_refused() -> None:
    with pytest.raises(
        WindowError, match=r"^ties='apart' .*; use Ties.ARRIVAL \('arrival'\) or Ties.TOGETHER"
    ):
        window.trailing("1 s", ties="apart")


@pytest.mark.parametrize("given", [{"closed": "both"}, {"ties": Ties.TOGETHER}])
def test_rows_have_no_ends_and_no_ties(given: dict[str, Any]) -> None:
    ((argument, value),) = given.items()
    with pytest.raises(WindowError) as caught:
        trailing(rows=3, **given)
    assert str(caught.value).startswith(f"{argument}={value!r} is about times, and rows=3 are")
    assert str(caught.value).endswith(f'leave {argument} out, or give a duration, e.g. "1 hour"')


def test_a_window_whose_start_is_in_reaches_no_further_than_time_does() -> None:
    longest = (1 << 63) - 1
    assert TrailingTime(longest).reach_us == longest
    with pytest.raises(WindowError, match=r"exceeds 2\^63 - 1 microseconds; give at most"):
        TrailingTime(longest, Closed.BOTH)
