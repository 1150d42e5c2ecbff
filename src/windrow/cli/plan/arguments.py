"""From options to a plan: who sends and how unevenly, and what nodes take."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from windrow.cli.plan.outcome import Outcome
from windrow.cli.plan.wording import told_as_options, told_of
from windrow.cli.quantities import (
    if_given,
    read_bytes,
    read_count,
    read_duration,
    read_entries,
    read_limit,
    read_number,
    read_rate,
    read_seconds,
    read_share,
)
from windrow.cli.traces import Given
from windrow.errors import InputError
from windrow.jobs.problems import did_you_mean
from windrow.topology import (
    PRESETS,
    Arrivals,
    Emission,
    Limit,
    Node,
    Plan,
    Reduction,
    Routing,
    Sources,
    common_tick,
    measured,
    plan,
    read_plan,
)
from windrow.topology.trace import Measured

__all__ = ["planned", "shown"]

_SOURCES = ("count", "rate", "size", "name")
_CLASS = "count=100,rate=2/s,size=1kB,name=meters"
_NODES = ("items", "bytes", "price", "delay", "name", "preset")
_PRICE = "0.015"
_NODE = f"items=20/s,bytes=1MB/s,price={_PRICE},delay=200ms,name=shard"


def planned(given: Given) -> Outcome:
    """The plan for what was asked."""
    if given.margin is not None and given.loss is not None:
        raise InputError(
            f"--margin {given.margin} and --loss {given.loss}: the chance of a loss says which "
            "margin is needed; give one of them"
        )
    nodes, trace = _read_nodes(given), _measure(given)
    sources = _read_sources(given) if trace is None else trace.sources
    if trace is not None and nodes[0].limit.items is None and given.bytes is None:
        raise InputError(
            f"--trace {given.trace} does not say how large items are, but nodes have a limit of "
            "bytes; name the column with sizes, --bytes COLUMN, or give a limit of items"
        )
    with told_as_options():
        found = plan(
            sources,
            nodes=nodes,
            reduction=_reduction(given),
            arrivals=_read_arrivals(given, sources, trace),
            routing=given.routing or Routing.ITEM,
            margin=given.read(read_share, "margin", "give a share to leave free, such as 10%"),
            loss=given.read(read_share, "loss", "give a chance, such as 0.001 or 0.1%"),
        )
    return Outcome(found, trace=trace)


def shown(path: Path, new_sources: str | None, given: Given) -> Outcome:
    """The plan of a file, or the one that follows it for other sources."""
    if new_sources is None and not given.classes:
        if others := given.present():
            raise InputError(
                f"{path} and {others[0]}: the file says what its plan is for; leave {path} out to "
                "plan anew, or say what changes with --new-sources"
            )
        return Outcome(read_plan(path))
    unused = Given(**{**vars(given), "classes": ()}).present()
    if unused or (new_sources is not None and given.classes):
        also = [*unused, *given.present("classes")][0]
        asked = "--class" if new_sources is None else f"--new-sources {new_sources}"
        raise InputError(
            f"{asked} and {also}: all but the sources stays as {path} has it; leave {also} out"
        )
    before = read_plan(path)
    new: int | tuple[Sources, ...] = tuple(map(_read_class, given.classes, count(1)))
    if new_sources is not None:
        new = _so_many(new_sources, before)
    with told_as_options():
        change = before.adapt(new)
    return Outcome(change.plan, change=change)


def _so_many(text: str, before: Plan) -> int:
    if len(before.sources) > 1:
        raise InputError(
            f"--new-sources {text}: the plan has {len(before.sources)} classes of sources; give "
            'each as it will be, --class "count=100,rate=2/s"'
        )
    return read_count(text, "--new-sources", "950")


def _reduction(given: Given) -> Reduction:
    hottest = "give the largest key's share, such as 10%"
    usual = Emission.ON_CHANGE if given.loss is None else Emission.AT_CLOSE
    return Reduction(
        period_s=given.read(read_duration, "period", "20min") or Reduction.period_s,
        keys=given.read(read_count, "keys", "1000") or 1,
        hottest=given.read(read_share, "hottest", hottest),
        states=given.read(read_count, "states", "1") or 1,
        state_bytes=given.read(read_bytes, "state_size"),
        emission=given.emit or usual,
        spread_s=given.read(read_duration, "spread", "20min"),
    )


def _measure(given: Given) -> Measured | None:
    """What is measured from the trace, if there is one."""
    clash = given.present("sources", "rate", "size", "classes", "arrivals")
    if given.trace is not None and clash:
        raise InputError(
            f"--trace {given.trace} and {clash[0]}: the trace says who sends what and how; leave "
            "one of them out"
        )
    with told_as_options():
        items = given.items()
        return None if items is None else measured(items)


def _read_sources(given: Given) -> tuple[Sources, ...]:
    """Those of --sources, or of each --class."""
    if given.classes:
        if clash := given.present("sources", "rate", "size"):
            raise InputError(f'{clash[0]} and --class: write it as a class too, --class "{_CLASS}"')
        return tuple(map(_read_class, given.classes, count(1)))
    if given.sources is None:
        raise InputError(
            "nobody sends: give --sources 500 --rate 0.5/s, a --class for each kind of sources, "
            "--trace FILE, or the file of a plan"
        )
    number = read_count(given.sources, "--sources", "500")
    if given.rate is None:
        raise InputError(
            f"--sources {given.sources} says how many they are, not how much they send; give the "
            "rate of each, such as --rate 0.5/s"
        )
    size = given.read(read_bytes, "size") or 0.0
    rate = read_rate(given.rate, "--rate")
    with told_as_options():
        return (Sources(number, rate, size),)


def _read_class(text: str, place: int) -> Sources:
    """A kind of sources: `count=100,rate=2/s,size=1kB,name=meters`."""
    entries = read_entries(text, "--class", _SOURCES, _CLASS)
    where = f'--class "{text}":'
    for name in ("count", "rate"):
        if name not in entries:
            raise InputError(f'{where} it lacks {name}=…; write "{_CLASS}"')
    with told_of(where):
        return Sources(
            read_count(entries["count"], "count", "100"),
            read_rate(entries["rate"], "rate"),
            if_given(read_bytes, entries.get("size"), "size") or 0.0,
            entries.get("name", f"class {place}"),
        )


def _read_arrivals(given: Given, sources: tuple[Sources, ...], trace: Measured | None) -> Arrivals:
    """As measured from the trace, unless an option says otherwise."""
    if given.arrivals == "tick" and given.burst is not None:
        raise InputError(
            f"--arrivals tick and --burst {given.burst}: that all send at once says how busy the "
            "busiest second is; give one of them"
        )
    arrivals = Arrivals() if trace is None else trace.arrivals
    if given.arrivals == "tick":
        arrivals = common_tick(sources)
    if given.burst is not None:
        burst = read_number(given.burst, "--burst", "1.5")
        arrivals = Arrivals(burst, arrivals.skew_s, f"bursts of {burst:g}")
    if given.skew is not None:
        arrivals = replace(arrivals, skew_s=read_seconds(given.skew, "--skew"))
    return arrivals


def _read_nodes(given: Given) -> tuple[Node, ...]:
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
    changes = _changes(given.price, given.delay, "--")
    with told_as_options():
        return (_adjusted(known, limits, changes),)


def _node(text: str) -> Node:
    entries = read_entries(text, "--node", _NODES, _NODE)
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
    changes = _changes(entries.get("price"), entries.get("delay"))
    if "name" in entries:
        changes["name"] = entries["name"]
    return _adjusted(None if preset is None else PRESETS[preset], limits, changes)


def _changes(price: str | None, delay: str | None, dashes: str = "") -> dict[str, Any]:
    read = {
        "price": if_given(read_number, price, f"{dashes}price", _PRICE),
        "delay_s": if_given(read_seconds, delay, f"{dashes}delay"),
    }
    return {name: number for name, number in read.items() if number is not None}


def _adjusted(known: Node | None, limits: Mapping[str, float], changes: Mapping[str, Any]) -> Node:
    """A node with these limits, or a known one with some of them and of all else changed."""
    limit = Limit(**limits) if known is None else replace(known.limit, **limits)
    return replace(Node(limit) if known is None else known, limit=limit, **changes)
