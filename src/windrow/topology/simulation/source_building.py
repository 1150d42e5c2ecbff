"""The streams of a plan's sources, before anything is sent."""

import numpy as np
from numpy.typing import NDArray

from windrow.topology.model import Routing
from windrow.topology.simulation.scenario import Scenario
from windrow.topology.simulation.seeding import moments_of
from windrow.topology.simulation.settings import Sending
from windrow.topology.simulation.world import (
    AHEAD,
    BURSTY,
    CYCLIC,
    PLACES,
    POISSON,
    TRACED,
    Streams,
    Traced,
)

__all__ = ["streams_of"]

_KINDS = {
    Sending.POISSON: POISSON,
    Sending.PERIODIC: CYCLIC,
    Sending.TICK: CYCLIC,
    Sending.BURSTY: BURSTY,
    Sending.TRACE: TRACED,
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
        places=np.zeros((number, PLACES), np.int64),
        groups=np.column_stack([np.cumsum(counts) - counts, counts]),
        rates=np.array([(one.rate, one.items, one.item_bytes) for one in sources], np.float64),
        turns=np.zeros(number),
        bursts=np.array(
            [(bursts.quiet_factor, bursts.quiet_s), (bursts.factor, bursts.duration_s)]
        ),
        moments=_moments(scenario),
        trace=_traced(scenario),
        offsets=offsets,
        ahead=np.zeros((number, AHEAD), np.int64),
        ahead_offsets=np.zeros((number, AHEAD)),
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
