"""Values of one shape as bytes, column by column: like numbers lie together, and press well.

Each column begins with a word of eight bytes, a letter and a length, and fills whole words: numbers
stay where the bytes of other numbers are.
"""

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from windrow.aggregators.approximate.plain_buckets import RECORDS
from windrow.algebra.codec import decode, encode

__all__ = ["decode_columns", "encode_columns", "in_words"]

_WORD = struct.Struct("<1s3xI")
_MOST_NESTED = 100
_INTEGERS = range(-(1 << 63), 1 << 63)
_LETTERS = {tuple: b"t", **{kind: letter.encode() for letter, kind in RECORDS.items()}}
_KINDS = {letter: kind for kind, letter in _LETTERS.items()}


def encode_columns(values: Sequence[Any], name: str = "the aggregate") -> bytes:
    """Values of `name`'s as bytes; all kinds that the codec knows, best if they are much alike.

    >>> decode_columns(encode_columns([(1, (2.5, None)), (2, (0.5, "x"))]), 2)
    [(1, (2.5, None)), (2, (0.5, 'x'))]
    """
    parts: list[bytes] = []
    _write(values, parts, name)
    return b"".join(parts)


def decode_columns(content: bytes, number: int) -> list[Any]:
    """So many values of what `encode_columns` gave; ValueError or struct.error if it did not."""
    values, _ = _read(content, 0, number, _MOST_NESTED)
    return values


def _write(values: Sequence[Any], parts: list[bytes], name: str) -> None:
    kinds = set(map(type, values))
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind in _LETTERS and len(set(map(len, values))) == 1:
        parts.append(_WORD.pack(_LETTERS[kind], len(values[0])))
        for column in zip(*values, strict=True):
            _write(column, parts, name)
    elif kind is float:
        parts += [_WORD.pack(b"g", 0), np.array(values, np.float64).tobytes()]
    elif kind is int and min(values) in _INTEGERS and max(values) in _INTEGERS:
        parts += [_WORD.pack(b"i", 0), np.array(values, np.int64).tobytes()]
    elif kind is None and type(None) in kinds:
        known = [value for value in values if value is not None]
        marks = np.array([value is not None for value in values], np.uint8)
        parts += [_WORD.pack(b"N", len(known)), in_words(marks.tobytes())]
        _write(known, parts, name)
    else:
        content = encode(list(values), name)
        parts += [_WORD.pack(b"p", len(content)), in_words(content)]


def _read(content: bytes, at: int, number: int, depth: int) -> tuple[list[Any], int]:
    """Values from a place on, and the place behind them; columns of columns, up to a depth."""
    if not depth:
        raise ValueError(f"columns lie more than {_MOST_NESTED} deep in each other")
    letter, length = _WORD.unpack_from(content, at)
    at += _WORD.size
    if letter in _KINDS:
        columns = []
        for _ in range(length):
            column, at = _read(content, at, number, depth - 1)
            columns.append(column)
        rows = zip(*columns, strict=True) if columns else ((),) * number
        made = _KINDS[letter]
        return ([*rows] if made is tuple else [made._make(row) for row in rows]), at
    if letter in (b"g", b"i"):
        kind = np.float64 if letter == b"g" else np.int64
        return np.frombuffer(content, kind, number, at).tolist(), at + 8 * number
    if letter == b"N":
        marks = np.frombuffer(content, np.uint8, number, at).tolist()
        if sum(marks) != length:
            raise ValueError(f"{length} values for {sum(marks)} marks")
        known, at = _read(content, at + len(in_words(bytes(number))), length, depth - 1)
        left = iter(known)
        return [next(left) if mark else None for mark in marks], at
    values = decode(content[at : at + length]) if letter == b"p" else None
    if type(values) is not list or len(values) != number:
        raise ValueError(f"column {letter!r} is not of {number} values")
    return values, at + length + -length % _WORD.size


def in_words(content: bytes) -> bytes:
    """Bytes made up to whole words."""
    return content + bytes(-len(content) % _WORD.size)
