"""States of any kind as bytes: plain values by value, without running anything when read again.

One letter tells what follows; numbers are text, as states may have any number of digits.
"""

import struct
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from windrow.algebra.catalogue.sketches import Sketch, restored_sketch
from windrow.algebra.rope import Rope
from windrow.errors import AggregateError

__all__ = ["decode", "encode"]

_LENGTH = struct.Struct("<I")
_DOUBLE = struct.Struct("<d")

_SEQUENCES: dict[type, bytes] = {
    tuple: b"t",
    list: b"l",
    frozenset: b"f",
    set: b"s",
    Rope: b"r",
}
_TEXTS: dict[type, tuple[bytes, Callable[[Any], str], Callable[[str], Any]]] = {
    int: (b"i", str, int),
    str: (b"u", str, str),
    Decimal: (b"d", str, Decimal),
    datetime: (b"D", datetime.isoformat, datetime.fromisoformat),
    date: (b"a", date.isoformat, date.fromisoformat),
    time: (b"T", time.isoformat, time.fromisoformat),
}
_MAKES = {letter: kind for kind, letter in _SEQUENCES.items()}
_READS = {letter: read for letter, _, read in _TEXTS.values()}


def encode(states: Iterable[Any]) -> bytes:
    """States one after the other."""
    parts: list[bytes] = []
    for state in states:
        _write(state, parts)
    return b"".join(parts)


def decode(content: bytes) -> list[Any]:
    """The states of what `encode` gave."""
    reader = _Reader(content)
    return list(reader.states())


def _write(value: Any, parts: list[bytes]) -> None:
    kind = type(value)
    if value is None:
        parts.append(b"N")
    elif kind is bool:
        parts.append(b"1" if value else b"0")
    elif kind is float:
        parts.append(b"g" + _DOUBLE.pack(value))
    elif kind is bytes:
        parts += [b"b", _LENGTH.pack(len(value)), value]
    elif kind in _TEXTS:
        letter, written, _ = _TEXTS[kind]
        text = written(value).encode("utf-8", "surrogatepass")
        parts += [letter, _LENGTH.pack(len(text)), text]
    elif kind in _SEQUENCES:
        parts += [_SEQUENCES[kind], _LENGTH.pack(len(value))]
        for item in value:
            _write(item, parts)
    elif kind is dict:
        parts += [b"m", _LENGTH.pack(len(value))]
        for item in value.items():
            _write(item, parts)
    elif kind is timedelta:
        parts.append(b"e")
        _write((value.days, value.seconds, value.microseconds), parts)
    elif kind is Sketch:
        parts.append(b"k")
        _write(value.serialized(), parts)
    else:
        raise AggregateError(
            f"a state holds {value!r} of type {kind.__name__}, which has no bytes of its own; "
            "make states of numbers, text, bytes, times, tuples, lists, sets and dicts, or give "
            "codec=(encode, decode)"
        )


class _Reader:
    """Reads values off bytes from front to back."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def states(self) -> Iterator[Any]:
        while self._at < len(self._content):
            yield self._value()

    def _take(self, length: int) -> bytes:
        self._at += length
        return self._content[self._at - length : self._at]

    def _length(self) -> int:
        (length,) = _LENGTH.unpack(self._take(4))
        return int(length)

    def _value(self) -> Any:
        letter = self._take(1)
        match letter:
            case b"N":
                return None
            case b"0" | b"1":
                return letter == b"1"
            case b"g":
                return _DOUBLE.unpack(self._take(8))[0]
            case b"b":
                return self._take(self._length())
            case b"m":
                return dict(self._value() for _ in range(self._length()))
            case b"e":
                return timedelta(*self._value())
            case b"k":
                return restored_sketch(*self._value())
        if letter in _MAKES:
            return _MAKES[letter](self._value() for _ in range(self._length()))
        return _READS[letter](self._take(self._length()).decode("utf-8", "surrogatepass"))
