"""What nodes take: limits, presets with some changed, or a kind for each layer."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from windrow.cli.job.problems import did_you_mean
from windrow.cli.plan.options import Given
from windrow.cli.plan.wording import told_as_options, told_of
from windrow.cli.quantities import read_entries, read_limit, read_number, read_seconds
from windrow.errors import InputError
from windrow.topology import PRESETS, Limit, Node

__all__ = ["read_nodes"]

_ENTRIES = ("items", "bytes", "price", "delay", "name", "preset")
_PRICE = "0.015"
_NODE = f"items=20/s,bytes=1MB/s,price={_PRICE},delay=200ms,name=shard"


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
    changes: dict[str, Any] = {}
    if given.price is not None:
        changes["price"] = read_number(given.price, "--price", _PRICE)
    if given.delay is not None:
        changes["delay_s"] = read_seconds(given.delay, "--delay")
    with told_as_options():
        return (_adjusted(known, limits, changes),)


def _node(text: str) -> Node:
    entries = read_entries(text, "--node", _ENTRIES, _NODE)
    with told_of(f'--node "{text}":'):
        return _of_entries(entries)


def _of_entries(entries: Mapping[str, str]) -> Node:
    limits: dict[str, float] = {}
    for name in ("items", "bytes"):
        if name in entries:
            kind, limits[name] = read_limit(entries[name], name)
            if kind != name:
                raise InputError(f"{name}={entries[name]} is a limit of {kind}; say so")
    preset = entries.get("preset")
    if preset is not None and preset not in PRESETS:
        raise InputError(f"unknown preset {preset!r} {did_you_mean(preset, PRESETS)}")
    if not limits and preset is None:
        raise InputError(f'it has no limit; write "{_NODE}"')
    changes: dict[str, Any] = {}
    if "price" in entries:
        changes["price"] = read_number(entries["price"], "price", _PRICE)
    if "delay" in entries:
        changes["delay_s"] = read_seconds(entries["delay"], "delay")
    if "name" in entries:
        changes["name"] = entries["name"]
    return _adjusted(None if preset is None else PRESETS[preset], limits, changes)


def _adjusted(known: Node | None, limits: Mapping[str, float], changes: Mapping[str, Any]) -> Node:
    """A node with these limits, or a known one with some of them and of all else changed."""
    limit = Limit(**limits) if known is None else replace(known.limit, **limits)
    return replace(Node(limit) if known is None else known, limit=limit, **changes)
