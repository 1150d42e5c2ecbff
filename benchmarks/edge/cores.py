"""A tree of real cores in one process: each node's processor time and each level's bytes.

Messages are encoded and decoded as on the wire, by the node that would do it; nothing else of a
network takes part.  In central mode the same nodes send rows, and the root does all the work.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.edge import children, leaf_state, root
from windrow.edge.clock import Pace
from windrow.edge.landing import Landing
from windrow.edge.leaf import Batch, Leaf
from windrow.edge.merger import Merger
from windrow.edge.payload import Payload
from windrow.edge.payload.rows import Rows
from windrow.edge.query import NodeQuery
from windrow.edge.root import Root
from windrow.edge.travels import Choice, Travels
from windrow.engines.engines import engine_for
from windrow.wire.messages import Frame, Message, decode, encode

__all__ = ["MODES", "SECOND", "Cores", "Forgetful", "batches", "job", "mode", "replaced"]

SECOND = 1_000_000
MODES = ("tree", "central")
_FIRST = 1_700_000_000_000_000
_SCHEMA = pa.schema(
    [("ts", pa.timestamp("us", tz="UTC")), ("sensor", pa.string()), ("temp", pa.float64())]
)
_JOB = """
source: {{format: json, path: in, schema: "ts timestamp, sensor string, temp double"}}
time: ts
by: sensor
lateness: 0 seconds
windows: {windows}
aggregates: {{found: {aggregate}(temp)}}
sink: {{format: console}}
"""


def job(aggregate: str, windows: str = "{tumbling: 1 second}") -> str:
    """The text of a job."""
    return _JOB.format(windows=windows, aggregate=aggregate)


def batches(
    number: int,
    rows: int,
    keys: int = 1,
    *,
    per_second: int = 1_000_000,
    seed: int = 0,
    decimals: int | None = 2,
) -> list[pa.Table]:
    """Batches of rows in the order of time, each row of any key, as sensors round their values."""
    rng = np.random.default_rng(seed)
    names = pa.array([f"sensor-{key:06}" for key in range(keys)])
    times = _FIRST + np.arange(number * rows) * SECOND // per_second
    values = rng.normal(20, 5, len(times))
    columns = [
        pa.array(times).cast(_SCHEMA.field("ts").type),
        names.take(pa.array(rng.integers(keys, size=len(times)))),
        pa.array(values if decimals is None else np.round(values, decimals)),
    ]
    table = pa.table(columns, schema=_SCHEMA)
    return [table.slice(start, rows) for start in range(0, table.num_rows, rows)]


@contextmanager
def replaced(module: Any, name: str, by: Any) -> Iterator[None]:
    """Let a module use something else for a while."""
    known = getattr(module, name)
    setattr(module, name, by)
    try:
        yield
    finally:
        setattr(module, name, known)


def _rows_for(query: NodeQuery) -> Payload:
    choice = Choice(Travels.ROWS, "the root does all the work")
    return Rows(query, engine_for(query.definition), choice)


@contextmanager
def mode(name: str) -> Iterator[None]:
    """What nodes that are made meanwhile send: what the query is best served by, or rows."""
    with ExitStack() as stack:
        if name == "central":
            for module in (leaf_state, children, root):
                stack.enter_context(replaced(module, "payload_for", _rows_for))
        yield


class Forgetful:
    """A disk that holds what a landing hands to its root, and nothing else."""

    def __init__(self, *, holds: bool = False) -> None:
        self.first = self.end = self.size = 0
        self.held: list[tuple[int, bytes]] = []
        self._holds = holds

    def append(self, record: bytes) -> int:
        """Count a record."""
        if self._holds:
            self.held.append((self.end, record))
        self.end += 1
        return self.end - 1

    def sync(self) -> None:
        """Nothing is promised."""

    def records(self, since: int = 0) -> Iterator[tuple[int, bytes]]:
        """None are kept."""
        return iter(())

    def drop_before(self, number: int) -> None:
        """None are kept."""

    def taken(self) -> list[tuple[int, bytes]]:
        """What the root has not read."""
        found, self.held = self.held, []
        return found


@dataclass
class Cores:
    """Leaves, mergers, a landing called `root`, and the root itself.

    `tree` has the children of each node.
    """

    tree: Mapping[str, Sequence[str]]
    text: str
    spent: Counter[str] = field(default_factory=Counter)  # nanoseconds of the processor, by node
    sent: Counter[str] = field(default_factory=Counter)  # bytes up and down, by lower node
    frames: Counter[str] = field(default_factory=Counter)  # and how many went up
    frame_bytes: Counter[str] = field(default_factory=Counter)
    longest: Counter[str] = field(default_factory=Counter)  # the longest frame that went up
    results: int = 0

    def __post_init__(self) -> None:
        self.parent = {child: name for name, own in self.tree.items() for child in own}
        self.disk = Forgetful(holds=True)
        self.landing = Landing("root", self.tree["root"], self.disk, [self.text])
        self.root = Root()
        self.mergers = {
            name: Merger(name, own, 1) for name, own in self.tree.items() if name != "root"
        }
        names = [name for name in self.parent if name not in self.tree]
        self.leaves = {name: Leaf(name, Forgetful(), (), Pace(live=False)) for name in names}
        self._numbers: Counter[str] = Counter()
        self._now = 1
        for _ in range(4 * len(self.tree) + 4):
            self._now += 3 * SECOND  # hello is said again until all is known
            for name in self.leaves:
                self._step_leaf(name)
            self._settle()
        for counter in (self.spent, self.sent, self.frames, self.frame_bytes, self.longest):
            counter.clear()

    def insert(self, name: str, rows: pa.Table) -> None:
        """Rows come to a leaf; all that follows from it, up to results."""
        self._numbers[name] += 1
        batch = Batch("source", rows, self._numbers[name])
        self._clocked(name, lambda: self.leaves[name].insert([batch], self._now))
        self._step_leaf(name)
        self._settle()

    def end(self) -> None:
        """No more rows."""
        for name, node in self.leaves.items():
            node.end()
            self._step_leaf(name)
        self._settle()

    def forget(self) -> None:
        """What was spent so far went into warming up."""
        self.spent.clear()

    def _step_leaf(self, name: str) -> None:
        node = self.leaves[name]
        for content in self._clocked(name, lambda: _encoded(node.step(self._now))):
            self._up(name, content)

    def _up(self, name: str, content: bytes) -> None:
        above = self.parent[name]
        self.sent[name] += len(content)
        node = self.landing if above == "root" else self.mergers[above]

        def receive() -> Message:
            message = decode(content)
            node.receive(name, message, self._now)
            return message

        if isinstance(self._clocked(above, receive), Frame):
            self.frames[name] += 1
            self.frame_bytes[name] += len(content)
            self.longest[name] = max(self.longest[name], len(content))

    def _down(self, to: str, content: bytes) -> None:
        self.sent[to] += len(content)
        if to in self.leaves:
            node = self.leaves[to]
            self._clocked(to, lambda: node.receive(decode(content), self._now))
            self._step_leaf(to)
        else:
            merger = self.mergers[to]
            self._clocked(to, lambda: merger.receive_from_parent(decode(content), self._now))

    def _settle(self) -> None:
        """Let mergers and the root go on, the lowest first, until all is said."""
        for name in [*reversed(self.mergers)]:
            merger = self.mergers[name]
            below = self._clocked(name, partial(self._sends, merger))
            above = self._clocked(name, partial(self._sends_up, merger))
            for to, content in below:
                self._down(to, content)
            for content in above:
                self._up(name, content)
        for to, content in self._clocked("root", lambda: self._sends(self.landing)):
            self._down(to, content)
        if records := self.disk.taken():
            self._clocked("root", lambda: self._answer(records))

    def _sends(self, node: Merger | Landing) -> list[tuple[str, bytes]]:
        return [(sent.to, encode(sent.message)) for sent in node.step(self._now)]

    def _sends_up(self, merger: Merger) -> list[bytes]:
        return _encoded(merger.upward(self._now))

    def _answer(self, records: list[tuple[int, bytes]]) -> None:
        self.results += sum(answer.table.num_rows for answer in self.root.apply(records))

    def _clocked(self, name: str, what: Callable[[], Any]) -> Any:
        start = time.process_time_ns()
        try:
            return what()
        finally:
            self.spent[name] += time.process_time_ns() - start


def _encoded(messages: Sequence[Message]) -> list[bytes]:
    return [encode(message) for message in messages]
