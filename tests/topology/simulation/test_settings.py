"""What cannot be simulated is refused, with a way out."""

from typing import Any

import numpy as np
import pytest

from tests.topology.simulation.support import plan_of
from windrow.errors import InputError
from windrow.topology.model import Limit, Reduction, Sources
from windrow.topology.plan import Plan
from windrow.topology.simulation import BackOff, Bursts, Refusal, Sending, simulate, waiting
from windrow.topology.trace import Trace

pytestmark = pytest.mark.xdist_group("simulation")

PLAN = plan_of([3, 1], Limit(items=10, bytes=1_000.0), sources=[Sources(5, 1.0, 100.0)])
TRACE = Trace(np.array([0.0, 1.0]), np.array([0, 7]))


def backwards() -> Trace:
    return Trace(np.array([0.0, 2.0, 1.0]), np.array([0, 1, 2]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"duration_s": 0}, "duration_s=0 is not a number above 0"),
        ({"duration_s": float("nan")}, "duration_s=nan"),
        ({"skew_s": -1}, "skew_s=-1"),
        ({"jitter_s": -1}, "jitter_s=-1"),
        ({"seed": -1}, "seed=-1"),
        ({"seed": 1.5}, r"seed=1\.5"),
        ({"sending": Sending.TRACE}, "trace=None"),
        ({"trace": TRACE}, r"sending=Sending\.POISSON"),
        ({"sending": Sending.TRACE, "trace": backwards()}, "sort the trace"),
        ({"duration_s": 1e11}, "periods of 60 s"),
        ({"sending": "often"}, "sending='often' is not a valid value for sending; use"),
        ({"on_refusal": "cry"}, "on_refusal='cry' is not a valid value for on_refusal"),
        ({"routing": "luck"}, "routing='luck' is not a valid value for routing"),
        ({"back_off": 1.0}, "back_off=1.0 is no BackOff"),
        ({"bursts": 3}, "bursts=3 is no Bursts"),
        ({"progress": 3}, "progress=3 is a int; give a function"),
        ({"duration_s": 1e12}, "duration_s=1e\\+12 of 5 sources are 5e\\+12 items"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        simulate(PLAN, **arguments)


@pytest.mark.parametrize(
    "plan",
    [
        plan_of([1], Limit(items=0.5)),
        plan_of([1], Limit(bytes=99.0), sources=[Sources(5, 1.0, 100.0)]),
        plan_of([2, 1], Limit(bytes=99.0), reduction=Reduction(state_bytes=100.0)),
    ],
)
def test_what_would_be_sent_again_for_ever_is_refused(plan: Plan) -> None:
    with pytest.raises(InputError, match=r"raise the limit, or use Refusal\.DROP"):
        simulate(plan, on_refusal=Refusal.RETRY)
    assert simulate(plan, duration_s=200.0).sent > 0


def test_more_states_than_memory_has_are_refused() -> None:
    plan = plan_of([1_000, 1], reduction=Reduction(keys=1_000_000))
    with pytest.raises(InputError, match="keys=1,000,000"):
        simulate(plan)


def test_a_trace_of_more_devices_than_the_plan_is_taken_where_items_are_alike() -> None:
    assert simulate(PLAN, sending=Sending.TRACE, trace=TRACE).sent == 2
    unlike = plan_of([1], sources=[Sources(1, 1.0, 10.0), Sources(1, 1.0, 20.0)])
    with pytest.raises(InputError, match="8 devices and the plan 2"):
        simulate(unlike, sending=Sending.TRACE, trace=TRACE)


def test_a_plan_that_takes_far_less_than_it_is_sent_is_not_helped_by_sending_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(waiting, "_MOST_PLACES", 4_096)
    plan = plan_of([1], Limit(items=1), sources=[Sources(1_000, 1.0)])
    with pytest.raises(InputError, match="4,096 refused tuples wait"):
        simulate(plan, on_refusal=Refusal.RETRY)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: BackOff(median_s=0),
        lambda: BackOff(sigma=-1),
        lambda: Bursts(factor=0.5),
        lambda: Bursts(factor=11, share=0.1),
        lambda: Bursts(share=0),
        lambda: Bursts(duration_s=0),
    ],
)
def test_settings_that_contradict_themselves_are_refused(wrong: Any) -> None:
    with pytest.raises(InputError):
        wrong()
