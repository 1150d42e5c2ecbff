"""What `windrow simulate` is given, read: a plan, how sources send, what becomes of the refused."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from windrow.cli.plan.wording import told_as_options
from windrow.cli.quantities import (
    read_count,
    read_duration,
    read_number,
    read_seconds,
    read_share,
)
from windrow.cli.traces import Given
from windrow.errors import InputError
from windrow.topology import Plan, read_plan
from windrow.topology.simulation import BackOff, Bursts, Refusal, Sending

__all__ = ["Asked", "read_asked"]

_TOGETHER = {
    "trace": Sending.TRACE,
    "burst": Sending.BURSTY,
    "burst_share": Sending.BURSTY,
    "burst_length": Sending.BURSTY,
    "jitter": Sending.TICK,
}


@dataclass(frozen=True)
class Asked:
    """What is simulated, once for every seed."""

    path: Path
    plan: Plan
    seeds: range
    sending: Sending
    on_refusal: Refusal
    back_off: BackOff
    others: Mapping[str, Any]  # further settings, as `simulate` takes them


def read_asked(path: Path, given: Given) -> Asked:
    """All of it, checked."""
    plan = read_plan(path)
    sending = _sending(plan, given)
    if given.back_off is not None and not given.retry:
        raise InputError(f"--back-off {given.back_off} is that of refused tuples; add --retry")
    seed = read_count(given.seed, "--seed", "0", least=0)
    with told_as_options():
        back_off = given.read(read_seconds, "back_off")
        return Asked(
            path=path,
            plan=plan,
            seeds=range(seed, seed + read_count(given.seeds, "--seeds", "10")),
            sending=sending,
            on_refusal=Refusal.RETRY if given.retry else Refusal.DROP,
            back_off=BackOff() if back_off is None else BackOff(back_off),
            others={
                "duration_s": given.read(read_duration, "duration", "1h"),
                "routing": given.routing,
                "skew_s": given.read(read_seconds, "skew"),
                "bursts": _bursts(given),
                "jitter_s": given.read(read_seconds, "jitter") or 0.0,
                "trace": given.items(),
            },
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
        "factor": given.read(read_number, "burst", f"{Bursts.factor:g}"),
        "duration_s": given.read(read_duration, "burst_length", "10s"),
        "share": given.read(read_share, "burst_share", share),
    }
    return Bursts(**{name: number for name, number in read.items() if number is not None})
