"""A first row before the first row: what is compiled or loaded when it is first needed, is now."""

from collections.abc import Iterator, Sequence

import pyarrow as pa

from windrow.edge.clock import Pace
from windrow.edge.landing import Landing
from windrow.edge.leaf import Batch, Leaf
from windrow.edge.root import Root

__all__ = ["warm_up"]

_ROUNDS = 10  # of a leaf and its parent, until the root has all


def warm_up(queries: Sequence[str]) -> None:
    """Let a row go all the way through a tree of one leaf that leaves no trace."""
    if not queries:
        return
    spool = _Memory()
    leaf = Leaf("warm", _Memory(), queries, Pace(live=False))
    landing = Landing("hot", ["warm"], spool, queries)
    nothing = pa.table([pa.nulls(1, one.type) for one in leaf.schema], schema=leaf.schema)
    times = [
        pa.array([0]).cast(pa.int64()).cast(one.type)
        if pa.types.is_timestamp(one.type)
        else nothing.column(at)
        for at, one in enumerate(leaf.schema)
    ]
    leaf.insert([Batch("warm", pa.table(times, schema=leaf.schema))], 0)
    leaf.end()
    for _ in range(_ROUNDS):
        for message in leaf.step(0):
            landing.receive("warm", message, 0)
        for sent in landing.step(0):
            leaf.receive(sent.message, 0)
    for _ in Root().apply(spool.records()):
        pass


class _Memory:
    """A disk that is none."""

    def __init__(self) -> None:
        self._kept: list[bytes] = []
        self.first = 0

    @property
    def end(self) -> int:
        return len(self._kept)

    @property
    def size(self) -> int:
        return sum(map(len, self._kept))

    def append(self, record: bytes) -> int:
        self._kept.append(record)
        return self.end - 1

    def sync(self) -> None:
        """It is as safe as it will be."""

    def records(self, since: int = 0) -> Iterator[tuple[int, bytes]]:
        yield from enumerate(self._kept[since:], since)

    def drop_before(self, number: int) -> None:
        """It is not for long."""
