"""Durations are read and written exactly, and refused with a way out."""

import re
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.arguments import shown
from windrow.errors import WindowError
from windrow.windows.durations import MAX_US, describe, microseconds

MS, SECOND, MINUTE = 1_000, 1_000_000, 60_000_000
HOUR, DAY, WEEK = 3_600_000_000, 86_400_000_000, 604_800_000_000


def refusal(value: Any) -> str:
    with pytest.raises(WindowError) as caught:
        microseconds(value, "gap")
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "us"),
    [
        ("1 hour", HOUR),
        ("90s", 90 * SECOND),
        ("1h 30m", 90 * MINUTE),
        ("1h30m", 90 * MINUTE),
        ("1 hour 30 minutes", 90 * MINUTE),
        ("1.5 s", 1_500_000),
        (".5 min", 30 * SECOND),
        ("250 ms", 250 * MS),
        ("10 us", 10),
        ("10 \u00b5s", 10),
        ("10 \u03bcs", 10),
        ("2 days", 2 * DAY),
        ("1 week", WEEK),
        ("  2 HOURS\t5 Sec ", 2 * HOUR + 5 * SECOND),
        ("0 s", 0),
        ("-30 s", -30 * SECOND),
        ("-1 h 30 min", -90 * MINUTE),
        ("0.000001 s", 1),
        ("0.1 s 0.2 s", 300_000),
    ],
)
def test_text_is_read_as_microseconds(text: str, us: int) -> None:
    assert microseconds(text, "size") == us


@pytest.mark.parametrize(
    ("us", "spellings"),
    [
        (WEEK, "week weeks wk wks w"),
        (DAY, "day days d"),
        (HOUR, "hour hours hr hrs h"),
        (MINUTE, "minute minutes min mins m"),
        (SECOND, "second seconds sec secs s"),
        (MS, "millisecond milliseconds milli millis msec msecs ms"),
        (1, "microsecond microseconds micro micros usec usecs us \u00b5s \u03bcs"),
    ],
)
def test_every_unit_is_known_by_its_names_in_any_case(us: int, spellings: str) -> None:
    for spelling in spellings.split():
        assert microseconds(f"3 {spelling}", "size") == 3 * us
        assert microseconds(f"3{spelling.upper()}", "size") == 3 * us


def test_long_fractions_lose_nothing() -> None:
    assert microseconds("9007199254.740993 s", "size") == 9_007_199_254_740_993


@given(st.timedeltas(min_value=timedelta(days=-(10**8)), max_value=timedelta(days=10**8)))
def test_a_timedelta_is_read_exactly(value: timedelta) -> None:
    us = microseconds(value, "size")
    assert type(us) is int
    assert timedelta(microseconds=us) == value


@given(st.integers(min_value=-MAX_US, max_value=MAX_US))
def test_a_description_is_read_back_unchanged(us: int) -> None:
    assert microseconds(describe(us), "size") == us


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
def test_the_terms_of_a_duration_add_up(hours: int, seconds: int, us: int) -> None:
    text = f"{hours} h {seconds} s {us} us"
    assert microseconds(text, "size") == hours * HOUR + seconds * SECOND + us


@given(st.integers(0, 10**9), st.integers(0, 10**6 - 1))
def test_decimals_of_a_second_are_exact(whole: int, millionths: int) -> None:
    assert microseconds(f"{whole}.{millionths:06} s", "size") == whole * SECOND + millionths


@pytest.mark.parametrize(
    ("us", "text"),
    [
        (HOUR, "1 hour"),
        (90 * MINUTE, "1 h 30 min"),
        (2 * DAY, "2 days"),
        (8 * DAY, "8 days"),
        (2 * WEEK, "2 weeks"),
        (5_500_000, "5 s 500 ms"),
        (1, "1 microsecond"),
        (0, "0 seconds"),
        (-MINUTE, "-1 minute"),
    ],
)
def test_a_description_reads_like_speech(us: int, text: str) -> None:
    assert describe(us) == text


@pytest.mark.parametrize("value", [90, 90.0, 0, -1])
def test_a_bare_number_is_refused_for_want_of_a_unit(value: float) -> None:
    assert refusal(value) == f'gap={value!r} has no unit; give a unit, e.g. "90s", or a timedelta'


@pytest.mark.parametrize("text", ["90", "1h 30"])
def test_text_without_a_unit_is_refused_like_a_bare_number(text: str) -> None:
    assert refusal(text) == f'gap={text!r} has no unit; give a unit, e.g. "90s", or a timedelta'


@pytest.mark.parametrize("value", [None, True, b"1 s", ["1 s"]])
def test_other_types_are_refused_by_name(value: object) -> None:
    message = refusal(value)
    assert message.startswith(f"gap={value!r} is a {type(value).__name__}; ")
    assert message.endswith('give text such as "1 hour", or a timedelta')


@pytest.mark.parametrize("text", ["1 month", "2 Months", "3mo", "1 year", "1y", "1 quarter"])
def test_months_and_years_are_refused_in_favour_of_days(text: str) -> None:
    message = refusal(text)
    assert message.startswith(f"gap={text!r}: ")
    assert "have no fixed length; use days" in message


def test_an_unknown_unit_is_answered_with_the_known_ones() -> None:
    message = refusal("3 Fortnights")
    assert message.startswith("gap='3 Fortnights' has the unknown unit 'fortnights'; ")
    for known in ("week", "day", "hour", "minute", "second", "millisecond", "microsecond"):
        assert re.search(rf"\b{known} \(\w+\)", message)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "-",
        "hour",
        "an hour",
        "1,5 s",
        "1.5.5 s",
        "--1 s",
        "1 h -30 min",
        "1 s!",
        "\u0661 s",
    ],
)
def test_unreadable_text_is_refused_with_an_example(text: str) -> None:
    message = refusal(text)
    assert message.startswith(f"gap={text!r} ")
    assert 'write numbers with units, e.g. "1 hour"' in message


@pytest.mark.parametrize("text", ["0.5 us", "0.0001 ms", "1.0000001 s"])
def test_a_fraction_of_a_microsecond_is_refused(text: str) -> None:
    message = refusal(text)
    assert message == f"gap={text!r} is finer than a microsecond; give whole microseconds"


def test_a_timedelta_finer_than_a_microsecond_is_refused() -> None:
    pandas = pytest.importorskip("pandas")
    assert "is finer than a microsecond" in refusal(pandas.Timedelta("1500 ns"))
    assert microseconds(pandas.Timedelta("1500 us"), "gap") == 1_500


@pytest.mark.parametrize(
    "value", ["106751992 days", timedelta.max, timedelta.min, "9" * 5000 + "d"]
)
def test_durations_beyond_int64_are_refused(value: str | timedelta) -> None:
    message = refusal(value)
    assert message.startswith(f"gap={shown(value)} exceeds 2^63 - 1 microseconds; ")
    assert message.endswith("give at most 106751991 days")
    assert microseconds("106751991 days", "gap") <= MAX_US
