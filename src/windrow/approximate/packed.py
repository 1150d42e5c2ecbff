"""Windows of buckets as bytes: plain values, column by column, and none that follow from others.

Each column begins with a word of eight bytes, a letter and a length, and fills whole words: numbers
stay where the bytes of other numbers are.
"""

import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from windrow.algebra.codec import decode, encode
from windrow.algebra.monoid import Codec
from windrow.algebra.optional import same
from windrow.approximate.additive import Strayed
from windrow.approximate.buckets import Buckets
from windrow.approximate.layout import Bucket, Layout
from windrow.errors import SnapshotError
from windrow.structures.base import Snapshot
from windrow.structures.sound import require_forest, require_sizes

__all__ = ["bucket_codec", "decode_columns", "encode_columns", "packed", "unpacked"]

_WORD = struct.Struct("<1s3xI")
_MOST_NESTED = 100
_INTEGERS = range(-(1 << 63), 1 << 63)
_LETTERS: dict[Any, bytes] = {tuple: b"t", Strayed: b"s"}
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
    """Decode this many values of `encode_columns`; ValueError or struct.error for other bytes."""
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
        parts += [_WORD.pack(b"N", len(known)), _in_words(marks.tobytes())]
        _write(known, parts, name)
    else:
        content = encode(list(values), name)
        parts += [_WORD.pack(b"p", len(content)), _in_words(content)]


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
        known, at = _read(content, at + len(_in_words(bytes(number))), length, depth - 1)
        left = iter(known)
        return [next(left) if mark else None for mark in marks], at
    values = decode(content[at : at + length]) if letter == b"p" else None
    if type(values) is not list or len(values) != number:
        raise ValueError(f"column {letter!r} is not of {number} values")
    return values, at + length + -length % _WORD.size


def _in_words(content: bytes) -> bytes:
    """Bytes made up to whole words."""
    return content + bytes(-len(content) % _WORD.size)


# Traces that are more than tuples; a letter tells which.
_TRACES: dict[str, Callable[[Any], Any]] = {"s": Strayed._make, " ": same}


def bucket_codec(layout: Layout) -> Codec:
    """From a bucket to a plain value and back."""

    def write(bucket: Bucket) -> tuple[Any, ...]:
        size, states, traces, *watched = layout.to_plain(bucket)
        letters = "".join("s" if isinstance(trace, Strayed) else " " for trace in traces)
        plainly = (tuple(t) if isinstance(t, Strayed) else t for t in traces)
        return size, states, letters, tuple(plainly), *watched

    def read(value: tuple[Any, ...]) -> Bucket:
        size, states, letters, plainly, *watched = value
        traces = (_TRACES[kind](trace) for trace, kind in zip(plainly, letters, strict=True))
        return layout.from_plain(Bucket(size, states, tuple(traces), *watched))

    return write, read


_LENGTHS = struct.Struct("<II")  # of the columns of buckets, and of all else


def packed(snapshot: Snapshot, layout: Layout) -> bytes:
    """A snapshot of an `ApproximateAmta` of such buckets as bytes."""
    write, _ = bucket_codec(layout)
    middle, (*counters, oldest, newest, taken), learned = snapshot.data
    _, numbers, *_, rings = middle.data
    evicted, _, inserted = numbers
    leaves = rings[0] if rings else ()
    # A ring: bucket i is in slot i modulo its length.
    held = (layout.to_plain(leaves[n % len(leaves)]) for n in range(evicted, inserted))
    name = layout.monoid.name
    columns = encode_columns([(*bucket,) for bucket in held], name)
    aside = *counters, write(oldest), write(newest), taken
    rest = encode((numbers, aside, learned), name)
    return _LENGTHS.pack(len(columns), len(rest)) + columns + _in_words(rest)


def unpacked(content: bytes, layout: Layout, like: Snapshot) -> Snapshot:
    """The snapshot that was packed, of a window of such buckets; `like` is any of such a one."""
    try:
        numbers, held, aside, learned = _read_window(content, layout)
    except (AttributeError, LookupError, TypeError, ValueError, struct.error) as reason:
        raise SnapshotError(
            f"a window of {layout.monoid.name} that was kept is damaged ({reason}); use a copy of "
            "the checkpoint, or a new one"
        ) from None
    middle = Buckets.rebuilt(layout.monoid, numbers, held).snapshot()
    return replace(like, data=(middle, aside, learned))


def _read_window(
    content: bytes, layout: Layout
) -> tuple[Any, Iterable[Bucket], tuple[Any, ...], Any]:
    _, read = bucket_codec(layout)
    columns, rest = _LENGTHS.unpack_from(content)
    end = _LENGTHS.size + columns
    numbers, (behind, least, most, oldest, newest, taken), learned = decode(
        content[end : end + rest]
    )
    require_forest(*numbers)
    evicted, _, inserted = numbers
    if inserted - evicted > columns:  # a bucket takes a byte at least
        raise ValueError(f"{inserted - evicted} buckets in {columns} bytes")
    plainly = decode_columns(content[_LENGTHS.size : end], inserted - evicted)
    held = [layout.from_plain(Bucket(*one)) for one in plainly]
    first, last = read(oldest), read(newest)
    sizes = [bucket.size for bucket in held]
    require_sizes(first.size, sizes, last.size, behind, (least, most))
    return numbers, held, (behind, least, most, first, last, taken), learned
