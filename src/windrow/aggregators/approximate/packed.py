"""Windows of buckets as bytes: plain values, and none that follow from others."""

from dataclasses import replace
from typing import Any

from windrow.aggregators.approximate.buckets import Buckets
from windrow.aggregators.approximate.plain_buckets import PLAIN_BUCKETS
from windrow.aggregators.approximate.remainder import Remainder
from windrow.aggregators.base import Snapshot
from windrow.aggregators.paged.plain import decode, encode
from windrow.algebra.monoid import Monoid

__all__ = ["packed", "unpacked"]

_write, _read = PLAIN_BUCKETS


def packed(snapshot: Snapshot) -> bytes:
    """A snapshot of an `ApproximateAmta` as bytes."""
    middle, (oldest, left, newest, *counts), learned = snapshot.data
    _, numbers, *_, rings = middle.data
    evicted, _, inserted = numbers
    leaves = rings[0] if rings else ()
    # A ring: bucket i is in slot i modulo its length.
    held = [_write(leaves[number % len(leaves)]) for number in range(evicted, inserted)]
    aside = _write(oldest), (left.size, left.least, left.most), _write(newest), *counts
    return encode([numbers, held, aside, learned])


def unpacked(content: bytes, buckets: Monoid[Any, Any], like: Snapshot) -> Snapshot:
    """The snapshot that was packed, of a window of such buckets; `like` is any of such a one."""
    numbers, held, (oldest, left, newest, *counts), learned = decode(content)
    middle = Buckets.rebuilt(buckets, numbers, map(_read, held)).snapshot()
    aside = _read(oldest), Remainder(*left), _read(newest), *counts
    return replace(like, data=(middle, aside, learned))
