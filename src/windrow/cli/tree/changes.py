"""What has to be done so that one tree becomes another one while it runs."""

from collections.abc import Sequence
from dataclasses import dataclass

from windrow.edge.tree_file import Node, Role, Tree
from windrow.errors import InputError

__all__ = ["Changes", "changes"]


@dataclass(frozen=True)
class Changes:
    """Nodes that come, leaves that move, nodes that go, queries that come and go."""

    new: Sequence[Node]  # parents before their children
    moved: Sequence[Node]  # leaves, as they are to be
    gone: Sequence[Node]  # children before their parents, as they were
    asked: Sequence[str]
    dropped: Sequence[str]

    @property
    def any(self) -> bool:
        """Whether there is something to do."""
        return any((self.new, self.moved, self.gone, self.asked, self.dropped))


def changes(before: Tree, after: Tree) -> Changes:
    """The way from one tree to the other; `InputError` says what no running tree can do."""
    problems = [*_problems(before, after)]
    if problems:
        raise InputError(
            "\n".join([f"{after.path} asks for what no running tree can do:", *problems])
        )
    both = before.nodes.keys() & after.nodes.keys()
    moved = [
        node
        for name, node in after.nodes.items()
        if name in both and node.parent != before.nodes[name].parent
    ]
    new = [node for name, node in after.nodes.items() if name not in both]
    gone = [node for name, node in before.nodes.items() if name not in both]
    queries = [
        {query.fingerprint: query.text for query in tree.queries.values()}
        for tree in (before, after)
    ]
    return Changes(
        sorted(new, key=lambda node: _depth(after, node.name)),
        moved,
        sorted(gone, key=lambda node: -_depth(before, node.name)),
        [text for fingerprint, text in queries[1].items() if fingerprint not in queries[0]],
        [fingerprint for fingerprint in queries[0] if fingerprint not in queries[1]],
    )


def _problems(before: Tree, after: Tree) -> list[str]:
    found = []
    for name, node in after.nodes.items():
        old = before.nodes.get(name)
        if old is None:
            if node.parent is None:
                found.append(f"  {name}: a second root (give it a parent)")
            continue
        if old.role is not node.role:
            found.append(f"  {name}: another role, {node.role.value} (give it another name)")
        elif node.role is not Role.LEAF and node.parent != old.parent:
            found.append(
                f"  {name}: only leaves can move (give the {node.role.value} another name: a new "
                "one is started, and the leaves move there)"
            )
        if (old.listen, old.address, old.folder) != (node.listen, node.address, node.folder):
            found.append(f"  {name}: another address or folder (give it another name)")
    for name, node in before.nodes.items():
        if node.parent is None and name not in after.nodes:
            found.append(f"  {name}: a root cannot go (keep it)")
    if before.keys != after.keys:
        found.append("  keys: in another folder (keep it)")
    return found


def _depth(tree: Tree, name: str) -> int:
    parent = tree.nodes[name].parent
    return 0 if parent is None else 1 + _depth(tree, parent)
