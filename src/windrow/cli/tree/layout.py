"""Nodes of a tree from the widths of a plan: who is whose parent, on which machine, at which port.

The plan's last layer is the root, its first the leaves.  A layer's nodes are dealt out to the next
one in order, so that neighbours have the same parent and no parent has two children more than
another.  Machines are dealt out in the same way: neighbours share one.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windrow.errors import InputError

__all__ = ["Hosts", "laid_out"]

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Hosts:
    """The machines for each role."""

    root: str
    mergers: Sequence[str]
    leaves: Sequence[str]

    @classmethod
    def among(cls, names: Sequence[str]) -> "Hosts":
        """The root on the first machine, all others on all of them."""
        return cls(names[0], names, names)

    @property
    def are_one(self) -> bool:
        """Whether nothing leaves this machine."""
        return {self.root, *self.mergers, *self.leaves} == {LOOPBACK}


def laid_out(
    widths: Sequence[int], hosts: Hosts, *, port: int, source_port: int
) -> dict[str, dict[str, Any]]:
    """The nodes of `tree.yaml`, from the root to the leaves.

    >>> nodes = laid_out((3, 2, 1), Hosts.among(["127.0.0.1"]), port=7000, source_port=8080)
    >>> {name: node.get("parent") for name, node in nodes.items()}
    {'root': None, 'merger-1-1': 'root', 'merger-1-2': 'root', 'leaf-1': 'merger-1-1', \
'leaf-2': 'merger-1-1', 'leaf-3': 'merger-1-2'}
    """
    *below, top = widths
    if top != 1:
        raise InputError(
            f"plan: its last layer has {top} nodes, and a tree has one root; plan for one key "
            "(--keys 1), or make a tree of each part"
        )
    ports = _Ports(port, source_port)
    nodes: dict[str, dict[str, Any]] = {
        "root": {"role": "root", **ports.way(hosts.root), "results": "out"}
    }
    above = ["root"]
    for height in range(len(below) - 1, 0, -1):
        names = _names(f"merger-{height}-", below[height])
        for name, parent, host in _dealt(names, above, hosts.mergers):
            nodes[name] = {"role": "merger", "parent": parent, **ports.way(host)}
        above = names
    # A plan of one node is a root with one leaf: rows come to leaves alone.
    leaves = _names("leaf-", below[0] if below else 1)
    for name, parent, host in _dealt(leaves, above, hosts.leaves):
        source = {"http": f"{LOOPBACK}:{ports.source(host)}"}
        nodes[name] = {"role": "leaf", "parent": parent, "sources": [source]}
    return nodes


def _names(prefix: str, count: int) -> list[str]:
    digits = len(str(count))
    return [f"{prefix}{number:0{digits}}" for number in range(1, count + 1)]


def _dealt(
    names: Sequence[str], parents: Sequence[str], hosts: Sequence[str]
) -> list[tuple[str, str, str]]:
    count = len(names)
    return [
        (name, parents[i * len(parents) // count], hosts[i * len(hosts) // count])
        for i, name in enumerate(names)
    ]


class _Ports:
    """The next free port of each machine."""

    def __init__(self, port: int, source_port: int) -> None:
        self._port, self._source_port = port, source_port
        self._nodes: Counter[str] = Counter()
        self._sources: Counter[str] = Counter()

    def way(self, host: str) -> Mapping[str, str]:
        port = self._port + self._nodes[host]
        self._nodes[host] += 1
        if host == LOOPBACK:
            return {"listen": f"tcp://{LOOPBACK}:{port}"}
        return {"listen": f"tcp://0.0.0.0:{port}", "address": f"tcp://{host}:{port}"}

    def source(self, host: str) -> int:
        port = self._source_port + self._sources[host]
        self._sources[host] += 1
        return port
