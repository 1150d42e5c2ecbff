"""Values to bytes, in one pass."""

import struct
from collections.abc import Callable, Collection
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

import numpy as np

from windrow.algebra import canonical
from windrow.algebra.catalogue.sketches import Sketch
from windrow.algebra.codec import letters as L
from windrow.algebra.rope import Rope
from windrow.errors import AggregateError

__all__ = ["WORTH_A_LOOK", "encode"]

_Put: TypeAlias = Callable[[bytes], None]

#: Fewer items are quicker as values of their own than looked at together.
WORTH_A_LOOK = 4
_MOST = (1 << 32) - 1

_header = struct.Struct("<BI").pack
_items = L.ITEMS.pack
_integer = struct.Struct("<Bq").pack
_float = struct.Struct("<Bd").pack
_timedelta = struct.Struct("<BiII").pack
_date = struct.Struct("<BI").pack
_time = struct.Struct("<BBBBIB").pack
_datetime = struct.Struct("<BHBBBBBIB").pack


def encode(value: Any, name: str = "the aggregate") -> bytes:
    """A plain value as bytes; `name` is whose state it is, for the message should it not be one.

    >>> from windrow.algebra.codec import decode
    >>> decode(encode((1, -0.0, "wind", [None, {"row": 2**70}])))
    (1, -0.0, 'wind', [None, {'row': 1180591620717411303424}])
    """
    parts: list[bytes] = []
    try:
        _write(value, parts.append, 0)
    except _NotPlainError as reason:
        raise AggregateError(
            f"{name} has a state with {reason}, and states are kept as plain values; make states "
            "of None, bool, int, float, str, bytes, Decimal, dates, times, tuples, lists, sets and "
            "dicts, or say how to make such values of them and back, as in "
            "windrow.monoid(..., codec=(encode, decode))"
        ) from None
    return b"".join(parts)


class _NotPlainError(Exception):
    """A value that has no bytes of its own; says which."""


def _write(value: Any, put: _Put, depth: int) -> None:
    writer = _WRITERS.get(type(value))
    if writer is None:
        kind = type(value)
        module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
        raise _NotPlainError(f"a value of type {module}{kind.__qualname__}")
    writer(value, put, depth)


def _write_none(value: None, put: _Put, depth: int) -> None:
    put(b"N")


def _write_bool(value: bool, put: _Put, depth: int) -> None:  # noqa: FBT001
    put(b"1" if value else b"0")


def _write_int(value: int, put: _Put, depth: int) -> None:
    try:
        put(_integer(L.INT, value))
    except struct.error:
        _write_sized(L.BIG, value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True), put)


def _write_float(value: float, put: _Put, depth: int) -> None:
    put(_float(L.FLOAT, value))


def _write_text(value: str, put: _Put, depth: int) -> None:
    _write_sized(L.TEXT, value.encode("utf-8", "surrogatepass"), put)


def _write_bytes(value: bytes, put: _Put, depth: int) -> None:
    _write_sized(L.BYTES, value, put)


def _write_decimal(value: Decimal, put: _Put, depth: int) -> None:
    _write_sized(L.DECIMAL, str(value).encode(), put)


def _write_sized(letter: int, content: bytes, put: _Put) -> None:
    _require_countable(len(content))
    put(_header(letter, len(content)))
    put(content)


def _write_date(value: date, put: _Put, depth: int) -> None:
    put(_date(L.DATE, value.toordinal()))


def _write_time(value: time, put: _Put, depth: int) -> None:
    clock = value.hour, value.minute, value.second, value.microsecond
    put(_time(L.TIME, *clock, value.fold))
    _write_zone(value, put)


def _write_datetime(value: datetime, put: _Put, depth: int) -> None:
    day = value.year, value.month, value.day
    clock = value.hour, value.minute, value.second, value.microsecond
    put(_datetime(L.DATETIME, *day, *clock, value.fold))
    _write_zone(value, put)


def _write_zone(value: time | datetime, put: _Put) -> None:
    """Nothing, a name, or an offset; zones of other libraries become the offset they have."""
    zone = value.tzinfo
    if zone is None:
        put(b"N")
    elif type(zone) is ZoneInfo and zone.key is not None:
        _write_text(zone.key, put, 0)
    elif (offset := value.utcoffset()) is not None:
        _write_timedelta(offset, put, 0)
    else:
        raise _NotPlainError(f"a time in a zone of type {type(zone).__qualname__} without offset")


def _write_timedelta(value: timedelta, put: _Put, depth: int) -> None:
    put(_timedelta(L.TIMEDELTA, value.days, value.seconds, value.microseconds))


def _write_dict(value: dict[Any, Any], put: _Put, depth: int) -> None:
    put(b"m")
    _write_items(value.keys(), put, depth)
    _write_items(value.values(), put, depth)


def _sequence(letter: bytes) -> Callable[[Any, _Put, int], None]:
    def write(value: Any, put: _Put, depth: int) -> None:
        put(letter)
        _write_items(value, put, depth)

    return write


