"""Traces through small plans, beside a queue of events with dictionaries and lists."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.topology.simulation.compare import assert_same
from tests.topology.simulation.oracle import Oracle
from tests.topology.simulation.support import plan_of
from windrow.compiler.kernel import Kernel
from windrow.compiler.setting import Compile, compiling
from windrow.topology.model import Emission, Limit, Reduction, Routing, Sources
from windrow.topology.plan import Plan
from windrow.topology.simulation import (
    BackOff,
    Refusal,
    Sending,
    Simulation,
    loop,
    running,
    simulate,
)
from windrow.topology.simulation.nodes import admits, kept
from windrow.topology.trace import Trace

pytestmark = pytest.mark.xdist_group("simulation")  # one process compiles it

# Times are whole 1024ths, delays 8ths and the back-off an odd number of 2⁻²⁰: sums are exact, and
# no two events of different origin happen at once.
BACK_OFF_S = 766_571 / 2**20
SEED = 7

SIZES = (0.0, 30.0, 100.0)


@st.composite
def plans(draw: st.DrawFn, emission: Emission) -> Plan:
    layers = draw(st.integers(1, 4))

    def each(strategy: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(strategy, min_size=layers, max_size=layers))

    limit = st.builds(
        lambda items, size: Limit(items, size) if items or size else Limit(items=3),
        st.none() | st.sampled_from([1, 2, 2.5, 5]),
        st.none() | st.sampled_from([100.0, 130.0, 250.0]),
    )
    period_s = draw(st.sampled_from([1.0, 2.5, 4.0]))
    keys, states = draw(st.integers(1, 4)), draw(st.integers(1, 2))
    spreads = [s for s in (0.5, 1.0) if s <= period_s / states and emission is Emission.AT_CLOSE]
    return plan_of(
        each(st.integers(1, 4)),
        each(limit),
        sources=[Sources(draw(st.integers(1, 4)), 1.0, size) for size in SIZES],
        reduction=Reduction(
            period_s=period_s,
            keys=keys,
            hottest=draw(st.none() | st.just(1.0 if keys == 1 else 0.75)),
            states=states,
            state_bytes=draw(st.sampled_from(SIZES)),
            emission=emission,
            spread_s=draw(st.sampled_from([None, *spreads])),
        ),
        routing=each(st.sampled_from(Routing)),
        delays=each(st.sampled_from([0.0, 0.125, 0.5, 1.25])),
        skew_s=draw(st.sampled_from([0.0, 0.3, 2.0])),
    )


@st.composite
def traces(draw: st.DrawFn, devices: int) -> tuple[list[float], list[int]]:
    moments = sorted(draw(st.sets(st.integers(0, 12 * 1024), min_size=2, max_size=80)))
    numbers = st.integers(0, devices - 1)
    chosen = draw(st.lists(numbers, min_size=len(moments), max_size=len(moments)))
    return [moment / 1024 for moment in moments], chosen


def both(
    plan: Plan, times: list[float], devices: list[int], on_refusal: Refusal
) -> tuple[Simulation, Oracle]:
    """A report and what the oracle saw, of ten seconds."""
    back_off = BACK_OFF_S if on_refusal is Refusal.RETRY else None
    report = simulate(
        plan,
        sending=Sending.TRACE,
        trace=Trace(np.array(times), np.array(devices)),
        duration_s=10.0,
        seed=SEED,
        on_refusal=on_refusal,
        back_off=BackOff(BACK_OFF_S, sigma=0.0),
    )
    oracle = Oracle(plan, times, devices, duration_s=10.0, seed=SEED, back_off_s=back_off)
    return report, oracle.run()


@pytest.mark.parametrize("on_refusal", Refusal)
@pytest.mark.parametrize("emission", Emission)
@given(data=st.data())
def test_every_trace_ends_as_event_by_event(
    emission: Emission, on_refusal: Refusal, data: st.DataObject
) -> None:
    plan = data.draw(plans(emission))
    times, devices = data.draw(traces(sum(one.count for one in plan.sources)))
    assert_same(*both(plan, times, devices, on_refusal))


BUSY = plan_of(
    [2, 2, 1],
    [Limit(items=3), Limit(items=2), Limit(items=1)],
    sources=[Sources(6, 1.0)],
    reduction=Reduction(period_s=2.0, keys=2),
    skew_s=1.0,
)
BUSY_TIMES = [number / 8 for number in range(80)]
BUSY_DEVICES = [number * 5 % 6 for number in range(80)]


def test_a_busy_trace_has_losses_in_every_layer_and_mixed_periods() -> None:
    report, oracle = both(BUSY, BUSY_TIMES, BUSY_DEVICES, Refusal.DROP)
    assert_same(report, oracle)
    assert all(layer.dropped for layer in report.layers)
    assert len(report.periods) > 4


def confuses(world: Any, layer: Any, node: Any, key: Any, period: Any, weight: Any) -> Any:
    """A node that hands on what it held as if it were of the newest period."""
    _, held = kept(world, layer, node, key, period, weight)
    return period, held


def lets_all_in(world: Any, layer: Any, node: Any, u: Any, size: Any) -> Any:
    """A node whose limit counts tuples, but does not hold."""
    admits(world, layer, node, u, size)
    return True


@pytest.mark.compiles
@pytest.mark.parametrize(("part", "broken"), [("kept", confuses), ("admits", lets_all_in)])
def test_a_broken_node_is_caught(part: str, broken: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control."""
    monkeypatch.setattr(loop, part, broken)
    start, _, settle = running._compiled()
    compiled = start, Kernel(loop.advance), settle
    monkeypatch.setattr(running, "_compiled", lambda: compiled)
    with compiling(Compile.ALWAYS), pytest.raises(AssertionError):
        assert_same(*both(BUSY, BUSY_TIMES, BUSY_DEVICES, Refusal.DROP))
