"""When devices send: each class is a stream of its own, O(1) an item; compiled."""

from math import inf
from typing import Any

from windrow.compiler.marks import hot
from windrow.kernels.cells import read_float, read_int, write_float, write_int
from windrow.topology.simulation import columns as at
from windrow.topology.simulation.chance import drawn, exponential, one_of, share
from windrow.topology.simulation.world import add_float, add_int, row

__all__ = ["start", "taken"]


def start(world: Any, bursting: Any) -> None:
    """Find out when streams send first; so large a share of the time is bursts."""
    streams, chance = world.streams, world.chance
    for stream in range(streams.number):
        places = row(streams.places, stream, at.PLACES)
        write_int(places, at.PLACE, -1)  # before the first
        if streams.kind == at.BURSTY:
            state = 1 if share(drawn(chance)) < bursting else 0
            write_int(places, at.BURSTING, state)
            lasts = exponential(chance) * read_float(
                row(streams.bursts, state, at.BURSTS), at.MEAN_S
            )
            write_float(streams.turns, stream, lasts)
        _move_on(streams, chance, stream)


@hot
def taken(streams: Any, chance: Any, stream: Any) -> Any:
    """The device whose item is due, and how far it is behind; its stream moves on to the next."""
    places = row(streams.places, stream, at.PLACES)
    device, behind = read_int(places, at.PLACE), 0.0
    if streams.kind == at.TRACED:
        device = read_int(streams.trace.devices, device)
    elif streams.kind == at.CYCLIC:
        device += read_int(row(streams.groups, stream, at.GROUPS), at.FIRST_DEVICE)
    elif streams.names_devices:
        device, behind = _any_of(streams, chance, stream)
    if streams.skewed and (streams.kind == at.TRACED or streams.kind == at.CYCLIC):
        behind = read_float(streams.offsets, device)
    _move_on(streams, chance, stream)
    return device, behind


@hot
def _any_of(streams: Any, chance: Any, stream: Any) -> Any:
    places = row(streams.places, stream, at.PLACES)
    if read_int(places, at.LEFT) == 0:
        _draw_ahead(streams, chance, stream)
        write_int(places, at.LEFT, at.AHEAD)
    add_int(places, at.LEFT, -1)
    left = read_int(places, at.LEFT)
    behind = read_float(row(streams.ahead_offsets, stream, at.AHEAD), left)
    return read_int(row(streams.ahead, stream, at.AHEAD), left), behind


def _draw_ahead(streams: Any, chance: Any, stream: Any) -> None:
    """Many at once: the processor then waits for all their offsets together, not for each."""
    group = row(streams.groups, stream, at.GROUPS)
    ahead = row(streams.ahead, stream, at.AHEAD)
    offsets = row(streams.ahead_offsets, stream, at.AHEAD)
    first, count = read_int(group, at.FIRST_DEVICE), read_int(group, at.DEVICES)
    for place in range(at.AHEAD):
        device = first + one_of(drawn(chance), count)
        write_int(ahead, place, device)
        if streams.skewed:
            write_float(offsets, place, read_float(streams.offsets, device))


@hot
def _move_on(streams: Any, chance: Any, stream: Any) -> None:
    if streams.kind == at.TRACED:
        places = row(streams.places, stream, at.PLACES)
        place = read_int(places, at.PLACE) + 1
        write_int(places, at.PLACE, place)
        due = read_float(streams.moments, place) if place < streams.trace.items else inf
        write_float(streams.due, stream, due)
    elif streams.kind == at.CYCLIC:
        _turn(streams, stream)
    elif streams.kind == at.BURSTY:
        _move_on_in_bursts(streams, chance, stream)
    else:
        rate = read_float(row(streams.rates, stream, at.RATES), at.CLASS_RATE)
        add_float(streams.due, stream, exponential(chance) / rate)


@hot
def _turn(streams: Any, stream: Any) -> None:
    group = row(streams.groups, stream, at.GROUPS)
    places = row(streams.places, stream, at.PLACES)
    place = read_int(places, at.PLACE) + 1
    if place == read_int(group, at.DEVICES):
        place = 0
        add_int(places, at.CYCLE, 1)
        # Divided anew each time: intervals added up would drift from whole seconds.
        rate = read_float(row(streams.rates, stream, at.RATES), at.DEVICE_RATE)
        write_float(streams.turns, stream, read_int(places, at.CYCLE) / rate)
    write_int(places, at.PLACE, place)
    moment = read_float(streams.moments, read_int(group, at.FIRST_DEVICE) + place)
    write_float(streams.due, stream, read_float(streams.turns, stream) + moment)


def _move_on_in_bursts(streams: Any, chance: Any, stream: Any) -> None:
    places = row(streams.places, stream, at.PLACES)
    mean_rate = read_float(row(streams.rates, stream, at.RATES), at.CLASS_RATE)
    now = read_float(streams.due, stream)
    while True:
        bursting, turns = read_int(places, at.BURSTING), read_float(streams.turns, stream)
        rate = mean_rate * read_float(row(streams.bursts, bursting, at.BURSTS), at.FACTOR)
        due = now + exponential(chance) / rate if rate > 0.0 else inf
        if due < turns:
            write_float(streams.due, stream, due)
            return
        # Nothing is remembered of the time before: from here on the other rate holds.
        now = turns
        write_int(places, at.BURSTING, 1 - bursting)
        mean_s = read_float(row(streams.bursts, 1 - bursting, at.BURSTS), at.MEAN_S)
        write_float(streams.turns, stream, now + exponential(chance) * mean_s)