def _write_rope(value: Rope[Any], put: _Put, depth: int) -> None:
    put(b"r")
    _write_items(tuple(value), put, depth)


def _write_items(items: Collection[Any], put: _Put, depth: int) -> None:
    """How many, how they lie, and they themselves."""
    number = len(items)
    _require_countable(number)
    if number >= WORTH_A_LOOK:
        kinds = set(map(type, items))
        if len(kinds) == 1:
            kind = kinds.pop()
            if kind in _PACKERS:
                if _PACKERS[kind](items, number, put):
                    return
            elif kind in _SHAPES and _write_columns(_SHAPES[kind], items, number, put, depth):
                return
    put(_items(number, L.MIXED))
    _require_shallow(depth)
    writers, depth = _WRITERS, depth + 1
    for item in items:
        writer = writers.get(type(item))
        if writer is None:
            _write(item, put, depth)  # which says what is wrong
        else:
            writer(item, put, depth)


def _pack_floats(items: Collection[float], number: int, put: _Put) -> bool:
    put(_items(number, L.FLOAT))
    put(struct.pack(f"<{number}d", *items))
    return True


def _pack_ints(items: Collection[int], number: int, put: _Put) -> bool:
    try:
        content = struct.pack(f"<{number}q", *items)
    except struct.error:  # one does not fit 64 bits
        return False
    put(_items(number, L.INT))
    put(content)
    return True


def _pack_texts(items: Collection[str], number: int, put: _Put) -> bool:
    return _pack_joined(L.TEXT, "".join(items).encode("utf-8", "surrogatepass"), items, put)


def _pack_bytes(items: Collection[bytes], number: int, put: _Put) -> bool:
    return _pack_joined(L.BYTES, b"".join(items), items, put)


def _pack_joined(letter: int, joined: bytes, items: Collection[Any], put: _Put) -> bool:
    number = len(items)
    _require_countable(len(joined))
    put(_items(number, letter))
    put(struct.pack(f"<{number + 1}I", len(joined), *map(len, items)))
    put(joined)
    return True


_PACKERS: dict[type, Callable[[Any, int, _Put], bool]] = {
    float: _pack_floats,
    int: _pack_ints,
    str: _pack_texts,
    bytes: _pack_bytes,
}

# What shows whether items have the same columns, and the columns' values of one item.
_SHAPES: dict[type, tuple[int, Callable[[Any], Any], Callable[[Any], Any] | None]] = {
    tuple: (L.TUPLE, len, None),
    dict: (L.DICT, tuple, dict.values),
}


def _write_columns(
    shape: tuple[int, Callable[[Any], Any], Callable[[Any], Any] | None],
    items: Collection[Any],
    number: int,
    put: _Put,
    depth: int,
) -> bool:
    """Tuples of one length, or dicts of the same keys, column by column; False if they differ."""
    letter, columns_of, values_of = shape
    columns = set(map(columns_of, items))
    first = columns.pop()
    if columns or not first:  # items without columns would take no bytes
        return False
    _require_shallow(depth)
    put(_items(number, letter))
    if letter == L.DICT:
        _write_items(first, put, depth + 1)
    else:
        put(L.COUNT.pack(first))
    for column in zip(*(items if values_of is None else map(values_of, items)), strict=True):
        _write_items(column, put, depth + 1)
    return True


def _require_shallow(depth: int) -> None:
    if depth >= L.MOST_NESTED:
        raise _NotPlainError(
            f"containers that lie more than {L.MOST_NESTED} deep in each other, or in themselves"
        )


def _require_countable(number: int) -> None:
    if number > _MOST:
        raise _NotPlainError(f"{number:,} bytes or items in one value, more than {_MOST:,}")


def _write_nan(value: Any, put: _Put, depth: int) -> None:
    put(b"n")


def _write_sketch(value: Sketch, put: _Put, depth: int) -> None:
    kind, content = value.serialized()
    put(b"k")
    _write_text(kind, put, depth)
    _write_bytes(content, put, depth)


def _write_numpy(value: Any, put: _Put, depth: int) -> None:
    """Numbers of numpy's become Python's, as they do where rows are lifted."""
    _write(value.item(), put, depth)


_NUMPY = (np.bool_, np.float16, np.float32, np.float64)
_NUMPY_WHOLE = (getattr(np, f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64))

_WRITERS: dict[type, Callable[[Any, _Put, int], None]] = {
    type(None): _write_none,
    bool: _write_bool,
    int: _write_int,
    float: _write_float,
    str: _write_text,
    bytes: _write_bytes,
    Decimal: _write_decimal,
    date: _write_date,
    time: _write_time,
    datetime: _write_datetime,
    timedelta: _write_timedelta,
    tuple: _sequence(b"t"),
    list: _sequence(b"l"),
    set: _sequence(b"s"),
    frozenset: _sequence(b"f"),
    dict: _write_dict,
    Rope: _write_rope,
    type(canonical.NAN): _write_nan,
    Sketch: _write_sketch,
    **dict.fromkeys((*_NUMPY, *_NUMPY_WHOLE), _write_numpy),
}
