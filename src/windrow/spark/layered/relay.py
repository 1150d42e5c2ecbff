"""The work of nodes: deal rows out to the first layer, merge states and hand them on.

Rows are dealt out like cards: as many as there are nodes at a time, one for each, in an order drawn
anew every time, so that shares are even and no node has the rows of certain keys.  Where a state
goes depends on what it is.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from zlib import crc32

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark import TaskContext

from windrow.slicing.aligned import AlignedWindows
from windrow.slicing.keyed import numbers
from windrow.spark.clock import LateBy
from windrow.spark.hashed import HASH_KEY, with_hash
from windrow.spark.layered.buffer import merged
from windrow.spark.layered.tally import Tally, Tell, handed_on, taken_in
from windrow.spark.packing import Work, in_lanes, numbered
from windrow.spark.shipped import Shipped
from windrow.spark.stateful import greeting, in_buckets
from windrow.spark.transit import parcels_of

__all__ = ["Routed", "Stop", "deal", "dealt", "relay", "settle"]


class Routed(Enum):
    """How a node of the next layer is chosen."""

    EVENLY = "evenly"
    BY_KEY = "key"


@dataclass(frozen=True)
class Stop:
    """A layer that tuples are sent to: node `lane % width` gets what is in a lane."""

    layer: int  # the first is 1
    width: int
    lanes: int
    routed: Routed

    def lanes_of(self, table: pa.Table, turns: NDArray[np.int64]) -> NDArray[np.int32]:
        """The lane of each tuple: its key's, or whose turn it is."""
        ranks = numbers(table[HASH_KEY]) if self.routed is Routed.BY_KEY else turns
        lanes: NDArray[np.int32] = (ranks % self.lanes).astype(np.int32)
        return lanes


def deal(schema: pa.Schema, carried: pa.Schema, rank: str, to: Stop, tell: Tell) -> Work:
    """Rows of a hashed schema to the first layer; `carried` is what it needs of them."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for table in numbered(batches):
            rows = with_hash(table, schema)
            times = numbers(rows["t"])
            tell(Tally(first_us=int(times.min()), last_us=int(times.max())))
            turns = dealt(to.width, len(times), _seed(int(times[0])))
            lanes, ranks = to.lanes_of(rows, turns), numbers(rows[rank])
            yield from _sent(rows.select(carried.names), lanes, ranks, to, tell)

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
            yield from _sent(states, to.lanes_of(states, turns), starts, to, tell)

    return work


def settle(
    engine: Shipped[AlignedWindows],
    carried: pa.Schema,
    layer: int,
    labels: tuple[int, ...],
    late_by: LateBy,
    tell: Tell,
) -> Work:
    """A node of a stream's sink: its states go to the buckets that keep them."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield greeting(engine.get().partials, labels, late_by)
        for states in _states(engine.get(), batches, carried):
            tell(handed_on(layer, _number(), states.num_rows))
            yield from in_buckets(states, "start", labels)

    return work


def _states(
    engine: AlignedWindows, batches: Iterator[pa.RecordBatch], carried: pa.Schema
) -> Iterator[pa.Table]:
    """All that reached a node, merged."""
    tables = (table for _, pieces in parcels_of(batches, carried) for _, table in pieces)
    hashed = carried
    if HASH_KEY not in carried.names:
        hashed = carried.insert(0, pa.field(HASH_KEY, pa.int32(), nullable=False))
    return merged(engine, tables, hashed)


def _sent(
    table: pa.Table,
    lanes: NDArray[np.int32],
    ranks: NDArray[np.int64],
    to: Stop,
    tell: Tell,
) -> Iterator[pa.RecordBatch]:
    parcels = list(in_lanes(table, lanes, ranks, keep_ties=False))
    tell(taken_in(to.layer, to.width, lanes, parcels))
    return iter(parcels)


def dealt(width: int, count: int, seed: int) -> NDArray[np.int64]:
    """Which of so many nodes gets each of so many rows.

    >>> np.bincount(dealt(3, 10, seed=1)).tolist() in ([4, 3, 3], [3, 4, 3], [3, 3, 4])
    True
    """
    rounds = np.tile(np.arange(width), (-(-count // width), 1))
    drawn: NDArray[np.int64] = np.random.default_rng(seed).permuted(rounds, axis=1).ravel()
    return drawn[:count]


def _seed(first_us: int) -> int:
    """Another one for every task and micro-batch, yet the same if a task is run again.

    Spark may run a task again after some of what it sent has been read: were the rest dealt out
    otherwise, rows would be lost and others doubled.
    """
    return crc32(f"{_number()} {first_us}".encode())


def _number() -> int:
    """Which partition this task works on: in a layer that is the node."""
    context = TaskContext.get()
    return 0 if context is None else context.partitionId()
