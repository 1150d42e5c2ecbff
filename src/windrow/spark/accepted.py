"""Which columns an aggregate of the catalogue takes; others are refused before anything runs."""

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.registry import Takes, registered
from windrow.errors import InputError
from windrow.slicing.summary_inputs import TIME_TYPE, reads_time

__all__ = ["require_accepted"]

Check = Callable[[pa.DataType], bool]

# Any value will do, as it is only passed on; of these aggregates, only the first they read.
_PASSED_ON = frozenset({"count", "first", "last", "collect"})
_FIRST_PASSED_ON = frozenset({"argmax", "argmin"})
# Numbers, or what lies on a line of its own.
_LINES = frozenset({"range"})


def require_accepted(
    name: str, aggregate: Aggregate[Any], types: Sequence[pa.DataType], written: str
) -> None:
    """Refuse columns of types that an aggregate makes no sense of; `written` is its name."""
    entry = registered().get(aggregate.monoid.name)
    if entry is None or aggregate.monoid.changing or not types:
        return
    check, wanted, way_out = _wanted(entry.name, entry.takes)
    passed_on = 1 if entry.name in _FIRST_PASSED_ON else 0
    read = list(zip(types, reads_time(aggregate), strict=True))
    for kind, is_time in read[passed_on:]:
        own = TIME_TYPE if is_time else kind
        if not pa.types.is_null(own) and not check(own):
            raise InputError(
                f"{name}={written} reads a column of type {own}, and takes {wanted}; {way_out}"
            )


def _wanted(name: str, takes: Takes) -> tuple[Check, str, str]:
    if name in _PASSED_ON:
        return (lambda kind: True), "anything", ""
    if name in _LINES:
        return _on_a_line, "numbers, times and durations", "cast it first, e.g. to double"
    match takes:
        case Takes.NUMBERS:
            return _number, "numbers", "cast it first, e.g. F.col(...).cast('double')"
        case Takes.BOOLEANS:
            return pa.types.is_boolean, "booleans", "give a condition, e.g. F.col(...) > 0"
        case Takes.TEXT:
            return _text, "text", "cast it first: F.col(...).cast('string')"
        case _:
            return _scalar, "single values", "take a field of it, or its text: F.to_json(...)"


def _number(kind: pa.DataType) -> bool:
    checks: list[Check] = [
        pa.types.is_integer,
        pa.types.is_floating,
        pa.types.is_decimal,
        pa.types.is_boolean,
        pa.types.is_duration,
    ]
    return any(check(kind) for check in checks)


def _on_a_line(kind: pa.DataType) -> bool:
    return _number(kind) or pa.types.is_timestamp(kind) or pa.types.is_date(kind)


def _text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _scalar(kind: pa.DataType) -> bool:
    return not bool(pa.types.is_nested(kind))
