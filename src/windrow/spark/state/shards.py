"""What a key group keeps in Spark's state store: a head, and shards of packed tables.

A call to the store from Python costs as much as packing thousands of rows, so many keys share one
value.  A micro-batch reads and writes the shards of the keys it touches; when shards grow too
large, their number doubles, by one more bit of the keys' hashes.
"""

import struct
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle

from windrow.columnar.keyed import numbers
from windrow.columnar.packs import open_bundle, pack_bundle
from windrow.engines.engine import Kept
from windrow.errors import SnapshotError
from windrow.spark.analysis.clock import UNKNOWN
from windrow.spark.state.about import About
from windrow.spark.state.values import VALUE, from_value, to_value
from windrow.spark.state.waiting import Waiting
from windrow.spark.transport.hashed import HASH_KEY

__all__ = ["NEVER", "Head", "Shards", "bits_for", "shards_of"]

# Another number whenever the layout changes, or `hashed.hashes`, which decides where keys lie.
_MAGIC = b"wrh6"
NEVER = (1 << 63) - 1  # a watermark that never comes

# From what a shard keeps to the watermark at which it has work to do.
Dues: TypeAlias = Callable[[Kept], int]

# Key groups take the bits of a hash below this, shards those above.
_BUCKET_SPAN = 1 << 12

# A value of the store: larger ones are slow to read for a few keys, smaller ones for many.
_LARGEST = 1 << 18
_MOST_BITS = 12
_LONGEST_SIGNATURE = 1 << 24  # in bytes; a longer one is cut, and then another query's


@dataclass(frozen=True)
class Head:
    """What is known about a key group without reading its shards."""

    bits: int = 0  # there are 2^bits shards
    timer_ms: int = UNKNOWN  # the watermark at which Spark calls the key group, if at any
    dues: tuple[int, ...] = (NEVER,)  # the watermark at which each shard has work to do
    waiting: Waiting = field(default_factory=Waiting)
    common: Kept = field(default_factory=dict)  # tables that are of no key
    fresh: bool = False  # whether the store has none yet


class Shards:
    """The state of one key group at a time."""

    def __init__(
        self, handle: StatefulProcessorHandle, schemas: Mapping[str, pa.Schema], about: About
    ) -> None:
        self._head = handle.getValueState("head", "content binary")
        self._about = handle.getValueState("about", "content binary")
        self._shards = handle.getMapState("shards", "shard int", VALUE)
        self._keyed = {n: s for n, s in schemas.items() if HASH_KEY in s.names}
        self._common = {n: s for n, s in schemas.items() if HASH_KEY not in s.names}
        self._signature = about.query
        self._about_bytes = about.written()

    def head(self) -> Head:
        """The head of the current key group; refuses one that another query wrote."""
        stored = self._head.get()
        if stored is None:
            common = {name: s.empty_table() for name, s in self._common.items()}
            return Head(common=common, fresh=True)
        try:
            written, rest = _open(bytes(stored[0]))
        except (ValueError, struct.error, zlib.error) as reason:
            raise _damaged(reason) from None
        if written != self._signature:
            raise SnapshotError(
                "the checkpoint holds the state of another query.\n"
                f"  it was written by: {written}\n  this query is:     {self._signature}\n"
                "Use a new checkpoint, or run the query that wrote this one"
            )
        try:
            bits, timer_ms = struct.unpack_from("<iq", rest)
            if not 0 <= bits <= _MOST_BITS:
                raise ValueError(f"2^{bits} shards")
            dues = struct.unpack_from(f"<{1 << bits}q", rest, 12)
            waiting, rest = Waiting.read(rest[12 + 8 * len(dues) :])
        except (ValueError, struct.error) as reason:
            raise _damaged(reason) from None
        return Head(bits, timer_ms, dues, waiting, open_bundle(rest, self._common))

    def load(self, head: Head, shards: Iterable[int]) -> Kept:
        """The tables of these shards, all keys of a table together."""
        found: dict[str, list[pa.Table]] = {name: [] for name in self._keyed}
        for shard in shards:
            stored = self._shards.getValue((shard,))
            if stored is not None:
                for name, table in open_bundle(from_value(stored[0]), self._keyed).items():
                    found[name].append(table)
        keyed = {
            name: pa.concat_tables(tables) if tables else self._keyed[name].empty_table()
            for name, tables in found.items()
        }
        return {**keyed, **head.common}

    def store(self, head: Head, shards: NDArray[np.int64], kept: Kept, dues: Dues) -> Head:
        """Write what these shards keep now, and say when each has work to do."""
        bits = bits_for(head.bits, len(shards), [kept[name] for name in self._keyed])
        if bits > head.bits:
            others = sorted(set(range(1 << head.bits)) - set(shards.tolist()))
            rest = self.load(head, others)
            both = {name: pa.concat_tables([kept[name], rest[name]]) for name in self._keyed}
            kept = {**kept, **both}
            shards = np.arange(1 << bits)
            head = replace(head, bits=bits, dues=(NEVER,) * len(shards))
        new_dues = list(head.dues)
        split = {n: _split(kept[n], head.bits, shards) for n in self._keyed}
        common = {n: kept[n] for n in self._common}
        for place, shard in enumerate(shards.tolist()):
            own = {name: tables[place] for name, tables in split.items()}
            if any(table.num_rows for table in own.values()):
                self._shards.updateValue((shard,), to_value(pack_bundle(own)))
            elif head.dues[shard] != NEVER or self._shards.containsKey((shard,)):
                self._shards.removeKey((shard,))
            new_dues[shard] = dues({**own, **common})
        return replace(head, dues=tuple(new_dues), common=common)

    def save(self, head: Head) -> None:
        """Write the head."""
        dues = struct.pack(f"<{len(head.dues)}q", *head.dues)
        parts = [struct.pack("<iq", head.bits, head.timer_ms), dues, head.waiting.written()]
        body = b"".join([*parts, pack_bundle(head.common)])
        self._head.update((_closed(self._signature, body),))
        if head.fresh:
            self._about.update((self._about_bytes,))


