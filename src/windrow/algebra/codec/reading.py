"""Bytes to values again: any bytes give a value or an error, whoever wrote them."""

import struct
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from itertools import accumulate, pairwise
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

from windrow.algebra import canonical
from windrow.algebra.catalogue.sketches import restored_sketch
from windrow.algebra.codec import letters as L
from windrow.algebra.rope import Rope
from windrow.errors import SnapshotError

__all__ = ["decode"]

# From bytes, a place in them and the depth there to a value and the place behind it.
_Reader: TypeAlias = Callable[[bytes, int, int], tuple[Any, int]]

# All that Python's own types say of contents that they cannot be made of.
_REFUSALS = (ArithmeticError, LookupError, OSError, TypeError, ValueError, struct.error)

_TIMEDELTA = struct.Struct("<iII")
_TIME = struct.Struct("<BBBIB")
_DATETIME = struct.Struct("<HBBBBBIB")
_count = L.COUNT.unpack_from
_long = L.LONG.unpack_from
_double = L.DOUBLE.unpack_from


def decode(content: bytes) -> Any:
    """The value that `encode` made bytes of."""
    try:
        value, end = _READERS[content[0]](content, 1, 0)
        if end != len(content):
            raise ValueError(f"{len(content) - end} bytes follow it")
    except _REFUSALS as reason:
        raise SnapshotError(
            f"a state of {len(content)} bytes that begins with {content[:8]!r} is damaged "
            f"({reason}); use a copy of the checkpoint or store, or begin with a new one"
        ) from None
    return value


def _slice(content: bytes, at: int, length: int) -> tuple[bytes, int]:
    """The next `size` bytes, which must exist, and the position after them."""
    end = at + length
    if end > len(content):
        raise ValueError(f"{end - len(content)} bytes are missing")
    return content[at:end], end


def _sized(content: bytes, at: int) -> tuple[bytes, int]:
    return _slice(content, at + 4, _count(content, at)[0])


def _read_int(content: bytes, at: int, depth: int) -> tuple[int, int]:
    return _long(content, at)[0], at + 8


def _read_big(content: bytes, at: int, depth: int) -> tuple[int, int]:
    own, end = _sized(content, at)
    return int.from_bytes(own, "little", signed=True), end


def _read_float(content: bytes, at: int, depth: int) -> tuple[float, int]:
    return _double(content, at)[0], at + 8


def _read_text(content: bytes, at: int, depth: int) -> tuple[str, int]:
    own, end = _sized(content, at)
    return own.decode("utf-8", "surrogatepass"), end


def _read_bytes(content: bytes, at: int, depth: int) -> tuple[bytes, int]:
    return _sized(content, at)


def _read_decimal(content: bytes, at: int, depth: int) -> tuple[Decimal, int]:
    own, end = _sized(content, at)
    return Decimal(own.decode("ascii")), end


def _read_date(content: bytes, at: int, depth: int) -> tuple[date, int]:
    return date.fromordinal(_count(content, at)[0]), at + 4


def _read_time(content: bytes, at: int, depth: int) -> tuple[time, int]:
    hour, minute, second, micro, fold = _TIME.unpack_from(content, at)
    zone, end = _read_zone(content, at + _TIME.size)
    return time(hour, minute, second, micro, zone, fold=fold), end


def _read_datetime(content: bytes, at: int, depth: int) -> tuple[datetime, int]:
    year, month, day, hour, minute, second, micro, fold = _DATETIME.unpack_from(content, at)
    zone, end = _read_zone(content, at + _DATETIME.size)
    return datetime(year, month, day, hour, minute, second, micro, zone, fold=fold), end


def _read_zone(content: bytes, at: int) -> tuple[tzinfo | None, int]:
    letter = content[at]
    if letter == L.NONE:
        return None, at + 1
    if letter == L.TEXT:
        name, end = _read_text(content, at + 1, 0)
        return ZoneInfo(name), end
    if letter == L.TIMEDELTA:
        offset, end = _read_timedelta(content, at + 1, 0)
        return timezone(offset) if offset else UTC, end
    raise ValueError(f"{bytes([letter])!r} is no time zone")


def _read_timedelta(content: bytes, at: int, depth: int) -> tuple[timedelta, int]:
    return timedelta(*_TIMEDELTA.unpack_from(content, at)), at + _TIMEDELTA.size


def _read_dict(content: bytes, at: int, depth: int) -> tuple[dict[Any, Any], int]:
    keys, at = _read_items(content, at, depth)
    values, at = _read_items(content, at, depth)
    return dict(zip(keys, values, strict=True)), at


