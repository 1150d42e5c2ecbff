"""Durations: readable text outside, whole microseconds inside, exact in both directions."""

import re
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from windrow.arguments import shown, whole
from windrow.errors import WindowError

__all__ = ["MAX_US", "MIN_US", "Duration", "describe", "microseconds"]

Duration: TypeAlias = str | timedelta

MAX_US = 2**63 - 1  # event time is an int64 inside
MIN_US = -MAX_US - 1


class _Unit(NamedTuple):
    us: int
    name: str
    symbol: str
    aliases: tuple[str, ...]


_UNITS = (
    _Unit(604_800_000_000, "week", "w", ("wk", "wks")),
    _Unit(86_400_000_000, "day", "d", ()),
    _Unit(3_600_000_000, "hour", "h", ("hr", "hrs")),
    _Unit(60_000_000, "minute", "min", ("mins", "m")),
    _Unit(1_000_000, "second", "s", ("sec", "secs")),
    _Unit(1_000, "millisecond", "ms", ("milli", "millis", "msec", "msecs")),
    # casefold() turns the micro sign into the Greek letter mu: one entry serves both
    _Unit(1, "microsecond", "us", ("\u03bcs", "micro", "micros", "usec", "usecs")),
)
_WEEK = _UNITS[0]
_UNIT_US = {
    spelling: unit.us
    for unit in _UNITS
    for spelling in (unit.name, f"{unit.name}s", unit.symbol, *unit.aliases)
}
_KNOWN_UNITS = ", ".join(f"{unit.name} ({unit.symbol})" for unit in _UNITS)
_CALENDAR_UNITS = frozenset(
    {"mo", "month", "months", "quarter", "quarters", "y", "yr", "yrs", "year", "years"}
)
_TERM = re.compile(r"([0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*([^\W\d_]+|$)\s*")
_MICROSECOND = timedelta(microseconds=1)


def microseconds(value: Duration, argument: str) -> int:
    """Read a duration as whole microseconds; `argument` is the name that errors mention.

    A duration is a `timedelta`, or text made of numbers with units: weeks, days, hours, minutes,
    seconds, milliseconds, microseconds, written out or abbreviated, in any case. The terms add
    up; a leading minus negates them all. Nothing is rounded.

    >>> microseconds("1h 30m", "size") == microseconds("90 minutes", "size")
    True
    >>> microseconds("1.5 s", "gap")
    1500000
    >>> microseconds(90, "size")
    Traceback (most recent call last):
    windrow.errors.WindowError: size=90 has no unit; give a unit, e.g. "90s", or a timedelta
    """
    if isinstance(value, timedelta):
        # a subclass may hold a rest below a microsecond, as the one of pandas does
        whole, rest = divmod(value, _MICROSECOND)
        total = int(whole) + Fraction(rest / _MICROSECOND)
    elif isinstance(value, str):
        total = _read(value, argument)
    else:
        raise WindowError(_not_a_duration(value, argument))
    if total.denominator != 1:
        raise WindowError(
            f"{argument}={shown(value)} is finer than a microsecond; give whole microseconds"
        )
    if abs(total) > MAX_US:
        raise WindowError(
            f"{argument}={shown(value)} exceeds 2^63 - 1 microseconds; give at most 106751991 days"
        )
    return total.numerator


def describe(us: int) -> str:
    """Write microseconds the way a person would; `microseconds` reads the text back.

    >>> describe(3_600_000_000), describe(5_400_000_000), describe(-250_000)
    ('1 hour', '1 h 30 min', '-250 milliseconds')
    """
    number = whole(us)
    if number is None:
        raise WindowError(
            f"us={shown(us)} is a {type(us).__name__}; give microseconds as a whole number"
        )
    if number.bit_length() > 128:  # beyond thousands of digits Python writes no number
        raise WindowError(f"us={shown(us)} is longer than all times; give at most 2^63 - 1")
    if number < 0:
        return f"-{describe(-number)}"
    terms: list[tuple[int, _Unit]] = []
    rest = number
    for unit in _UNITS:
        if unit is _WEEK and rest % unit.us:
            continue  # "8 days" reads better than "1 w 1 d"
        count, rest = divmod(rest, unit.us)
        if count:
            terms.append((count, unit))
    if not terms:
        return "0 seconds"
    if len(terms) == 1:
        count, unit = terms[0]
        return f"{count} {unit.name}{'' if count == 1 else 's'}"
    return " ".join(f"{count} {unit.symbol}" for count, unit in terms)


def _read(text: str, argument: str) -> Fraction:
    """Add up the terms of a duration, in microseconds."""
    terms = text.casefold().strip()
    sign = -1 if terms.startswith("-") else 1
    terms = terms.removeprefix("-").lstrip()
    total = Fraction(0)
    position = 0
    while True:
        term = _TERM.match(terms, position)
        if term is None:
            raise WindowError(
                f"{argument}={shown(text)} is not readable as a duration; "
                'write numbers with units, e.g. "1 hour" or "1 h 30 min"'
            )
        number, unit = term.groups()
        total += Fraction(Decimal(number)) * _unit_us(unit, text, argument)
        position = term.end()
        if position == len(terms):
            return sign * total


def _unit_us(unit: str, text: str, argument: str) -> int:
    """The length of one unit in microseconds."""
    if unit in _UNIT_US:
        return _UNIT_US[unit]
    if not unit:
        raise WindowError(_without_unit(text, argument))
    if unit in _CALENDAR_UNITS:
        raise WindowError(
            f"{argument}={shown(text)}: months, quarters and years have no fixed length; "
            'use days, e.g. "30 days"'
        )
    raise WindowError(
        f"{argument}={shown(text)} has the unknown unit {shown(unit)}; known units: {_KNOWN_UNITS}"
    )


def _not_a_duration(value: object, argument: str) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _without_unit(value, argument)
    return (
        f"{argument}={shown(value)} is a {type(value).__name__}; "
        'give text such as "1 hour", or a timedelta'
    )


def _without_unit(value: object, argument: str) -> str:
    return f'{argument}={shown(value)} has no unit; give a unit, e.g. "90s", or a timedelta'