def bits_for(bits: int, touched: int, tables: Sequence[pa.Table]) -> int:
    """Into how many shards, as a power of two, to split what these tables of some shards hold."""
    size = sum(int(table.nbytes) for table in tables) // max(touched, 1)
    if size <= _LARGEST or bits == _MOST_BITS:
        return bits
    hashes = [numbers(table[HASH_KEY]) for table in tables]
    keys = len(np.unique(np.concatenate(hashes))) * (1 << bits) // max(touched, 1)
    wanted = bits + (2 * size // _LARGEST).bit_length()
    # One key cannot be split: more shards than keys would only be empty.
    return max(bits, min(wanted, _MOST_BITS, keys.bit_length()))


def shards_of(hashes: NDArray[np.int32], bits: int) -> NDArray[np.int64]:
    """The shard of each hash; by bits that do not decide its key group."""
    return (hashes.astype(np.int64) // _BUCKET_SPAN) & ((1 << bits) - 1)


def _split(table: pa.Table, bits: int, shards: NDArray[np.int64]) -> list[pa.Table]:
    """The rows of each shard, in the order they have."""
    own = shards_of(numbers(table[HASH_KEY]), bits)
    if len(shards) == 1:
        return [table]
    order = np.argsort(own, kind="stable")
    ordered = table.take(pa.array(order)).combine_chunks()
    starts = np.searchsorted(own[order], shards)
    ends = np.searchsorted(own[order], shards, side="right")
    return [ordered.slice(a, b - a) for a, b in zip(starts, ends, strict=True)]


def _closed(signature: str, body: bytes) -> bytes:
    text = zlib.compress(signature.encode())
    head = _MAGIC + struct.pack("<iI", len(text), zlib.crc32(body))
    return head + text + body


def _damaged(reason: Exception) -> SnapshotError:
    if isinstance(reason, SnapshotError):
        return reason
    return SnapshotError(
        f"the checkpoint's state is damaged ({reason}); use a copy of it, or a new checkpoint"
    )


def _open(content: bytes) -> tuple[str, bytes]:
    """The signature and the rest; SnapshotError or what Python's own functions say if not."""
    if content[:4] != _MAGIC:
        raise SnapshotError(
            f"the checkpoint's state begins with {content[:4]!r}, not {_MAGIC!r}: it was written "
            "by another version of windrow; use a new checkpoint"
        )
    length, checksum = struct.unpack_from("<iI", content, 4)
    text, body = content[12 : 12 + length], content[12 + length :]
    if zlib.crc32(body) != checksum:
        raise ValueError("its checksum is another")
    return zlib.decompressobj().decompress(text, _LONGEST_SIGNATURE).decode(), body
