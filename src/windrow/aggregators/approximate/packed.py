"""Windows of buckets as bytes: plain values, and none that follow from others."""

import struct
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from windrow.aggregators.approximate.buckets import Buckets
from windrow.aggregators.approximate.layout import Bucket, Layout
from windrow.aggregators.approximate.plain_buckets import bucket_codec
from windrow.aggregators.approximate.plain_columns import decode_columns, encode_columns, in_words
from windrow.aggregators.approximate.remainder import Remainder
from windrow.aggregators.base import Snapshot
from windrow.aggregators.sound import require_forest, require_sizes
from windrow.algebra.codec import decode, encode
from windrow.errors import SnapshotError

__all__ = ["packed", "unpacked"]

_LENGTHS = struct.Struct("<II")  # of the columns of buckets, and of all else


def packed(snapshot: Snapshot, layout: Layout) -> bytes:
    """A snapshot of an `ApproximateAmta` of such buckets as bytes."""
    write, _ = bucket_codec(layout)
    middle, (oldest, left, newest, *counts), learned = snapshot.data
    _, numbers, *_, rings = middle.data
    evicted, _, inserted = numbers
    leaves = rings[0] if rings else ()
    # A ring: bucket i is in slot i modulo its length.
    held = (layout.to_plain(leaves[n % len(leaves)]) for n in range(evicted, inserted))
    name = layout.monoid.name
    columns = encode_columns([(*bucket,) for bucket in held], name)
    aside = write(oldest), (left.size, left.least, left.most), write(newest), *counts
    rest = encode((numbers, aside, learned), name)
    return _LENGTHS.pack(len(columns), len(rest)) + columns + in_words(rest)


def unpacked(content: bytes, layout: Layout, like: Snapshot) -> Snapshot:
    """The snapshot that was packed, of a window of such buckets; `like` is any of such a one."""
    try:
        numbers, held, aside, learned = _read(content, layout)
    except (AttributeError, LookupError, TypeError, ValueError, struct.error) as reason:
        raise SnapshotError(
            f"a window of {layout.monoid.name} that was kept is damaged ({reason}); use a copy of "
            "the checkpoint, or a new one"
        ) from None
    middle = Buckets.rebuilt(layout.monoid, numbers, held).snapshot()
    return replace(like, data=(middle, aside, learned))


def _read(content: bytes, layout: Layout) -> tuple[Any, Iterable[Bucket], tuple[Any, ...], Any]:
    _, read = bucket_codec(layout)
    columns, rest = _LENGTHS.unpack_from(content)
    end = _LENGTHS.size + columns
    numbers, (oldest, left, newest, *counts), learned = decode(content[end : end + rest])
    require_forest(*numbers)
    evicted, _, inserted = numbers
    if inserted - evicted > columns:  # a bucket takes a byte at least
        raise ValueError(f"{inserted - evicted} buckets in {columns} bytes")
    plainly = decode_columns(content[_LENGTHS.size : end], inserted - evicted)
    held = [layout.from_plain(Bucket(*one)) for one in plainly]
    first, last, remainder = read(oldest), read(newest), Remainder(*left)
    behind, _ = counts
    sizes = [bucket.size for bucket in held]
    require_sizes(first.size, sizes, last.size, behind, (remainder.least, remainder.most))
    return numbers, held, (first, remainder, last, *counts), learned
