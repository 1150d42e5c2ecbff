"""A plan for people, with a drawing, what is proved and advice; or as JSON, for programs."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from windrow.cli.figures import aligned, counted, duration, rounded, share, size
from windrow.cli.plan.outcome import LOSS, Outcome
from windrow.cli.plan.proofs import proofs, widths_of
from windrow.topology import Adaptation, Emission, Layer, Limit, Plan, Routing, Sources, to_json
from windrow.topology.trace import Measured

__all__ = ["as_json", "as_text", "limit_of", "tree"]

_TEXTS = ("kind", "by", "takes")
_MOST_CLASSES = 8
_FAR_MORE = 100


def as_text(outcome: Outcome, columns: int) -> str:
    """All of it, on a terminal with this many columns."""
    plan = outcome.plan
    parts = [
        [*_heading(plan), *_measured(outcome.trace)],
        _changes(outcome.change),
        [_total(plan)],
        _table(plan),
        tree(plan, columns),
        list(proofs(plan)),
        list(_advice(outcome)),
    ]
    return "\n\n".join("\n".join(lines) for lines in parts if lines)


def _heading(plan: Plan) -> Iterator[str]:
    for one in plan.sources[:_MOST_CLASSES]:
        yield _class(one)
    if further := plan.sources[_MOST_CLASSES:]:
        items = rounded(sum(one.items for one in further))
        yield f"… and {len(further)} more classes, {items} items/s"
    reduction, arrivals = plan.reduction, plan.arrivals
    burst = "" if arrivals.burst == 1 else f", busiest seconds {rounded(arrivals.burst)} × the mean"
    skew = "" if not arrivals.skew_s else f", clocks wrong by {duration(arrivals.skew_s)}"
    yield f"arrivals: {arrivals.name}{burst}{skew}"
    results = "one result" if reduction.keys == 1 else f"results of {reduction.keys:,} keys"
    hot = "" if reduction.hottest is None else f", the largest with {share(reduction.hottest)}"
    when = "" if reduction.emission is Emission.ON_CHANGE else ", handed on by the clock"
    yield f"{results}{hot} every {duration(reduction.period_s)}{when}"


def _class(one: Sources) -> str:
    each, all_ = f"{rounded(one.rate)} items/s", f"{rounded(one.items)} items/s"
    if one.item_bytes:
        each += f" of {size(one.item_bytes)}"
        all_ += f", {size(one.items * one.item_bytes)}/s"
    who = "" if one.name == "sources" else f"{one.name}: "
    return f"{who}{counted(one.count, 'source')} × {each} = {all_}"


def _measured(trace: Measured | None) -> Iterator[str]:
    if trace is not None:
        yield (
            f"measured: {trace.items:,} items in {duration(trace.seconds)}, {trace.busiest:,} in "
            f"the busiest second; they bunch {rounded(trace.dispersion)} times as much as chance"
        )


def _changes(change: Adaptation | None) -> list[str]:
    if change is None:
        return []
    before = sum(one.count for one in change.before.sources)
    now = sum(one.count for one in change.plan.sources)
    lines = [
        f"from {before:,} sources to {now:,}: start {counted(change.started, 'node')}, stop "
        f"{change.stopped:,}; {len(change.changed)} of {len(change.moves)} layers change",
        f"  before  {widths_of(change.before.widths)}",
        f"  after   {widths_of(change.plan.widths)}",
    ]
    return [*lines, *(f"  {move}" for move in change.changed)]


def _total(plan: Plan) -> str:
    parts = [f"{counted(plan.nodes, 'node')} in {counted(len(plan.layers), 'layer')}"]
    if plan.cost is not None:
        parts.append(f"{_price(plan.cost)} an hour")
    parts.append(f"a result about {duration(plan.latency_s)} after its period")
    return f"plan: {widths_of(plan.widths)} ({', '.join(parts)})"


def _table(plan: Plan) -> list[str]:
    has_ways = any(layer.routing is not Routing.ITEM for layer in plan.layers)
    has_bytes = any(layer.bytes for layer in plan.layers)
    has_margins = plan.margin is not None or plan.loss is not None
    has_costs = any(layer.cost is not None for layer in plan.layers)
    head = ["layer", "nodes", "kind", *["by"] * has_ways, "takes", "load", "items/s", "usually"]
    head += ["bytes/s"] * has_bytes + ["margin"] * has_margins
    head += ["latency"] + ["per hour"] * has_costs
    lines = [head]
    for number, layer in enumerate(plan.layers, 1):
        line = [f"{number}", f"{layer.width:,}", layer.node.name]
        line += [layer.routing.value] * has_ways + [limit_of(layer.node.limit)]
        line += [share(layer.load), rounded(layer.items), rounded(layer.usual_items)]
        line += [size(layer.bytes)] * has_bytes + [share(layer.margin)] * has_margins
        line += [duration(plan.latencies_s[number - 1])] + [_cost(layer)] * has_costs
        lines.append(line)
    return aligned(lines, _TEXTS)


def limit_of(limit: Limit) -> str:
    """What a node takes, as one writes it."""
    written = {"items": rounded, "bytes": size}
    return " + ".join(f"{written[name](most)}/s" for name, most in limit.given.items())


def _cost(layer: Layer) -> str:
    return "" if layer.cost is None else _price(layer.cost)


def _price(number: float) -> str:
    return f"{number:,.2f}" if number >= 1 else rounded(number)


def _advice(outcome: Outcome) -> Iterator[str]:
    plan, safer = outcome.plan, outcome.safer
    further = plan.layers[1:]
    if plan.reduction.state_bytes is None and any(layer.node.limit.bytes for layer in further):
        as_what = size(plan.state_bytes) if plan.state_bytes else "nothing"
        yield f"note: states count as {as_what}, as an item does; --state-size says how large"
    if plan.arrivals.burst > 1 and plan.loss is None:
        yield "note: bursts are not planned for; --loss 0.001 leaves room for them"
    if not outcome.used_up:
        return
    lost = "" if outcome.refused is None else f" about {share(outcome.refused)} of"
    yield (
        "note: this plan is right on average only. Limits hold in every second, and seconds are "
        f"unevenly full: the first layer refuses{lost or ' some'} items;"
    )
    if safer is None:
        yield f"  no plan has a chance of loss as small as {LOSS} in an hour; let nodes take more"
        return
    many = f"{counted(safer.nodes, 'node')} in {counted(len(safer.layers), 'layer')}"
    if safer.nodes > _FAR_MORE * plan.nodes:
        yield f"  --loss {LOSS} would take {many}: such limits leave no room; let nodes take more"
        return
    free = share(safer.layers[0].margin)
    yield (
        f"  --loss {LOSS} leaves {free} of them free, and nodes hand on by the clock: "
        f"{widths_of(safer.widths)} ({many})"
    )


_DOT, _CUT = "●", " … "
_WIDEST = 64  # more dots are not easier to count


def tree(plan: Plan, columns: int) -> list[str]:
    """Its layers from the sources to the sink, on a terminal with this many columns."""
    count = sum(one.count for one in plan.sources)
    labels = [f"{layer.width:,} at {share(layer.load)}" for layer in plan.layers]
    room = max(min(columns - max(map(len, labels)) - 4, _WIDEST), 9)
    gap = " " if 2 * max(plan.widths) - 1 <= room else ""
    rows = [_row(width, gap, room) for width in plan.widths]
    widest = max(map(len, rows))
    drawn = [
        f"  {row:^{widest}}  {label:>{max(map(len, labels))}}"
        for row, label in zip(rows, labels, strict=True)
    ]
    return [f"  {counted(count, 'source')}, {rounded(plan.rate)} items/s", *drawn]


def _row(width: int, gap: str, room: int) -> str:
    row = gap.join(_DOT * width) if width <= room else ""
    if row and len(row) <= room:
        return row
    side = _DOT * ((room - len(_CUT)) // 2)
    return f"{side}{_CUT}{side}"


def as_json(outcome: Outcome) -> str:
    """The plan as its file has it; null stands for what is not known, or was not asked for."""
    plan, safer = outcome.plan, outcome.safer
    content = {
        **json.loads(to_json(plan)),
        "loads": [layer.load for layer in plan.layers],
        "latencies_s": plan.latencies_s,
        "bounds": None if plan.bounds is None else asdict(plan.bounds),
        "measured": None if outcome.trace is None else asdict(outcome.trace),
        "change": None if outcome.change is None else _change(outcome.change),
        "safer": None
        if safer is None
        else {
            "loss": LOSS,
            "widths": safer.widths,
            "nodes": safer.nodes,
            "margins": [layer.margin for layer in safer.layers],
        },
    }
    return json.dumps(content, ensure_ascii=False, allow_nan=False)


def _change(change: Adaptation) -> dict[str, Any]:
    return {
        "before": change.before.widths,
        "after": change.plan.widths,
        "start": change.started,
        "stop": change.stopped,
        "moves": [
            {**asdict(move), "start": move.started, "stop": move.stopped} for move in change.moves
        ],
    }
