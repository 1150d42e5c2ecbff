"""The event loop: one event after the other, each followed through the layers at once; compiled.

Only what was refused has to wait in a queue: see `world` for why nothing else does.
"""

from math import floor
from typing import Any

from windrow.compiler.marks import hot
from windrow.kernels.cells import read_float, read_int, write_float, write_int
from windrow.topology.simulation import columns as at
from windrow.topology.simulation.chance import lognormal, one_of, salted, share
from windrow.topology.simulation.nodes import admits, closed, end_second, kept, route
from windrow.topology.simulation.streams import taken
from windrow.topology.simulation.waiting import pop, push
from windrow.topology.simulation.world import BINS, add_int, bin_of, raise_float, raise_int, row

__all__ = ["DONE", "FULL", "PAUSED", "advance", "settle"]

# Why the loop stopped: the time is up, the limit of events is reached, or the queue must grow.
DONE, PAUSED, FULL = range(3)

_FIRST_TRY = -1.0  # since when a tuple waits that does not
_SOONEST_S = 1e-6  # a tuple sent again at the same moment would be refused forever


def advance(world: Any, until: Any, events: Any) -> Any:
    """Process the events before a moment, up to a limited number."""
    streams, waiting, closings = world.streams, world.waiting, world.closings
    for _ in range(events):
        waiting_now = read_int(waiting.used, at.SIZE)
        if waiting_now >= waiting.room:
            return FULL  # an event lets at most one tuple more wait
        stream = _earliest(streams.due, streams.number)
        u = read_float(streams.due, stream)
        again = waiting_now > 0 and read_float(waiting.due, 0) <= u
        if again:
            u = read_float(waiting.due, 0)
        closing = -1
        if world.rules.closes:
            closing = _earliest(closings.due, world.rules.layers)
            if read_float(closings.due, closing) <= u:
                u = read_float(closings.due, closing)
            else:
                closing = -1
        if u >= until:
            return DONE
        if closing >= 0:
            key, period, weight = closed(world, closing)
            layer, node, size, since = closing + 1, -1, world.rules.state_bytes, _FIRST_TRY
            if weight == 0:
                continue
        elif again:
            layer, node, key, period, weight, size, since = sent_again(world)
        else:
            node, key, period, size = _sent(world, stream, u)
            layer, weight, since = 0, 1, _FIRST_TRY
        _pass_down(world, u, layer, node, key, period, weight, size, since)
    return PAUSED


def settle(world: Any, now: Any) -> None:
    """Add up the latest second of every node, and what waits as if it were accepted now."""
    for layer in range(world.rules.layers):
        layout = row(world.layout, layer, at.LAYOUT)
        first = read_int(layout, at.FIRST_NODE)
        for node in range(first, first + read_int(layout, at.WIDTH)):
            end_second(world, layer, row(world.loads, node, at.LOADS))
    waiting = world.waiting
    for place in range(read_int(waiting.used, at.SIZE)):
        number = read_int(waiting.order, place)
        layer = read_int(row(waiting.tuples, number, at.TUPLES), at.LAYER)
        since = read_float(row(waiting.numbers, number, at.NUMBERS), at.SINCE)
        note_delay(world, layer, now - since)


@hot
def _earliest(due: Any, number: Any) -> Any:
    first = 0
    for other in range(1, number):
        if read_float(due, other) < read_float(due, first):
            first = other
    return first


@hot
def _sent(world: Any, stream: Any, u: Any) -> Any:
    """The node, key, period and size of a device's new item."""
    rules, streams, layout = world.rules, world.streams, row(world.layout, 0, at.LAYOUT)
    place = read_int(row(streams.places, stream, at.PLACES), at.PLACE)
    device, behind = taken(streams, world.chance, stream)
    if streams.trace.tells_periods:
        number = read_int(streams.trace.periods, place)
    else:
        number = floor((u - behind) / rules.period_s)
    period = number - rules.first_period
    add_int(world.results.expected, period, 1)
    if streams.kind == at.TRACED:
        size = read_float(streams.trace.sizes, place)
    else:
        size = read_float(row(streams.rates, stream, at.RATES), at.ITEM_BYTES)
    key = 0
    if rules.keys > 1:
        key = _key(world)
    if read_int(layout, at.ROUTING) == at.BY_SOURCE:
        node = one_of(salted(world.salts, 0, device), read_int(layout, at.WIDTH))
    else:
        node = route(world, 0, key)
    return node, key, period, size


