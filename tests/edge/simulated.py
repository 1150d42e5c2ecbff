"""A tree of real cores on a simulated network: losses, duplicates, reordering, crashes, skew.

Everything is drawn from one seed, and time is counted, so a run takes milliseconds and can be
repeated.
"""

import heapq
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any

import pyarrow as pa

from windrow.edge.clock import Pace
from windrow.edge.landing import Landing
from windrow.edge.leaf import Batch, Leaf
from windrow.edge.merger import Merger
from windrow.edge.payload import END
from windrow.edge.query import read_node_query
from windrow.edge.root import Answer, Root
from windrow.wire.messages import Message, decode, encode

SECOND = 1_000_000
_TICK = 100_000


@dataclass
class SimulatedDisk:
    """A disk that forgets what was not synced when the power goes."""

    kept: list[bytes] = field(default_factory=list)
    first: int = 0
    synced: int = 0

    @property
    def end(self) -> int:
        return self.first + len(self.kept)

    @property
    def size(self) -> int:
        return sum(map(len, self.kept))

    def append(self, record: bytes) -> int:
        self.kept.append(record)
        return self.end - 1

    def sync(self) -> None:
        self.synced = self.end

    def records(self, since: int = 0) -> Iterator[tuple[int, bytes]]:
        for number in range(max(since, self.first), self.end):
            yield number, self.kept[number - self.first]

    def drop_before(self, number: int) -> None:
        del self.kept[: max(0, number - self.first)]
        self.first = max(self.first, number)

    def crash(self, chance: random.Random) -> None:
        """Some of what was not synced may be there all the same."""
        del self.kept[chance.randint(self.synced - self.first, len(self.kept)) :]
        self.synced = self.end


@dataclass(frozen=True)
class Faults:
    """How bad the world is."""

    loss: float = 0.0
    doubled: float = 0.0
    delay_us: int = 2_000
    crashes: int = 0


Tree = Mapping[str, Sequence[str]]  # the children of each node; the landing is called "root"