def _sequence(make: Callable[[Sequence[Any]], Any]) -> _Reader:
    def read(content: bytes, at: int, depth: int) -> tuple[Any, int]:
        items, at = _read_items(content, at, depth)
        return make(items), at

    return read


def _read_list(content: bytes, at: int, depth: int) -> tuple[list[Any], int]:
    items, at = _read_items(content, at, depth)
    return items if type(items) is list else list(items), at


def _read_items(content: bytes, at: int, depth: int) -> tuple[Sequence[Any], int]:
    number, way = L.ITEMS.unpack_from(content, at)
    at += 5
    if way == L.MIXED:
        if number > len(content) - at:
            raise ValueError(f"{number} items in {len(content) - at} bytes")
        _require_shallow(depth)
        readers, items, depth = _READERS, [], depth + 1
        for _ in range(number):
            value, at = readers[content[at]](content, at + 1, depth)
            items.append(value)
        return items, at
    if way in (L.FLOAT, L.INT):
        end = at + 8 * number
        if end > len(content):
            raise ValueError(f"{end - len(content)} bytes are missing")
        kind = "d" if way == L.FLOAT else "q"
        return struct.unpack_from(f"<{number}{kind}", content, at), end
    if way in (L.TEXT, L.BYTES):
        return _read_joined(content, at, number, way)
    if way in (L.TUPLE, L.DICT):
        return _read_columns(content, at, depth, number, way)
    raise ValueError(f"{bytes([way])!r} is no way for items to lie")


def _read_joined(content: bytes, at: int, number: int, way: int) -> tuple[list[Any], int]:
    """Items that are one text, or one piece of bytes, and how long each is."""
    if 4 * number + 4 > len(content) - at:
        raise ValueError(f"{number} items in {len(content) - at} bytes")
    length, *lengths = struct.unpack_from(f"<{number + 1}I", content, at)
    own, end = _slice(content, at + 4 * (number + 1), length)
    joined: Any = own.decode("utf-8", "surrogatepass") if way == L.TEXT else own
    ends = list(accumulate(lengths, initial=0))
    if ends[-1] != len(joined):
        raise ValueError(f"items of {ends[-1]} characters in {len(joined)}")
    return [joined[a:b] for a, b in pairwise(ends)], end


def _read_columns(
    content: bytes, at: int, depth: int, number: int, way: int
) -> tuple[list[Any], int]:
    """Tuples of one length, or dicts of the same keys, column by column."""
    _require_shallow(depth)
    names: Sequence[Any] = ()
    if way == L.DICT:
        names, at = _read_items(content, at, depth + 1)
        width = len(names)
    else:
        (width,), at = _count(content, at), at + 4
    if not 0 < width <= len(content) - at:
        raise ValueError(f"{width} columns in {len(content) - at} bytes")
    columns = []
    for _ in range(width):
        column, at = _read_items(content, at, depth + 1)
        if len(column) != number:
            raise ValueError(f"a column of {len(column)} items for {number}")
        columns.append(column)
    rows = zip(*columns, strict=True)
    if way == L.TUPLE:
        return list(rows), at
    return [dict(zip(names, row, strict=True)) for row in rows], at


def _require_shallow(depth: int) -> None:
    if depth >= L.MOST_NESTED:
        raise ValueError(f"containers lie more than {L.MOST_NESTED} deep in each other")


def _read_sketch(content: bytes, at: int, depth: int) -> tuple[Any, int]:
    if content[at] != L.TEXT:
        raise ValueError("a sketch without a kind")
    kind, at = _read_text(content, at + 1, depth)
    if content[at] != L.BYTES:
        raise ValueError("a sketch without bytes")
    own, at = _sized(content, at + 1)
    return restored_sketch(kind, own), at


def _constant(value: Any) -> _Reader:
    return lambda content, at, depth: (value, at)


_READERS: dict[int, _Reader] = {
    L.NONE: _constant(None),
    L.TRUE: _constant(True),
    L.FALSE: _constant(False),
    L.INT: _read_int,
    L.BIG: _read_big,
    L.FLOAT: _read_float,
    L.TEXT: _read_text,
    L.BYTES: _read_bytes,
    L.DECIMAL: _read_decimal,
    L.DATE: _read_date,
    L.TIME: _read_time,
    L.DATETIME: _read_datetime,
    L.TIMEDELTA: _read_timedelta,
    L.TUPLE: _sequence(tuple),
    L.LIST: _read_list,
    L.SET: _sequence(set),
    L.FROZENSET: _sequence(frozenset),
    L.DICT: _read_dict,
    L.ROPE: _sequence(Rope),
    L.NAN: _constant(canonical.NAN),
    L.SKETCH: _read_sketch,
}
