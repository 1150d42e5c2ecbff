"""The world of a plan, before anything happens."""

from math import ceil, floor, inf

import numpy as np
from numpy.typing import NDArray

from windrow.errors import InputError
from windrow.topology.model import Routing
from windrow.topology.plan import Plan
from windrow.topology.simulation import columns as at
from windrow.topology.simulation.chance import (
    Salts,
    hashed,
    moments_of,
    offsets_of,
    salts_of,
    share,
)
from windrow.topology.simulation.scenario import Refusal, Scenario, Sending
from windrow.topology.simulation.waiting import waiting_room
from windrow.topology.simulation.world import BINS, Closings, Results, Rules, Streams, Traced, World

__all__ = ["build"]

_ROUTINGS = {Routing.ITEM: at.BY_ITEM, Routing.SOURCE: at.BY_SOURCE, Routing.KEY: at.BY_KEY}
_MOST_CELLS = 2**27  # 2 GiB of them
_MOST_PERIODS = 2**22
_SPARE_CELLS = 4  # periods closing, open, begun early, and late
_GRACES = 3  # of periods that are held: some clocks are early, and some later than is waited for


def build(scenario: Scenario) -> World:
    """Empty nodes, and sources that have yet to find out when they send first."""
    plan = scenario.plan
    layers, reduction = len(plan.layers), plan.reduction
    salts = salts_of(scenario.seed, layers)
    offsets = offsets_of(scenario.seed, scenario.devices, scenario.skew_s)
    first, last = _periods(scenario, offsets)
    delays = np.cumsum([0.0, *(layer.node.delay_s for layer in plan.layers)])
    rules = Rules(
        layers=layers,
        period_s=reduction.pane_s,
        origin_s=_origin(scenario),
        first_period=first,
        cells=_cells(scenario),
        keys=reduction.keys,
        hottest=reduction.hottest_share,
        state_bytes=scenario.plan.state_bytes,
        result_shift=float(delays[-1]),
        retries=scenario.on_refusal is Refusal.RETRY,
        closes=scenario.closes,
        median_s=float(scenario.back_off.median_s),
        sigma=float(scenario.back_off.sigma),
    )
    layout = _layout(scenario, rules.cells)
    loads = np.zeros((plan.nodes, at.LOADS))
    loads[:, at.SECOND] = -1
    slots = int(layout[:, at.SLOTS].sum())
    return World(
        rules=rules,
        layout=layout,
        limits=_limits(plan, delays),
        salts=np.concatenate([salts.routing, salts.keys]),
        counts=np.zeros((layers, at.COUNTS), np.int64),
        sums=np.zeros((layers, at.SUMS)),
        delays=np.zeros((layers, BINS), np.int64),
        loads=loads,
        held=np.zeros(plan.nodes, np.int64),
        cells=np.zeros((slots * rules.cells, at.CELLS), np.int64),
        chance=salts.chance.copy(),
        streams=streams_of(scenario, offsets),
        waiting=waiting_room(),
        closings=_closings(scenario, rules, layout, salts),
        results=_results(layers, last - first + 1),
    )


def _periods(scenario: Scenario, offsets: NDArray[np.float64]) -> tuple[int, int]:
    """The first and the last that any item can be of."""
    if scenario.trace is not None and scenario.trace.periods is not None:
        return int(scenario.trace.periods.min()), int(scenario.trace.periods.max())
    latest, earliest = (offsets.max(), offsets.min()) if len(offsets) else (0.0, 0.0)
    period_s = scenario.plan.reduction.pane_s
    first = floor((0.0 - latest) / period_s)
    last = floor((scenario.duration_s - earliest) / period_s)
    if last - first >= _MOST_PERIODS:
        raise InputError(
            f"duration_s={scenario.duration_s:g} has {last - first:,} periods of {period_s:g} s; "
            f"give at most {period_s * _MOST_PERIODS / 2:g} s, or a plan of longer periods"
        )
    return first, last


def _origin(scenario: Scenario) -> float:
    """When period 0 begins: at once, or where a trace's items of all periods suggest."""
    trace, period_s = scenario.trace, scenario.plan.reduction.pane_s
    if trace is None or trace.periods is None:
        return 0.0
    into = trace.times_s - trace.periods * period_s
    return float(np.median(into)) - period_s / 2


def _cells(scenario: Scenario) -> int:
    if not scenario.closes:
        return 1
    return _SPARE_CELLS + ceil(_GRACES * scenario.grace_s / scenario.plan.reduction.pane_s)


def _layout(scenario: Scenario, cells: int) -> NDArray[np.int64]:
    plan, keys = scenario.plan, scenario.plan.reduction.keys
    routings = [scenario.routing, *(layer.routing for layer in plan.layers[1:])]
    codes = [_ROUTINGS[routing] for routing in routings]
    # Nodes are no sources: what they hand on has no device to be routed by.
    codes[1:] = [at.BY_ITEM if code == at.BY_SOURCE else code for code in codes[1:]]
    slots = [
        keys if code == at.BY_KEY else width * keys
        for code, width in zip(codes, plan.widths, strict=True)
    ]
    if sum(slots) * cells > _MOST_CELLS:
        raise InputError(
            f"keys={keys:,} at {plan.nodes:,} nodes, of {cells:,} periods at once, are "
            f"{sum(slots) * cells:,} states to hold, too many to simulate; route by key, or give a "
            f"plan of fewer keys or longer periods, or a smaller skew_s={scenario.skew_s:g}"
        )
    layout = np.zeros((len(plan.layers), at.LAYOUT), np.int64)
    layout[:, at.WIDTH], layout[:, at.ROUTING], layout[:, at.SLOTS] = plan.widths, codes, slots
    layout[:, at.FIRST_NODE] = np.cumsum([0, *plan.widths[:-1]])
    layout[:, at.FIRST_SLOT] = np.cumsum([0, *slots[:-1]])
    return layout


