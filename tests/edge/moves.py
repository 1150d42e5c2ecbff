"""Simulated trees whose leaves go to another parent, whose mergers die for good, and so on."""

from typing import Any

from tests.edge.simulated import SECOND, Simulation
from windrow.edge.leaf import Leaf
from windrow.wire.messages import decode


class MovingSimulation(Simulation):
    """A simulation in which a leaf may have two parents for a while."""

    def __init__(self, *given: Any, **how: Any) -> None:
        self.to: dict[str, str] = {}
        super().__init__(*given, **how)

    def move(self, leaf: str, to: str) -> None:
        """As an operator would: the new parent expects the leaf, then the leaf goes there."""
        new = self.nodes.get(to)
        if new is None or leaf not in self.nodes:
            self.at(self.now + SECOND, lambda: self.move(leaf, to))
            return
        self.tree = {**self.tree, to: [*self.tree[to], leaf]}
        new.join(leaf)
        self.to[leaf] = to
        self.nodes[leaf].move()

    def step(self, name: str) -> None:
        super().step(name)
        node = self.nodes.get(name)
        if not isinstance(node, Leaf) or name not in self.to:
            return
        for message in node.sends_to_new(self.now):
            self.send(name, self.to[name], message)
        if not node.is_moving:
            old, self.parent[name] = self.parent[name], self.to.pop(name)
            left = [child for child in self.tree[old] if child != name]
            self.tree = {**self.tree, old: left}

    def deliver(self, sender: str, to: str, content: bytes) -> None:
        node = self.nodes.get(to)
        if isinstance(node, Leaf) and self.to.get(to) == sender:
            node.receive(decode(content), self.now, new=True)
            self.step(to)
            return
        if self.parent.get(to) != sender and sender not in (self.tree.get(to) or ()):
            former = getattr(node, "former", ())
            if sender not in former:
                return  # from before the move: that connection is gone
        super().deliver(sender, to, content)

    def start(self, name: str) -> None:
        if name in self.epochs:  # else it was buried
            super().start(name)

    def crash(self, name: str) -> None:
        if name in self.epochs:
            super().crash(name)

    def bury(self, merger: str) -> None:
        """A merger dies for good; its children go to its parent."""
        parent = self.parent[merger]
        heirs = list(self.tree[merger])
        if parent not in self.nodes:
            self.at(self.now + SECOND, lambda: self.bury(merger))
            return
        self.nodes.pop(merger, None)
        self.to = {leaf: to for leaf, to in self.to.items() if to != merger}
        self.nodes[parent].replace(merger, heirs)
        self.tree = {
            name: sorted({*children, *heirs} - {merger}) if name == parent else children
            for name, children in self.tree.items()
            if name != merger
        }
        for heir in heirs:
            self.parent[heir] = parent
            if heir in self.nodes:
                self.nodes[heir].lost()
        del self.parent[merger], self.epochs[merger]
