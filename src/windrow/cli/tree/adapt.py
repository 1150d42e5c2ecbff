"""`windrow tree adapt tree.yaml --to new.yaml`: a running tree becomes another one."""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from windrow.cli.options import PATH, plain_command

if TYPE_CHECKING:
    from windrow.cli.tree.changes import Changes
    from windrow.edge.tree_file import Node, Tree

__all__ = ["adapt"]

_LOOK_S = 0.1


@click.command()
@plain_command
@click.argument("tree_file", metavar="TREE", type=PATH)
@click.option(
    "--to", "new_file", metavar="FILE", type=PATH, required=True, help="The tree it is to become."
)
@click.option("--check", is_flag=True, help="Say what would be done, only.")
@click.option(
    "--patience",
    "patience_s",
    metavar="SECONDS",
    type=click.FloatRange(min=1),
    default=60.0,
    help="How long each step may take.  [60]",
)
def adapt(tree_file: Path, new_file: Path, patience_s: float, *, check: bool) -> None:
    """Change the running tree of a TREE file into that of another file.

    TREE gets the content of the other file first, which is how `windrow tree up` starts new nodes;
    without it, start these by `windrow node` now. Leaves go to other parents while rows come; no
    row is lost or counted twice. Mergers do not move: give one another name, and its leaves move to
    the new one. Nodes that are no longer listed end when nothing depends on them. All nodes are on
    this machine. When a step takes too long, the same command goes on from there.
    """
    from windrow.cli.tree.changes import changes
    from windrow.edge.tree_file import read_tree
    from windrow.files.replacing import replace_file

    aside = tree_file.with_name(f"{tree_file.name}.before")
    before = read_tree(aside if aside.exists() else tree_file)
    after = read_tree(new_file)
    found = changes(before, after)
    _say(found)
    if check or not found.any:
        return
    if new_file.resolve().parent != tree_file.resolve().parent:
        from windrow.errors import InputError

        raise InputError(
            f"--to {new_file} is in another folder than {tree_file}; paths would differ"
        )
    adapting = _Adapting(before, after, patience_s)
    adapting.expect(found)
    if not aside.exists():
        replace_file(aside, tree_file.read_bytes())
    replace_file(tree_file, new_file.read_bytes())
    adapting.do(found)
    aside.unlink()
    click.echo(f"done; {tree_file} is the tree that runs")


class _Adapting:
    """The steps: each may be done again."""

    def __init__(self, before: "Tree", after: "Tree", patience_s: float) -> None:
        self._before, self._after, self._patience_s = before, after, patience_s

    @property
    def _root(self) -> "Node":
        from windrow.cli.tree.figures import landing_of

        return landing_of(self._after)

    def expect(self, found: "Changes") -> None:
        """Let parents that run know their new children, which they would refuse else."""
        new = {node.name for node in found.new}
        for node in [*found.new, *found.moved]:
            if node.parent not in new:
                self._join(node)

    def do(self, found: "Changes") -> None:
        """Start, move and end nodes."""
        for node in found.new:
            self._until(f"{node.name} does not answer", partial(self._answers, node))
        for node in found.moved:
            parent = self._after.nodes[node.parent or ""]
            key = self._key(parent.name)
            self._order(node, "move", parent=parent.name, address=parent.address, key=key)
        for node in found.gone:
            if node.role.value == "leaf" and self._answers(node):
                self._order(node, "end")  # its siblings could not move while it is silent
        for node in found.moved:
            self._until(f"{node.name} has not moved", partial(self._has_moved, node))
            click.echo(f"  {node.name} is a child of {node.parent} now")
        for text in found.asked:
            self._order(self._root, "ask", text=text)
        for fingerprint in found.dropped:
            self._order(self._root, "drop", query=fingerprint)
        for node in found.gone:
            self._end(node)

    def _join(self, node: "Node") -> None:
        parent = self._after.nodes[node.parent or ""]
        self._order(parent, "join", member=node.name, key=self._key(node.name))

    def _end(self, node: "Node") -> None:
        """All that a node has must be safe above it, and nothing may wait for it afterwards."""
        if not self._answers(node):
            return  # from the last time
        self._until(f"{node.name} still has what is not safe", partial(self._is_empty, node))
        parent = self._before.nodes[node.parent or ""]
        if self._answers(parent):
            released = partial(self._order, parent, "release", member=node.name)
            self._until(f"{parent.name} still waits for {node.name}", released)
        self._order(node, "stop")
        click.echo(f"  {node.name} has ended")

    def _is_empty(self, node: "Node") -> bool:
        from windrow.edge.payload import END

        status = self._status(node)
        if node.role.value == "leaf":  # its last frame has no end, and is never safe as a whole
            reached = [query["frontier"] for query in self._status(self._root)["queries"].values()]
            return all(at is not None and at > status["newest"] for at in reached)
        has_ended = all(query["frontier"] == END for query in status["queries"].values())
        return not status["members"] and (has_ended or not status["unsafe_bytes"])

    def _has_moved(self, node: "Node") -> bool:
        return not self._status(node)["moving"]

    def _status(self, node: "Node") -> dict[str, Any]:
        status: dict[str, Any] = self._order(node, "status")[node.name]
        return status

    def _answers(self, node: "Node") -> bool:
        from windrow.edge.processes.control import ordered
        from windrow.errors import StoreUnreachableError

        try:
            ordered(node.folder, "status", seconds=1)
        except StoreUnreachableError:
            return False
        return True

    def _order(self, node: "Node", do: str, **how: Any) -> Any:
        from windrow.edge.processes.control import ordered

        return ordered(node.folder, do, seconds=self._patience_s, **how)

    def _key(self, name: str) -> str:
        folder = self._after.keys
        return "" if folder is None else (folder / f"{name}.public").read_text("ascii").strip()

    def _until(self, otherwise: str, what: Callable[[], bool]) -> None:
        from windrow.errors import StoreUnreachableError

        end = time.monotonic() + self._patience_s
        while not what():
            if time.monotonic() > end:
                raise StoreUnreachableError(
                    f"{otherwise} after {self._patience_s:g} s; see to it, and say the same again"
                )
            time.sleep(_LOOK_S)


def _say(found: "Changes") -> None:
    if not found.any:
        click.echo("the tree is that one already")
    for title, nodes in (("new", found.new), ("to move", found.moved), ("to end", found.gone)):
        if nodes:
            click.echo(f"{title}: {', '.join(node.name for node in nodes)}")
    for title, queries in (("queries to ask", found.asked), ("queries to drop", found.dropped)):
        if queries:
            click.echo(f"{title}: {len(queries)}")
