"""A node: an ingest limit for each calendar second, and a buffer for each key; compiled.

Within the limit a tuple is combined with what its cell holds of the same period; a cell that holds
another one hands it on first.  With one cell for each key that is the single-buffer node without
coordination (Algorithm 1 of the topology paper).

When periods close by the clock, slots hand on one after the other, each at its moment.  A slot is a
node's state of a key: whatever it holds of the closing period and of those before leaves at its
turn, each period as a tuple of its own.
"""

from math import floor
from typing import Any

from windrow.compiler.marks import hot
from windrow.kernels.cells import read_float, read_int, write_float, write_int
from windrow.topology.simulation import columns as at
from windrow.topology.simulation.chance import one_of, salted
from windrow.topology.simulation.world import add_float, add_int, raise_float, raise_int, row

__all__ = ["admits", "closed", "end_second", "kept", "route"]


@hot
def route(world: Any, layer: Any, key: Any) -> Any:
    """The node of a layer that a tuple goes to, by its key or by its number alone."""
    layout = row(world.layout, layer, at.LAYOUT)
    if read_int(layout, at.ROUTING) == at.BY_KEY:
        number = key
    else:
        number = read_int(row(world.counts, layer, at.COUNTS), at.OFFERED)
    return one_of(salted(world.salts, layer, number), read_int(layout, at.WIDTH))


@hot
def admits(world: Any, layer: Any, node: Any, u: Any, size: Any) -> Any:
    """Whether a node's limit lets one more tuple in, which then counts towards it."""
    limits = row(world.limits, layer, at.LIMITS)
    first = read_int(row(world.layout, layer, at.LAYOUT), at.FIRST_NODE)
    load = row(world.loads, first + node, at.LOADS)
    second = float(floor(u + read_float(limits, at.SHIFT)))
    if read_float(load, at.SECOND) != second:
        end_second(world, layer, load)
        write_float(load, at.SECOND, second)
    add_float(load, at.TRIED, 1.0)
    items = read_float(load, at.TAKEN) + 1.0
    total = read_float(load, at.TAKEN_BYTES) + size
    if items > read_float(limits, at.ITEMS_LIMIT) or total > read_float(limits, at.BYTES_LIMIT):
        return False
    write_float(load, at.TAKEN, items)
    write_float(load, at.TAKEN_BYTES, total)
    return True


@hot
def end_second(world: Any, layer: Any, load: Any) -> None:
    """Add up what a node had in its latest second."""
    limits = row(world.limits, layer, at.LIMITS)
    counts, sums = row(world.counts, layer, at.COUNTS), row(world.sums, layer, at.SUMS)
    items, total = read_float(load, at.TAKEN), read_float(load, at.TAKEN_BYTES)
    of_items, of_bytes = read_float(limits, at.ITEMS_LIMIT), read_float(limits, at.BYTES_LIMIT)
    add_int(counts, at.ACCEPTED, int(items))
    add_float(sums, at.BYTES, total)
    raise_int(counts, at.PEAK_TRIED, int(read_float(load, at.TRIED)))
    raise_float(sums, at.PEAK_USE, max(items / of_items, total / of_bytes))
    write_float(load, at.TRIED, 0.0)
    write_float(load, at.TAKEN, 0.0)
    write_float(load, at.TAKEN_BYTES, 0.0)


@hot
def kept(world: Any, layer: Any, node: Any, key: Any, period: Any, weight: Any) -> Any:
    """What a tuple drives out of its cell, as (period, weight); a weight of 0 is nothing."""
    layout, in_slot = row(world.layout, layer, at.LAYOUT), world.rules.cells
    by_key = read_int(layout, at.ROUTING) == at.BY_KEY
    slot = key if by_key else node * world.rules.keys + key
    place = (read_int(layout, at.FIRST_SLOT) + slot) * in_slot
    if in_slot > 1:
        place += period % in_slot
    cell = row(world.cells, place, at.CELLS)
    older, held = read_int(cell, at.PERIOD), read_int(cell, at.WEIGHT)
    if held and older == period:
        write_int(cell, at.WEIGHT, held + weight)
        return period, 0
    write_int(cell, at.PERIOD, period)
    write_int(cell, at.WEIGHT, weight)
    if not held:
        number = read_int(layout, at.FIRST_NODE) + node
        add_int(world.held, number, 1)
        raise_int(row(world.counts, layer, at.COUNTS), at.PEAK_HELD, read_int(world.held, number))
    return older, held


def closed(world: Any, layer: Any) -> Any:
    """What the slot hands on whose turn it is, as (key, period, weight): the oldest first.

    A weight of 0 says that nothing was left: then it is the next slot's turn.
    """
    layout, places = (
        row(world.layout, layer, at.LAYOUT),
        row(world.closings.places, layer, at.TURNS),
    )
    first, closing = read_int(layout, at.FIRST_SLOT), read_int(places, at.CLOSED)
    slot = read_int(world.closings.slots, first + read_int(places, at.TURN))
    cell = _oldest(world, (first + slot) * world.rules.cells, closing)
    if cell < 0:
        _next_turn(world, layer)
        return 0, 0, 0
    period, weight = read_int(cell, at.PERIOD), read_int(cell, at.WEIGHT)
    write_int(cell, at.WEIGHT, 0)
    if read_int(layout, at.ROUTING) == at.BY_KEY:
        key, node = slot, one_of(salted(world.salts, layer, slot), read_int(layout, at.WIDTH))
    else:
        key, node = slot % world.rules.keys, slot // world.rules.keys
    add_int(world.held, read_int(layout, at.FIRST_NODE) + node, -1)
    return key, period, weight


def _oldest(world: Any, first: Any, closing: Any) -> Any:
    """The cell of a slot that has the oldest period up to the closing one; -1 where none has."""
    found, oldest = -1, closing + 1
    for place in range(first, first + world.rules.cells):
        cell = row(world.cells, place, at.CELLS)
        if read_int(cell, at.WEIGHT) > 0 and read_int(cell, at.PERIOD) < oldest:
            found, oldest = cell, read_int(cell, at.PERIOD)
    return found


def _next_turn(world: Any, layer: Any) -> None:
    closings = world.closings
    layout, places = row(world.layout, layer, at.LAYOUT), row(closings.places, layer, at.TURNS)
    turn = read_int(places, at.TURN) + 1
    if turn == read_int(layout, at.SLOTS):
        turn = 0
        add_int(places, at.CLOSED, 1)
    write_int(places, at.TURN, turn)
    period_begins = read_int(places, at.CLOSED) * world.rules.period_s
    begins = read_float(closings.begins, layer) + period_begins
    after = read_float(closings.after, read_int(layout, at.FIRST_SLOT) + turn)
    write_float(closings.due, layer, begins + after)
