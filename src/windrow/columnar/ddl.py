"""Types written as in SQL: `double`, `array<string>`, `struct<at: timestamp, v: decimal(9, 2)>`."""

import re
from collections.abc import Iterator
from typing import NoReturn

import pyarrow as pa

from windrow.errors import AggregateError

__all__ = ["parse_type"]

_SIMPLE = {
    "bigint": pa.int64(),
    "binary": pa.binary(),
    "boolean": pa.bool_(),
    "byte": pa.int8(),
    "date": pa.date32(),
    "double": pa.float64(),
    "float": pa.float32(),
    "int": pa.int32(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "real": pa.float32(),
    "short": pa.int16(),
    "smallint": pa.int16(),
    "string": pa.string(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "timestamp_ltz": pa.timestamp("us", tz="UTC"),
    "timestamp_ntz": pa.timestamp("us"),
    "tinyint": pa.int8(),
}

_TOKEN = re.compile(r"\s*(?:`([^`]+)`|(\w+)|([<>(),:]))")
_MOST_DIGITS = 38


def parse_type(text: str) -> pa.DataType:
    """The Arrow type that a type of Spark's SQL is.

    >>> parse_type("array<struct<at: timestamp_ntz, v: decimal(10, 2)>>")
    ListType(list<element: struct<at: timestamp[us], v: decimal128(10, 2)>>)
    """
    return _Parser(text).parsed()


class _Parser:
    """Reads a type from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = [*self._split(text), ""]
        self._place = 0

    def parsed(self) -> pa.DataType:
        found = self._type()
        if self._next():
            self._refuse()
        return found

    def _split(self, text: str) -> Iterator[str]:
        place, end = 0, len(text.rstrip())
        while place < end:
            match = _TOKEN.match(text, place)
            if match is None:
                self._refuse()
            yield match[1] or match[2] or match[3]
            place = match.end()

    def _type(self) -> pa.DataType:
        name = self._next().lower()
        if name in ("decimal", "dec", "numeric"):
            return self._decimal()
        if name == "array":
            self._expect("<")
            item = self._type()
            self._expect(">")
            return pa.list_(pa.field("element", item))
        if name == "map":
            self._expect("<")
            key = self._type()
            self._expect(",")
            value = self._type()
            self._expect(">")
            return pa.map_(key, value)
        if name == "struct":
            return self._struct()
        if name not in _SIMPLE:
            self._refuse()
        return _SIMPLE[name]

    def _decimal(self) -> pa.DataType:
        if self._tokens[self._place] != "(":
            return pa.decimal128(10, 0)
        self._expect("(")
        precision, scale = self._next(), "0"
        if self._tokens[self._place] == ",":
            self._expect(",")
            scale = self._next()
        self._expect(")")
        if not (precision.isdecimal() and scale.isdecimal()):
            self._refuse()
        if not 1 <= int(precision) <= _MOST_DIGITS or int(scale) > int(precision):
            self._refuse()
        return pa.decimal128(int(precision), int(scale))

    def _struct(self) -> pa.DataType:
        fields = []
        self._expect("<")
        while True:
            name = self._next()
            if self._tokens[self._place] == ":":
                self._expect(":")
            fields.append(pa.field(name, self._type()))
            if self._tokens[self._place] != ",":
                break
            self._expect(",")
        self._expect(">")
        return pa.struct(fields)

    def _next(self) -> str:
        token = self._tokens[self._place]
        self._place = min(self._place + 1, len(self._tokens) - 1)
        return token

    def _expect(self, token: str) -> None:
        if self._next() != token:
            self._refuse()

    def _refuse(self) -> NoReturn:
        raise AggregateError(
            f"returns={self._text!r} is no type that results can have; write one as in SQL, "
            'such as "double", "bigint", "decimal(10, 2)" or "array<string>"'
        )
