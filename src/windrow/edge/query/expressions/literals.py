"""Values written out: numbers in Spark's types, and moments with their zone."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal

import pyarrow as pa

from windrow.edge.query.expressions.kinds import LIMITS
from windrow.edge.query.expressions.values import Expression, MismatchError, literal

__all__ = ["TIMED", "boolean", "null", "number", "text", "timed"]

_SUFFIXES = {"L": pa.int64(), "S": pa.int16(), "Y": pa.int8()}
_MOST_DIGITS = 38
_DATE = r"(\d{4})-(\d{2})-(\d{2})"
_MOMENT = re.compile(
    _DATE + r"[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?\s*(Z|[+-]\d{2}:\d{2})?"
)
#: The types whose name may stand before a text.
TIMED = ("TIMESTAMP", "TIMESTAMP_NTZ", "DATE")


def number(written: str) -> Expression:
    """A number, perhaps with a minus, of the type that Spark reads it as.

    >>> [str(number(text).kind) for text in ("1", "3000000000", "1.50", "1e3", "-5L")]
    ['int32', 'int64', 'decimal128(3, 2)', 'double', 'int64']
    """
    match = re.fullmatch(r"(-?)([\d.]+(?:[eE][+-]?\d+)?)([a-zA-Z]*)", written)
    if match is None:
        raise MismatchError(f"{written!r} is no number")
    digits, suffix = match[1] + match[2], match[3].upper()
    shown = digits.lower() + suffix
    whole = digits.lstrip("-").isdecimal()
    if suffix in _SUFFIXES or (whole and not suffix):
        if not whole:
            raise MismatchError(f"{written} is no whole number (leave the {suffix} out)")
        value = int(digits)
        kinds = [_SUFFIXES[suffix]] if suffix else [pa.int32(), pa.int64()]
        for kind in kinds:
            lowest, highest = LIMITS[kind]
            if lowest <= value <= highest:
                return literal(value, kind, shown)
        if suffix:
            raise MismatchError(f"{written} does not fit its type")
    if suffix == "F":
        return literal(float(digits), pa.float32(), shown)
    if suffix == "D" or (not suffix and "e" in digits.lower()):
        return literal(float(digits), pa.float64(), shown)
    return _decimal(digits, shown)


def _decimal(digits: str, shown: str) -> Expression:
    value = Decimal(digits)
    _, own, exponent = value.as_tuple()
    if not isinstance(exponent, int) or exponent > 0:
        value, exponent, own = Decimal(int(value)), 0, Decimal(int(value)).as_tuple().digits
    precision = max(len(own), -exponent, 1)
    if precision > _MOST_DIGITS:
        raise MismatchError(f"{digits} has more than {_MOST_DIGITS} digits")
    return literal(value, pa.decimal128(precision, -exponent), shown)


def null() -> Expression:
    """Null, of no type yet."""
    return literal(None, pa.null(), "NULL")


def boolean(word: str) -> Expression:
    """TRUE or FALSE."""
    return literal(word == "TRUE", pa.bool_(), word)


def text(value: str) -> Expression:
    """Text."""
    return literal(value, pa.string(), repr(value))


def timed(word: str, value: str) -> Expression:
    """A moment or a date; a moment must say its zone, as sessions of Spark have different ones."""
    shown = f"{word} {value!r}"
    if word == "DATE":
        found = re.fullmatch(_DATE, value.strip())
        if found is None:
            raise MismatchError(f"{shown} is no date (write e.g. DATE '2024-07-01')")
        moment = _valid([*found.groups(), "0", "0", "0", "0"], shown)
        return literal(moment.date(), pa.date32(), shown)
    found = _MOMENT.fullmatch(value.strip())
    zone = None if found is None else found[8]
    zoned = word == "TIMESTAMP"
    if found is None or zoned != (zone is not None):
        example = "2024-07-01 12:00:00" + ("+02:00" if zoned else "")
        raise MismatchError(
            f"{shown} is no time {'with' if zoned else 'without'} a zone "
            f"(write e.g. {word} '{example}')"
        )
    parts = [*found.groups(default="0")[:6], found.group(7) or "0"]
    parts[6] = parts[6].ljust(6, "0")
    moment = _valid(parts, shown)
    if not zoned:
        return literal(moment, pa.timestamp("us"), shown)
    offset = datetime.strptime("+00:00" if zone == "Z" else str(zone), "%z").tzinfo
    moment = moment.replace(tzinfo=offset).astimezone(UTC)
    return literal(moment, pa.timestamp("us", tz="UTC"), shown)


def _valid(parts: Sequence[str], shown: str) -> datetime:
    try:
        year, month, day, hour, minute, second, us = map(int, parts)
        return datetime(year, month, day, hour, minute, second, us)
    except (ValueError, OverflowError) as error:
        raise MismatchError(f"{shown}: {error}") from None
