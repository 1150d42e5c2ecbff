"""What nodes do: distribute rows over the first layer, merge states and send them on.

Rows are dealt like cards: in each round every node gets one row, in a new random order, so that
shares are even and no node gets the rows of particular keys.  States are routed by their key or
number.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from zlib import crc32

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark import TaskContext

from windrow.columnar.keyed import numbers
from windrow.engines.aligned import AlignedWindows
from windrow.spark.analysis.clock import LateBy
from windrow.spark.stream.stateful import by_key_group, sentinel
from windrow.spark.topology.buffer import merged
from windrow.spark.topology.tally import Tally, Tell, handed_on, taken_in
from windrow.spark.transport.hashed import HASH_KEY, with_hash
from windrow.spark.transport.packing import Work, in_key_groups, numbered
from windrow.spark.transport.shipped import Shipped
from windrow.spark.transport.transit import packs_of

__all__ = ["Routed", "Stop", "deal", "dealt", "relay", "settle"]


class Routed(Enum):
    """How a node of the next layer is chosen."""

    EVENLY = "evenly"
    BY_KEY = "key"


@dataclass(frozen=True)
class Stop:
    """A layer that tuples are sent to: node `key_group % width` gets what is in a key group."""

    layer: int  # the first is 1
    width: int
    key_groups: int
    routed: Routed

    def key_groups_of(self, table: pa.Table, turns: NDArray[np.int64]) -> NDArray[np.int32]:
        """The key group of each tuple: by its key, or in turn."""
        ranks = numbers(table[HASH_KEY]) if self.routed is Routed.BY_KEY else turns
        key_groups: NDArray[np.int32] = (ranks % self.key_groups).astype(np.int32)
        return key_groups


def deal(schema: pa.Schema, carried: pa.Schema, rank: str, to: Stop, tell: Tell) -> Work:
    """Rows of a hashed schema to the first layer; `carried` is what it needs of them."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for table in numbered(batches):
            rows = with_hash(table, schema)
            times = numbers(rows["t"])
            tell(Tally(first_us=int(times.min()), last_us=int(times.max())))
            turns = dealt(to.width, len(times), _seed(int(times[0])))
            key_groups, ranks = to.key_groups_of(rows, turns), numbers(rows[rank])
            yield from _sent(rows.select(carried.names), key_groups, ranks, to, tell)

    return work


def relay(
    engine: Shipped[AlignedWindows], carried: pa.Schema, period_us: int, to: Stop, tell: Tell
) -> Work:
    """A node between two layers: what it gets is `carried`, what it hands on are states."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        node = _number()
        for states in _states(engine.get(), batches, carried):
            tell(handed_on(to.layer - 1, node, states.num_rows))
            starts = numbers(states["start"])
            # The states of one key and period come from nodes that follow each other: so do the
            # nodes they go to, and with each period another one is the first.
            turns = numbers(states[HASH_KEY]) + starts // period_us + node
            yield from _sent(states, to.key_groups_of(states, turns), starts, to, tell)

    return work


def settle(
    engine: Shipped[AlignedWindows],
    carried: pa.Schema,
    layer: int,
    labels: tuple[int, ...],
    late_by: LateBy,
    tell: Tell,
) -> Work:
    """A node of a stream's sink: its states go to the key groups that keep them."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield sentinel(engine.get().partials, labels, late_by)
        for states in _states(engine.get(), batches, carried):
            tell(handed_on(layer, _number(), states.num_rows))
            yield from by_key_group(states, "start", labels)

    return work


def _states(
    engine: AlignedWindows, batches: Iterator[pa.RecordBatch], carried: pa.Schema
) -> Iterator[pa.Table]:
    """All that reached a node, merged."""
    tables = (table for _, pieces in packs_of(batches, carried) for _, table in pieces)
    hashed = carried
    if HASH_KEY not in carried.names:
        hashed = carried.insert(0, pa.field(HASH_KEY, pa.int32(), nullable=False))
    return merged(engine, tables, hashed)


def _sent(
    table: pa.Table,
    key_groups: NDArray[np.int32],
    ranks: NDArray[np.int64],
    to: Stop,
    tell: Tell,
) -> Iterator[pa.RecordBatch]:
    packs = list(in_key_groups(table, key_groups, ranks, keep_ties=False))
    tell(taken_in(to.layer, to.width, key_groups, packs))
    return iter(packs)


def dealt(width: int, count: int, seed: int) -> NDArray[np.int64]:
    """Which of `width` nodes gets each row.

    >>> np.bincount(dealt(3, 10, seed=1)).tolist() in ([4, 3, 3], [3, 4, 3], [3, 3, 4])
    True
    """
    rounds = np.tile(np.arange(width), (-(-count // width), 1))
    drawn: NDArray[np.int64] = np.random.default_rng(seed).permuted(rounds, axis=1).ravel()
    return drawn[:count]


def _seed(first_us: int) -> int:
    """A seed that differs for every task and micro-batch, but is the same if a task is retried.

    Spark may retry a task after part of its output has been read: if the rest were distributed
    differently, some rows would be lost and others duplicated.
    """
    return crc32(f"{_number()} {first_us}".encode())


def _number() -> int:
    """Which partition this task works on: in a layer that is the node."""
    context = TaskContext.get()
    return 0 if context is None else context.partitionId()
