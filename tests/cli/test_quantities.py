"""Quantities as one writes them: what is read, and what is refused with a way out."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.cli.figures import aligned, duration, rounded
from windrow.cli.quantities import (
    read_bytes,
    read_count,
    read_entries,
    read_limit,
    read_number,
    read_rate,
    read_seconds,
    read_share,
)
from windrow.errors import InputError


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("0.5/s", 0.5),
        ("30/min", 0.5),
        ("2/h", 2 / 3600),
        ("1/10s", 0.1),
        ("3 items / 2 min", 0.025),
        ("1e3/s", 1000.0),
        ("1_500/second", 1500.0),
    ],
)
def test_a_rate_is_told_per_second(text: str, rate: float) -> None:
    assert read_rate(text, "--rate") == pytest.approx(rate, rel=1e-15)


@given(st.integers(1, 10**6), st.sampled_from([("s", 1), ("min", 60), ("h", 3600), ("d", 86_400)]))
def test_a_rate_per_any_unit_is_the_nearest_number(many: int, unit: tuple[str, int]) -> None:
    assert read_rate(f"{many}/{unit[0]}", "--rate") == float(Fraction(many, unit[1]))


def test_limits_are_of_items_or_of_bytes() -> None:
    assert read_limit("20/s", "--limit") == ("items", 20.0)
    assert read_limit("1,200 items/min", "--limit") == ("items", 20.0)
    assert read_limit("1MB/s", "--limit") == ("bytes", 1_000_000.0)
    assert read_limit("60 KiB/min", "--limit") == ("bytes", 1024.0)
    assert read_limit("512 bytes/s", "--limit") == ("bytes", 512.0)


def test_sizes_shares_counts_and_durations_are_read() -> None:
    assert read_bytes("50KB", "--size") == 50_000
    assert read_bytes("1.5MiB", "--size") == 1.5 * 1024**2
    assert read_share("10%", "--margin", "…") == read_share("0.1", "--margin", "…") == 0.1
    assert read_count("1e8", "--sources", "500") == 10**8
    assert read_count("10_000", "--sources", "500") == 10_000
    assert read_number(".015", "--price", "1") == 0.015
    assert read_seconds("20min", "--period") == 1200.0
    assert read_seconds("200ms", "--delay") == 0.2


@pytest.mark.parametrize("text", ["0/s", "-1/s", "1", "x/s", "inf/s", "nan/s", "1/0s", "", "/s"])
def test_no_rate_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"--rate .*: give a rate above 0, such as 0\.5/s"):
        read_rate(text, "--rate")


def test_unknown_units_are_named() -> None:
    with pytest.raises(InputError, match="--rate 1/parsec: 1 parsec has the unknown unit 'parsec'"):
        read_rate("1/parsec", "--rate")
    with pytest.raises(InputError, match="--rate 1kB/s: give items"):
        read_rate("1kB/s", "--rate")
    with pytest.raises(InputError, match="--limit 1furlong/s: give a rate"):
        read_limit("1furlong/s", "--limit")
    with pytest.raises(InputError, match=r'--period 5 has no unit; give a unit, e\.g\. "90s"$'):
        read_seconds("5", "--period")
    with pytest.raises(InputError, match="--skew -2s: give a duration of 0 or more"):
        read_seconds("-2s", "--skew")


@pytest.mark.parametrize("text", ["0", "-5", "1.5", "many", "inf", "1e999"])
def test_no_count_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=f"--keys {text}: give a whole number of 1 or more"):
        read_count(text, "--keys", "1000")


def test_entries_are_read_by_name() -> None:
    known = ("count", "rate")
    assert read_entries("count=5, rate = 2/s", "--class", known, "…") == {
        "count": "5",
        "rate": "2/s",
    }
    for text, said in (
        ("count", "'count' is no entry"),
        ("count=", "'count=' is no entry"),
        ("cuont=5", "unknown entry 'cuont' .did you mean 'count'"),
        ("rate=1/s,rate=2/s", "rate is there twice"),
    ):
        with pytest.raises(InputError, match=said):
            read_entries(text, "--class", known, "count=1")


@given(st.floats(1e-6, 1e12))
def test_numbers_are_rounded_to_three_digits(number: float) -> None:
    told = float(rounded(number).replace(",", ""))
    assert told == pytest.approx(number, rel=0.0051)


@given(st.floats(1e-3, 1e8))
def test_durations_are_told_in_their_largest_unit(seconds: float) -> None:
    number, unit = duration(seconds).split()
    lengths = {"ms": 0.001, "s": 1, "min": 60, "h": 3600, "days": 86_400}
    told = float(number.replace(",", "")) * lengths[unit]
    assert told == pytest.approx(seconds, rel=0.0051)


def test_columns_stand_in_line() -> None:
    lines = aligned([["kind", "n"], ["shard", "1"], ["x", "1,000"]], ["kind"])
    assert lines == ["kind       n", "shard      1", "x      1,000"]