class Simulation:
    """A tree under one seed."""

    def __init__(
        self,
        tree: Tree,
        jobs: Sequence[str],
        arrivals: Mapping[str, Sequence[tuple[int, pa.Table]]],
        faults: Faults,
        seed: int,
        *,
        pace: Pace | None = None,
        snapshot_bytes: int = 2_000,
        spool_bytes: int = 1 << 30,
        clocks: Mapping[str, int] | None = None,  # how much later than `now` it is at a node
        **how: Any,
    ) -> None:
        self.chance = random.Random(seed)
        self.tree, self.jobs, self.faults, self.how = tree, [*jobs], faults, how
        self.pace = pace or Pace(live=False)
        self.snapshot_bytes, self.spool_bytes = snapshot_bytes, spool_bytes
        self.clocks = clocks or {}
        self.parent = {child: name for name, children in tree.items() for child in children}
        self.leaves = [name for name in self.parent if name not in tree]
        self.disks = {name: SimulatedDisk() for name in (*self.leaves, "root")}
        self.epochs = dict.fromkeys([*tree, *self.leaves], 0)
        self.now = 0
        self.queue: list[tuple[int, int, Callable[[], None]]] = []
        self.numbers = count()
        self.nodes: dict[str, Any] = {}
        for name in self.epochs:
            self.start(name)
        self.unacked: dict[str, dict[int, pa.Table]] = {leaf: {} for leaf in self.leaves}
        self.left = {leaf: len(batches) for leaf, batches in arrivals.items()}
        for leaf, batches in arrivals.items():
            for number, (at, rows) in enumerate(batches):
                self.at(at, partial(self.arrive, leaf, number, rows))
        last = max((at for batches in arrivals.values() for at, _ in batches), default=0)
        for _ in range(faults.crashes):
            name = self.chance.choice(sorted(self.nodes))
            self.at(self.chance.randint(0, last + SECOND), partial(self.crash, name))
        self.at(last + 2 * SECOND, self.finish)
        self.last = last
        for name in self.nodes:
            self.tick(name)

    def at(self, time: int, what: Callable[[], None]) -> None:
        heapq.heappush(self.queue, (max(time, self.now), next(self.numbers), what))

    def start(self, name: str) -> None:
        self.epochs[name] += 1
        if name in self.disks and name != "root":
            limits = {"snapshot_bytes": self.snapshot_bytes, "spool_bytes": self.spool_bytes}
            self.nodes[name] = Leaf(name, self.disks[name], self.jobs, self.pace, **limits)
        elif name == "root":
            disk = self.disks[name]
            self.nodes[name] = Landing(name, self.tree[name], disk, self.jobs, **self.how)
        else:
            self.nodes[name] = Merger(name, self.tree[name], self.epochs[name], **self.how)

    def crash(self, name: str) -> None:
        if name in self.disks:
            self.disks[name].crash(self.chance)
        self.nodes.pop(name, None)
        self.at(self.now + self.chance.randint(0, 3 * SECOND), lambda: self.start(name))

    def clock(self, name: str) -> int:
        """What time a node believes it is."""
        return self.now + self.clocks.get(name, 0)

    def ask(self, text: str) -> None:
        """A query more, as soon as the landing is there."""
        if "root" not in self.nodes:
            self.at(self.now + SECOND, lambda: self.ask(text))
            return
        self.nodes["root"].ask(text)
        self.step("root")

    def drop(self, text: str) -> None:
        """A query that nobody asks any more."""
        if "root" not in self.nodes:
            self.at(self.now + SECOND, lambda: self.drop(text))
            return
        self.jobs = [job for job in self.jobs if job != text]
        self.nodes["root"].drop(read_node_query(text).fingerprint)
        self.step("root")

    def tick(self, name: str) -> None:
        self.step(name)
        self.at(self.now + _TICK, lambda: self.tick(name))

    def arrive(self, leaf: str, number: int, rows: pa.Table) -> None:
        """A source has a batch, and says it again until it is safe."""
        self.unacked[leaf][number] = rows
        self.offer(leaf)

    def offer(self, leaf: str) -> None:
        node = self.nodes.get(leaf)
        waiting = self.unacked[leaf]
        if node is None or not waiting:
            return
        batches = [Batch("s", waiting[n], n) for n in sorted(waiting)]
        taken = node.insert(batches, self.clock(leaf))
        if self.faults.crashes and self.chance.random() < 0.02:
            return  # the source is cut off before it hears that its rows are safe
        self.step(leaf)
        for one in taken:
            if one.accepted:
                waiting.pop(one.number, None)

    def finish(self) -> None:
        """All sources end, once all rows are taken."""
        for leaf in self.leaves:
            self.offer(leaf)
        if any(self.unacked.values()) or len(self.nodes) < len(self.epochs):
            self.at(self.now + SECOND, self.finish)
            return
        for leaf in self.leaves:
            self.nodes[leaf].end()

    def step(self, name: str) -> None:
        node = self.nodes.get(name)
        if node is None:
            return
        if isinstance(node, Leaf):
            for message in node.step(self.clock(name)):
                self.send(name, self.parent[name], message)
            return
        for sent in node.step(self.clock(name)):
            self.send(name, sent.to, sent.message)
        if isinstance(node, Merger):
            for message in node.upward(self.clock(name)):
                self.send(name, self.parent[name], message)

    def send(self, sender: str, to: str, message: Message) -> None:
        content = encode(message)
        copies = 1 + (self.chance.random() < self.faults.doubled)
        for _ in range(copies):
            if self.chance.random() >= self.faults.loss:
                delay = 500 + self.chance.randint(0, self.faults.delay_us)
                self.at(self.now + delay, lambda: self.deliver(sender, to, content))

    def deliver(self, sender: str, to: str, content: bytes) -> None:
        node = self.nodes.get(to)
        if node is None:
            return
        message = decode(content)
        if self.parent.get(to) == sender:
            up = node.receive_from_parent if isinstance(node, Merger) else node.receive
            up(message, self.clock(to))
        else:
            node.receive(sender, message, self.clock(to))
        self.step(to)

    @property
    def done(self) -> bool:
        landing = self.nodes.get("root")
        return landing is not None and all(
            known["frontier"] == END for known in landing.figures()["queries"].values()
        )

    def run(self, most_us: int = 600 * SECOND) -> "Simulation":
        while not self.done:
            self.now, _, what = heapq.heappop(self.queue)
            assert self.now < self.last + most_us, self.stuck()
            what()
        return self

    def settled(self) -> "Simulation":
        """Run on until leaves have heard that all they sent is safe, late rows too."""
        most = self.now + 600 * SECOND
        while not all(self.has_nothing_unsafe(leaf) for leaf in self.leaves):
            self.now, _, what = heapq.heappop(self.queue)
            assert self.now < most, self.stuck()
            what()
        return self

    def has_nothing_unsafe(self, leaf: str) -> bool:
        """Whether a leaf is there, and need not send anything again."""
        node = self.nodes.get(leaf)
        return node is not None and node.figures()["unsafe_bytes"] == 0

    def stuck(self) -> str:
        return "\n".join(f"{name}: {node.figures()}" for name, node in self.nodes.items())

    def answers(self) -> list[Answer]:
        """What a root makes of the spool; it begins again from a checkpoint now and then."""
        root = Root()
        out: list[Answer] = []
        for record in self.disks["root"].records():
            out += root.apply([record])
            if self.chance.random() < 0.1:
                root = Root.restored(root.checkpoint())
        return out

    def rows(self, query: str | None = None) -> list[dict[str, Any]]:
        """Results as rows."""
        found = (a for a in self.answers() if not a.is_late and query in (None, a.query))
        return [row for answer in found for row in answer.table.to_pylist()]

    def late(self) -> int:
        return sum(answer.table.num_rows for answer in self.answers() if answer.is_late)
