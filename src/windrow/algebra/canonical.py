"""Which values count as one: 1 and 1.0, 0.0 and -0.0, NaN and NaN, as in a column of one type.

`key` answers within a process, `encode` in every process and run: equal keys have equal bytes, and
bytes stay the same from run to run, so sketches and filters built in different places can meet.
"""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any, Final

import numpy as np

from windrow.arguments import shown
from windrow.errors import InputError

__all__ = ["NAN", "encode", "key"]


class _Nan(Enum):
    """An enum, because its member is still the same object after pickling."""

    NAN = "NaN"


NAN: Final = _Nan.NAN


def key(value: Any) -> Any:
    """A hashable stand-in for the value, equal for values that count as one.

    >>> nan = float("nan")
    >>> key(nan) == key(-nan), key(0.0) == key(-0.0), key(1) == key("1")
    (True, True, False)
    """
    if value != value:
        return NAN
    if isinstance(value, bytearray):
        return bytes(value)
    try:
        hash(value)
    except TypeError:
        raise InputError(
            f"{shown(value)} cannot be compared with other values: a {type(value).__name__} has no "
            "hash; turn it into a tuple or text first"
        ) from None
    return value


def encode(value: Any) -> bytes:
    """The value as bytes, the same for values that count as one, in every process and run.

    >>> encode(1) == encode(1.0) == encode(Decimal("1.00")) != encode("1")
    True
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is NAN or value != value:
        return b"nan"
    match value:
        case str():
            return b"s" + value.encode("utf-8", "surrogatepass")
        case int() | float() | Decimal() | Fraction():
            return b"n" + _number(value)
        case bytes() | bytearray():
            return b"b" + value
        case datetime() if value.tzinfo is not None:
            return b"i" + value.astimezone(UTC).isoformat().encode()
        case datetime():
            return b"w" + value.isoformat().encode()
        case date():
            return b"d" + value.isoformat().encode()
        case time():
            return b"c" + value.isoformat().encode()
        case timedelta():
            return b"p%d" % (value // timedelta(microseconds=1))
        case tuple():
            parts = [encode(part) for part in value]
            return b"t" + b"".join(b"%d:%b" % (len(part), part) for part in parts)
    raise InputError(
        f"{shown(value)} has no stable encoding: {type(value).__name__} is not supported; "
        "use text, bytes, numbers, booleans, dates, times or tuples of them"
    )


def _number(value: int | float | Decimal | Fraction) -> bytes:
    if isinstance(value, float | Decimal) and value in (float("inf"), float("-inf")):
        return b"+" if value > 0 else b"-"
    return b"%x/%x" % value.as_integer_ratio()
