"""Windows of buckets as bytes: plain values, and none that follow from others."""

import struct
from dataclasses import replace
from typing import Any

from windrow.aggregators.approximate.buckets import Buckets
from windrow.aggregators.approximate.layout import Bucket
from windrow.aggregators.approximate.plain_buckets import PLAIN_BUCKETS
from windrow.aggregators.approximate.plain_columns import decode_columns, encode_columns, in_words
from windrow.aggregators.approximate.remainder import Remainder
from windrow.aggregators.base import Snapshot
from windrow.aggregators.paged.plain import decode, encode
from windrow.algebra.monoid import Monoid

__all__ = ["packed", "unpacked"]

_LENGTHS = struct.Struct("<II")  # of the columns of buckets, and of all else
_write, _read = PLAIN_BUCKETS


def packed(snapshot: Snapshot) -> bytes:
    """A snapshot of an `ApproximateAmta` as bytes."""
    middle, (oldest, left, newest, *counts), learned = snapshot.data
    _, numbers, *_, rings = middle.data
    evicted, _, inserted = numbers
    leaves = rings[0] if rings else ()
    # A ring: bucket i is in slot i modulo its length.
    held = [(*leaves[number % len(leaves)],) for number in range(evicted, inserted)]
    columns = encode_columns(held)
    aside = _write(oldest), (left.size, left.least, left.most), _write(newest), *counts
    rest = encode([numbers, aside, learned])
    return _LENGTHS.pack(len(columns), len(rest)) + columns + in_words(rest)


def unpacked(content: bytes, buckets: Monoid[Any, Any], like: Snapshot) -> Snapshot:
    """The snapshot that was packed, of a window of such buckets; `like` is any of such a one."""
    columns, rest = _LENGTHS.unpack_from(content)
    end = _LENGTHS.size + columns
    numbers, (oldest, left, newest, *counts), learned = decode(content[end : end + rest])
    evicted, _, inserted = numbers
    held = decode_columns(content[_LENGTHS.size : end], inserted - evicted)
    middle = Buckets.rebuilt(buckets, numbers, (Bucket(*one) for one in held)).snapshot()
    aside = _read(oldest), Remainder(*left), _read(newest), *counts
    return replace(like, data=(middle, aside, learned))