@hot
def _key(world: Any) -> Any:
    """By the item's number: the hottest, or any other alike."""
    rules, number = world.rules, read_int(world.counts, at.OFFERED)
    drawn = share(salted(world.salts, rules.layers, number))
    if drawn < rules.hottest:
        return 0
    place = (drawn - rules.hottest) / (1.0 - rules.hottest) * (rules.keys - 1)
    return min(1 + int(place), rules.keys - 1)


@hot
def _pass_down(
    world: Any,
    u: Any,
    layer: Any,
    node: Any,
    key: Any,
    period: Any,
    weight: Any,
    size: Any,
    since: Any,
) -> None:
    """Follow a tuple, and what it drives out of nodes, until nothing moves any more."""
    while layer < world.rules.layers:
        if since == _FIRST_TRY:
            if node < 0:
                node = route(world, layer, key)
            add_int(row(world.counts, layer, at.COUNTS), at.OFFERED, 1)
        if not admits(world, layer, node, u, size):
            if world.rules.retries:
                wait(world, u, layer, node, key, period, weight, size, since)
            else:
                drop(world, layer, period, weight)
            return
        if since != _FIRST_TRY:
            note_delay(world, layer, u - since)
        period, weight = kept(world, layer, node, key, period, weight)
        if weight == 0:
            return
        layer, node, size, since = layer + 1, -1, world.rules.state_bytes, _FIRST_TRY
    arrive(world, u, period, weight)


def wait(
    world: Any,
    u: Any,
    layer: Any,
    node: Any,
    key: Any,
    period: Any,
    weight: Any,
    size: Any,
    since: Any,
) -> None:
    """A node is full: the tuple will be sent to it again."""
    counts, waiting, rules = row(world.counts, layer, at.COUNTS), world.waiting, world.rules
    if since == _FIRST_TRY:
        since = u
        add_int(counts, at.DELAYED, 1)
    add_int(counts, at.WAITING, 1)
    raise_int(counts, at.PEAK_WAITING, read_int(counts, at.WAITING))
    back_off = lognormal(world.chance, rules.median_s, rules.sigma)
    place = push(waiting, u + max(back_off, _SOONEST_S))
    own, numbers = row(waiting.tuples, place, at.TUPLES), row(waiting.numbers, place, at.NUMBERS)
    write_int(own, at.LAYER, layer)
    write_int(own, at.NODE, node)
    write_int(own, at.KEY, key)
    write_int(own, at.OF_PERIOD, period)
    write_int(own, at.OF_WEIGHT, weight)
    write_float(numbers, at.OF_BYTES, size)
    write_float(numbers, at.SINCE, since)


def sent_again(world: Any) -> Any:
    """The tuple whose turn it is: layer, node, key, period, weight, size, and since when."""
    waiting = world.waiting
    place = pop(waiting)
    own, numbers = row(waiting.tuples, place, at.TUPLES), row(waiting.numbers, place, at.NUMBERS)
    layer = read_int(own, at.LAYER)
    add_int(row(world.counts, layer, at.COUNTS), at.WAITING, -1)
    return (
        layer,
        read_int(own, at.NODE),
        read_int(own, at.KEY),
        read_int(own, at.OF_PERIOD),
        read_int(own, at.OF_WEIGHT),
        read_float(numbers, at.OF_BYTES),
        read_float(numbers, at.SINCE),
    )


@hot
def drop(world: Any, layer: Any, period: Any, weight: Any) -> None:
    """A node is full: the tuple is lost."""
    add_int(row(world.counts, layer, at.COUNTS), at.DROPPED, 1)
    add_int(row(world.results.lost, layer, world.results.periods), period, weight)


def note_delay(world: Any, layer: Any, delay: Any) -> None:
    """A tuple was accepted so long after it was first sent."""
    add_int(row(world.delays, layer, BINS), bin_of(delay), 1)
    raise_float(row(world.sums, layer, at.SUMS), at.LONGEST_DELAY, delay)


def arrive(world: Any, u: Any, period: Any, weight: Any) -> None:
    """The sink hands something on."""
    rules, results = world.rules, world.results
    end = rules.origin_s + (period + rules.first_period + 1) * rules.period_s
    latency = max(u + rules.result_shift - end, 0.0)
    add_int(results.arrived, period, weight)
    write_float(results.last, period, u + rules.result_shift)
    add_int(results.latencies, bin_of(latency), weight)
    raise_float(results.longest, 0, latency)
