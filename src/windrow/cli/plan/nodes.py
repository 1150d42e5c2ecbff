"""What nodes take: limits, presets with some changed, or a kind for each layer."""

from collections.abc import Mapping
from dataclasses import replace

from windrow.cli.job.problems import did_you_mean
from windrow.cli.plan.options import Given
from windrow.cli.quantities import read_entries, read_limit, read_number, read_seconds
from windrow.errors import InputError
from windrow.planning.topology import PRESETS, Limit, Node

__all__ = ["read_nodes"]

_ENTRIES = ("items", "bytes", "price", "delay", "name", "preset")
_NODE = "items=20/s,bytes=1MB/s,price=0.015,delay=200ms,name=shard"


def read_nodes(given: Given) -> tuple[Node, ...]:
    """One kind for all layers, or those of each --node."""
    if given.nodes:
        if clash := given.present("limits", "price", "delay", "preset"):
            raise InputError(f'{clash[0]} and --node: write it into each node, --node "{_NODE}"')
        return tuple(map(_node, given.nodes))
    limits: dict[str, float] = {}
    for text in given.limits:
        kind, number = read_limit(text, "--limit")
        if kind in limits:
            raise InputError(
                f"--limit {text} is the second limit of {kind}; give one of items and one of bytes"
            )
        limits[kind] = number
    known = None if given.preset is None else PRESETS[given.preset]
    if not limits and known is None:
        raise InputError(
            "nodes have no limit: give --limit 20/s or --limit 1MB/s, a --node for each layer, or "
            f"--preset {' or '.join(PRESETS)}"
        )
    return (_adjusted(known, limits, given.price, given.delay, None),)


def _node(text: str) -> Node:
    entries = read_entries(text, "--node", _ENTRIES, _NODE)
    where = f'--node "{text}":'
    limits: dict[str, float] = {}
    for name in ("items", "bytes"):
        if name in entries:
            kind, limits[name] = read_limit(entries[name], f"{where} {name}")
            if kind != name:
                raise InputError(f"{where} {name}={entries[name]} is a limit of {kind}; say so")
    preset = entries.get("preset")
    if preset is not None and preset not in PRESETS:
        raise InputError(f"{where} unknown preset {preset!r} {did_you_mean(preset, PRESETS)}")
    if not limits and preset is None:
        raise InputError(f'{where} it has no limit; write "{_NODE}"')
    return _adjusted(
        None if preset is None else PRESETS[preset],
        limits,
        entries.get("price"),
        entries.get("delay"),
        entries.get("name"),
        where,
    )


def _adjusted(
    known: Node | None,
    limits: Mapping[str, float],
    price: str | None,
    delay: str | None,
    name: str | None,
    where: str = "",
) -> Node:
    """A node with these limits, or a known one with some of them changed."""
    node = Node(Limit(**limits)) if known is None else known
    if known is not None and limits:
        node = replace(node, limit=replace(node.limit, **limits))
    if price is not None:
        node = replace(node, price=read_number(price, _called("price", where), "0.015"))
    if delay is not None:
        node = replace(node, delay_s=read_seconds(delay, _called("delay", where)))
    return node if name is None else replace(node, name=name)


def _called(name: str, where: str) -> str:
    return f"{where} {name}" if where else f"--{name}"
