"""Who sends: equal sources, classes of them, or those of a trace; and how unevenly."""

from dataclasses import replace
from itertools import count

from windrow.cli.plan.wording import told_as_options, told_of
from windrow.cli.quantities import (
    if_given,
    read_bytes,
    read_count,
    read_entries,
    read_number,
    read_rate,
    read_seconds,
)
from windrow.cli.traces import Given
from windrow.errors import InputError
from windrow.topology import Arrivals, Sources, common_tick, measured
from windrow.topology.trace import Measured

__all__ = ["measure", "read_arrivals", "read_class", "read_sources"]

_ENTRIES = ("count", "rate", "size", "name")
_CLASS = "count=100,rate=2/s,size=1kB,name=meters"


def measure(given: Given) -> Measured | None:
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


def read_sources(given: Given) -> tuple[Sources, ...]:
    """Those of --sources, or of each --class."""
    if given.classes:
        if clash := given.present("sources", "rate", "size"):
            raise InputError(f'{clash[0]} and --class: write it as a class too, --class "{_CLASS}"')
        return tuple(map(read_class, given.classes, count(1)))
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
    size = if_given(read_bytes, given.size, "--size") or 0.0
    rate = read_rate(given.rate, "--rate")
    with told_as_options():
        return (Sources(number, rate, size),)


def read_class(text: str, place: int) -> Sources:
    """A kind of sources: `count=100,rate=2/s,size=1kB,name=meters`."""
    entries = read_entries(text, "--class", _ENTRIES, _CLASS)
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


def read_arrivals(given: Given, sources: tuple[Sources, ...], trace: Measured | None) -> Arrivals:
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
