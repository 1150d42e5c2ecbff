"""Try a plan before paying for it: a discrete-event simulation."""

from collections.abc import Callable
from functools import cache
from math import floor
from typing import Any

from windrow.arguments import shown
from windrow.errors import InputError
from windrow.topology.checks import require_kind
from windrow.topology.model import Routing
from windrow.topology.plan import Plan
from windrow.topology.simulation.building import build
from windrow.topology.simulation.report import Simulation, summary_of
from windrow.topology.simulation.scenario import BackOff, Bursts, Refusal, Scenario, Sending
from windrow.topology.simulation.waiting import grown
from windrow.topology.simulation.world import World, bare
from windrow.topology.trace import Trace

__all__ = ["simulate"]

_REPORTS = 100  # of progress
_EVENTS = 5_000_000  # at a time: compiled code does not hear Ctrl-C


def simulate(
    plan: Plan,
    *,
    sending: Sending = Sending.POISSON,
    duration_s: float | None = None,
    seed: int = 0,
    on_refusal: Refusal = Refusal.DROP,
    back_off: BackOff | None = None,
    routing: Routing | None = None,
    skew_s: float | None = None,
    bursts: Bursts | None = None,
    jitter_s: float = 0.0,
    trace: Trace | None = None,
    progress: Callable[[float, float], None] | None = None,
) -> Simulation:
    """Simulate a plan: which nodes are full, what is lost, and how late results are.

    Every node accepts items and bytes up to its limit in each calendar second, and refuses the
    rest; `on_refusal` and `back_off` say what happens then.  A hash chooses the node for a tuple:
    of its device (only in the first layer, whose `routing` can be given here), of its key, or of
    its number.  Each device has its own clock, which is off by `skew_s` on average (unless given,
    by the plan's skew) and decides in which period its items are.  If nodes send on several states
    per period, a period of the report is the time of one state.  Nodes with a clock send a period
    on three times the skew after its end, one layer after the other.

    The simulation lasts an hour, or as long as the trace, unless `duration_s` is given.  `bursts`
    describes those of `Sending.BURSTY`; `jitter_s` says how far from the tick devices send with
    `Sending.TICK`.  Sizes and periods of items come from the trace, if it has them, otherwise from
    the plan.  `progress(done_s, duration_s)` is called a hundred times.

    The same seed gives the same report, to the last digit.

    >>> from windrow import topology
    >>> plan = topology.plan(500, rate=0.5, nodes=20)
    >>> simulate(plan, duration_s=600).error > 0.05  # right on average is not right in every second
    True
    """
    if progress is not None and not callable(progress):
        raise InputError(
            f"progress={shown(progress)} is a {type(progress).__name__}; give a function of the "
            "seconds done and the seconds in all, or leave it out"
        )
    scenario = Scenario(
        plan=require_kind(Plan, plan, "plan"),
        sending=sending,
        duration_s=_duration(trace) if duration_s is None else duration_s,
        seed=seed,
        on_refusal=on_refusal,
        back_off=BackOff() if back_off is None else back_off,
        routing=plan.layers[0].routing if routing is None else routing,
        skew_s=plan.arrivals.skew_s if skew_s is None else skew_s,
        bursts=Bursts() if bursts is None else bursts,
        jitter_s=jitter_s,
        trace=trace,
    )
    world, (start, advance, settle) = build(scenario), _compiled()
    start(bare(world), scenario.bursts.share)
    for report in range(1, _REPORTS + 1):
        done_s = scenario.duration_s * report / _REPORTS
        world = _run(world, advance, done_s)
        if progress is not None:
            progress(done_s, scenario.duration_s)
    settle(bare(world), scenario.duration_s)
    return summary_of(world, scenario)


def _duration(trace: Trace | None) -> float:
    """An hour, or until the second has passed that a trace ends in."""
    if trace is None:
        return 3600.0
    return float(floor(require_kind(Trace, trace, "trace").times_s[-1]) + 1)


def _run(world: World, advance: Any, until_s: float) -> World:
    """The world at a later moment: another one only where more room was needed."""
    from windrow.topology.simulation.loop import DONE, FULL

    while (why := advance(bare(world), until_s, _EVENTS)) != DONE:
        if why == FULL:
            world = world._replace(waiting=grown(world.waiting))
    return world


@cache
def _compiled() -> tuple[Any, ...]:
    """What begins, happens and ends; only who simulates needs the compiler."""
    from windrow.compiler.kernel import AT_ONCE, Kernel
    from windrow.topology.simulation.loop import advance, settle
    from windrow.topology.simulation.streams import start

    return tuple(Kernel(function, element_us=AT_ONCE) for function in (start, advance, settle))
