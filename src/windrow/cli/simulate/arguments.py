"""What `windrow simulate` is given, read: a plan, how sources send, what becomes of the refused."""

from dataclasses import dataclass
from pathlib import Path

from windrow.cli.plan.wording import told_as_options
from windrow.cli.quantities import (
    if_given,
    read_count,
    read_duration,
    read_number,
    read_seconds,
    read_share,
)
from windrow.cli.traces import OfTrace
from windrow.errors import InputError
from windrow.topology import Plan, Routing, Trace, read_plan
from windrow.topology.simulation import BackOff, Bursts, Refusal, Sending

__all__ = ["Asked", "Given", "read_asked"]

_TOGETHER = {
    "trace": Sending.TRACE,
    "burst": Sending.BURSTY,
    "burst_share": Sending.BURSTY,
    "burst_length": Sending.BURSTY,
    "jitter": Sending.TICK,
}


@dataclass(frozen=True)
class Given(OfTrace):
    """The options, as they were written."""

    sending: str | None
    duration: str | None
    seed: str
    seeds: str
    retry: bool
    back_off: str | None
    routing: str | None
    skew: str | None
    burst: str | None
    burst_share: str | None
    burst_length: str | None
    jitter: str | None


@dataclass(frozen=True)
class Asked:
    """What is simulated, once for every seed."""

    path: Path
    plan: Plan
    sending: Sending
    duration_s: float | None  # None: an hour, or as long as the trace
    seeds: range
    on_refusal: Refusal
    back_off: BackOff
    routing: Routing | None  # None: as planned
    skew_s: float | None  # None: as planned
    bursts: Bursts
    jitter_s: float
    trace: Trace | None


def read_asked(path: Path, given: Given) -> Asked:
    """All of it, checked."""
    plan = read_plan(path)
    sending = _sending(plan, given)
    if given.back_off is not None and not given.retry:
        raise InputError(f"--back-off {given.back_off} is that of refused tuples; add --retry")
    seed = read_count(given.seed, "--seed", "0", least=0)
    with told_as_options():
        return Asked(
            path=path,
            plan=plan,
            sending=sending,
            duration_s=if_given(read_duration, given.duration, "--duration", "1h"),
            seeds=range(seed, seed + read_count(given.seeds, "--seeds", "10")),
            on_refusal=Refusal.RETRY if given.retry else Refusal.DROP,
            back_off=BackOff()
            if given.back_off is None
            else BackOff(read_seconds(given.back_off, "--back-off")),
            routing=None if given.routing is None else Routing(given.routing),
            skew_s=if_given(read_seconds, given.skew, "--skew"),
            bursts=_bursts(given),
            jitter_s=if_given(read_seconds, given.jitter, "--jitter") or 0.0,
            trace=given.items(),
        )


def _sending(plan: Plan, given: Given) -> Sending:
    """As asked for, else as other options tell, else as planned for."""
    implied = {name: way for name, way in _TOGETHER.items() if given.present(name)}
    for name, way in implied.items():
        if (given.sending or way.value) != way.value or way is not next(iter(implied.values())):
            raise InputError(
                f"{given.present(name)[0]} belongs to --sending {way.value}; ask for that, or "
                "leave it out"
            )
    if given.sending == Sending.TRACE.value and given.trace is None:
        raise InputError("--sending trace: say of which items, --trace FILE")
    if given.sending is not None:
        return Sending(given.sending)
    if implied:
        return next(iter(implied.values()))
    return Sending.TICK if plan.arrivals.ticks(plan.sources) else Sending.POISSON


def _bursts(given: Given) -> Bursts:
    share = "give the share of time that bursts take, such as 5%"
    read = {
        "factor": if_given(read_number, given.burst, "--burst", f"{Bursts.factor:g}"),
        "duration_s": if_given(read_duration, given.burst_length, "--burst-length", "10s"),
        "share": if_given(read_share, given.burst_share, "--burst-share", share),
    }
    return Bursts(**{name: number for name, number in read.items() if number is not None})