def _limits(plan: Plan, delays: NDArray[np.float64]) -> NDArray[np.float64]:
    limits = [layer.node.limit.given for layer in plan.layers]
    rows = [(limit.get("items", inf), limit.get("bytes", inf)) for limit in limits]
    return np.column_stack([np.array(rows, np.float64), delays[:-1]])


def _closings(
    scenario: Scenario, rules: Rules, layout: NDArray[np.int64], salts: Salts
) -> Closings:
    """Each layer closes when the one before has handed on."""
    layers = len(layout)
    if not scenario.closes:
        nothing = np.empty(0, np.int64)
        return Closings(
            np.empty(0), np.empty((0, at.TURNS), np.int64), np.empty(0), nothing, np.empty(0)
        )
    spread_s = scenario.plan.reduction.spreading_s
    slots, after = [], []
    for layer in range(layers):
        numbers = np.arange(layout[layer, at.SLOTS], dtype=np.uint64)
        moments = share(hashed(salts.closing[layer], numbers)) * spread_s
        order = np.argsort(moments, kind="stable")
        slots.append(order.astype(np.int64))
        after.append(moments[order])
    ends = rules.origin_s + (rules.first_period + 1) * rules.period_s
    begins = ends + scenario.grace_s + np.arange(layers) * spread_s
    return Closings(
        due=begins + np.array([moments[0] for moments in after]),
        places=np.zeros((layers, at.TURNS), np.int64),
        begins=begins,
        slots=np.concatenate(slots),
        after=np.concatenate(after),
    )


def _results(layers: int, periods: int) -> Results:
    return Results(
        periods=periods,
        expected=np.zeros(periods, np.int64),
        arrived=np.zeros(periods, np.int64),
        last=np.full(periods, np.nan),
        lost=np.zeros((layers, periods), np.int64),
        latencies=np.zeros(BINS, np.int64),
        longest=np.zeros(1),
    )


_KINDS = {
    Sending.POISSON: at.POISSON,
    Sending.PERIODIC: at.CYCLIC,
    Sending.TICK: at.CYCLIC,
    Sending.BURSTY: at.BURSTY,
    Sending.TRACE: at.TRACED,
}


def streams_of(scenario: Scenario, offsets: NDArray[np.float64]) -> Streams:
    """Streams that have yet to find out when they send first."""
    sources, bursts = scenario.plan.sources, scenario.bursts
    counts = np.array([one.count for one in sources])
    number = 1 if scenario.trace is not None else len(sources)
    return Streams(
        kind=int(_KINDS[scenario.sending]),
        number=number,
        skewed=len(offsets) > 0,
        names_devices=len(offsets) > 0 or scenario.routing is Routing.SOURCE,
        due=np.zeros(number),
        places=np.zeros((number, at.PLACES), np.int64),
        groups=np.column_stack([np.cumsum(counts) - counts, counts]),
        rates=np.array([(one.rate, one.items, one.item_bytes) for one in sources], np.float64),
        turns=np.zeros(number),
        bursts=np.array(
            [(bursts.quiet_factor, bursts.quiet_s), (bursts.factor, bursts.duration_s)]
        ),
        moments=_moments(scenario),
        trace=_traced(scenario),
        offsets=offsets,
        ahead=np.zeros((number, at.AHEAD), np.int64),
        ahead_offsets=np.zeros((number, at.AHEAD)),
    )


def _moments(scenario: Scenario) -> NDArray[np.float64]:
    if scenario.trace is not None:
        return np.ascontiguousarray(scenario.trace.times_s, np.float64)
    if scenario.sending is Sending.PERIODIC:
        return moments_of(scenario.seed, scenario.plan.sources, None)
    if scenario.sending is Sending.TICK:
        return moments_of(scenario.seed, scenario.plan.sources, scenario.jitter_s)
    return np.empty(0)


def _traced(scenario: Scenario) -> Traced:
    trace = scenario.trace
    if trace is None:
        nothing = np.empty(0)
        return Traced(0, nothing, nothing, nothing, tells_periods=False)
    sizes, periods = trace.sizes, trace.periods
    if sizes is None:
        counts = np.array([one.count for one in scenario.plan.sources])
        groups = np.searchsorted(np.cumsum(counts), trace.devices, side="right")
        each = np.array([one.item_bytes for one in scenario.plan.sources])
        # Devices that the plan does not know are there only where all items are alike.
        sizes = each[np.minimum(groups, len(each) - 1)]
    return Traced(
        items=len(trace.times_s),
        devices=np.ascontiguousarray(trace.devices, np.int64),
        sizes=np.ascontiguousarray(sizes, np.float64),
        periods=np.ascontiguousarray([] if periods is None else periods, np.int64),
        tells_periods=periods is not None,
    )
