"""The process that an entry of `tree.yaml` describes."""

from collections.abc import Mapping
from typing import Any

import zmq

from windrow.edge.carrier import MOST_BYTES, Above, Below, require_safe
from windrow.edge.children import Absence
from windrow.edge.keys import Keys, read_keys
from windrow.edge.processes.landing import LandingProcess
from windrow.edge.processes.leaf import LeafProcess
from windrow.edge.processes.merger import MergerProcess
from windrow.edge.processes.moving import Moving, Way
from windrow.edge.processes.process import Process
from windrow.edge.processes.results import Results
from windrow.edge.processes.root import RootProcess
from windrow.edge.processes.warming import warm_up
from windrow.edge.sources.opened import opened
from windrow.edge.tree_file import Node, ResultFiles, Role, Tree

__all__ = ["process_of", "require_ready"]


def require_ready(tree: Tree, name: str) -> None:
    """Refuse a node that could not begin: without its keys, or open to anybody."""
    node = tree.node(name)
    keys = None if tree.keys is None else read_keys(tree.keys, name, tree.nodes)
    above = None if node.parent is None else tree.nodes[node.parent].address
    for address in (node.listen, above):
        if address is not None:
            require_safe(address, keys, insecure=tree.insecure)


def process_of(tree: Tree, name: str) -> Process:
    """A node of a tree, ready to run."""
    node = tree.node(name)
    if node.spool is not None and node.results is not None:
        return RootProcess(name, node.folder, node.spool, _results(tree, node.results))
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    keys = None if tree.keys is None else read_keys(tree.keys, name, tree.nodes)
    carried: dict[str, Any] = {
        "insecure": tree.insecure,
        "most_bytes": tree.limits.get("message_bytes", MOST_BYTES),
    }
    queries = [query.text for query in tree.queries.values()]
    warm_up(queries)
    if node.role is Role.LEAF:
        moving = Moving(
            node.folder,
            _way(tree, node, keys),
            lambda way: _above(context, node.name, way, keys, carried),
        )
        above = moving.open()
        limits = {key: tree.limits[key] for key in ("spool_bytes",) if key in tree.limits}
        sources = [opened(source, name) for source in node.sources]
        leaf = LeafProcess(name, node.folder, above, sources, queries, tree.pace, **limits)
        leaf.moving = moving
        return leaf
    assert node.listen is not None
    below = Below(context, node.listen, keys, **carried)
    how: dict[str, Any] = {"absence": tree.absence, "patience_us": tree.patience_us}
    if "buffer_bytes" in tree.limits:
        how["buffer_bytes"] = tree.limits["buffer_bytes"]
    children = tree.children(name)
    if node.role is Role.MERGER:
        above = _above(context, name, _way(tree, node, keys), keys, carried)
        return MergerProcess(name, node.folder, above, below, children, **how)
    results = None if node.results is None else _results(tree, node.results)
    return LandingProcess(name, node.folder, below, children, queries, results, **how)


def _way(tree: Tree, node: Node, keys: Keys | None) -> Way:
    """How the file says that a node gets to its parent."""
    assert node.parent is not None
    address = tree.nodes[node.parent].address
    assert address is not None
    return node.parent, address, "" if keys is None else keys.public_of(node.parent).decode()


def _above(
    context: Any, name: str, way: Way, keys: Keys | None, carried: Mapping[str, Any]
) -> Above:
    parent, address, key = way
    if keys is not None:
        keys.names[key.encode()] = parent
    return Above(context, name, address, parent, keys, **carried)


def _results(tree: Tree, files: ResultFiles) -> Results:
    names = {query.fingerprint: name for name, query in tree.queries.items()}
    return Results(
        files.folder,
        files.format,
        names=names,
        every_us=files.every_us,
        with_missing=tree.absence is Absence.EXCLUDE,
    )
