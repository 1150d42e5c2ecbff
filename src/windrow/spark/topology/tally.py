"""What each node took in and handed on, counted where it happens and added up by Spark.

An accumulator of Spark's brings the counts of every task to the driver.  A task that runs twice
counts twice, as its tuples travel twice.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.accumulators import Accumulator, AccumulatorParam
from pyspark.sql import SparkSession

__all__ = ["Counts", "Tally", "Tell", "counting", "handed_on", "taken_in", "untold"]


class Counts(NamedTuple):
    """Of one node."""

    items_in: int = 0
    bytes_in: int = 0
    items_out: int = 0

    def plus(self, other: "Counts") -> "Counts":
        """Both together."""
        return Counts(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


@dataclass
class Tally:
    """Counts by layer (the first is 1) and node, and between which times rows were."""

    nodes: dict[tuple[int, int], Counts] = field(default_factory=dict)
    first_us: int | None = None
    last_us: int | None = None

    def add(self, other: "Tally") -> None:
        """Count what another has counted."""
        for node, counts in other.nodes.items():
            self.nodes[node] = self.nodes.get(node, Counts()).plus(counts)
        self.first_us = min(_known(self.first_us, other.first_us), default=None)
        self.last_us = max(_known(self.last_us, other.last_us), default=None)

    def copy(self) -> "Tally":
        """The counts as they are; those of a stream go on changing."""
        return Tally(dict(self.nodes), self.first_us, self.last_us)


# How a task reports its counts.
Tell = Callable[[Tally], None]


def untold(tally: Tally) -> None:
    """Counts nothing: Spark Connect has no accumulators."""


def taken_in(
    layer: int, width: int, key_groups: NDArray[np.int32], packs: Iterable[pa.RecordBatch]
) -> Tally:
    """What the nodes of a layer get: tuples of these key groups, packed into these packs."""
    items = np.bincount(key_groups % width, minlength=width)
    sizes = np.zeros(width)
    for batch in packs:
        to = batch.column("key_group").to_numpy() % width
        lengths = pc.binary_length(batch.column("pack")).to_numpy()
        sizes += np.bincount(to, weights=lengths, minlength=width)
    got = np.flatnonzero(items).tolist()
    return Tally({(layer, node): Counts(int(items[node]), int(sizes[node])) for node in got})


def handed_on(layer: int, node: int, items: int) -> Tally:
    """What a node gives to the next layer."""
    return Tally({(layer, node): Counts(items_out=items)})


def counting(spark: SparkSession) -> "Accumulator[Tally] | None":
    """A tally that tasks add to; none on Spark Connect."""
    context = getattr(spark, "_sc", None)
    if context is None:
        return None
    accumulator: Accumulator[Tally] = context.accumulator(Tally(), _Adding())
    return accumulator


class _Adding(AccumulatorParam[Tally]):
    """How Spark puts tallies together."""

    def zero(self, value: Tally) -> Tally:
        """Nothing counted yet."""
        return Tally()

    def addInPlace(self, value1: Tally, value2: Tally) -> Tally:  # noqa: N802  Spark's name
        """Add the second to the first."""
        value1.add(value2)
        return value1


def _known(*times: int | None) -> list[int]:
    return [time for time in times if time is not None]
