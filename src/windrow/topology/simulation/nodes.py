"""A node: an ingest limit for each calendar second, and a buffer for each key; compiled.

Within the limit a tuple is combined with what its cell holds of the same period; a cell that holds
another one hands it on first.  With one cell for each key that is the single-buffer node without
coordination (Algorithm 1 of the topology paper).
"""

from math import floor
from typing import Any

from windrow.compiler.marks import hot
from windrow.kernels.cells import read_float, read_int, write_float, write_int
from windrow.topology.simulation.chance import one_of
from windrow.topology.simulation.draws import salted
from windrow.topology.simulation.rows import add_float, add_int, raise_float, raise_int, row
from windrow.topology.simulation.world import (
    ACCEPTED,
    BY_KEY,
    BYTES,
    BYTES_LIMIT,
    CELLS,
    COUNTS,
    FIRST_NODE,
    FIRST_SLOT,
    ITEMS_LIMIT,
    LAYOUT,
    LIMITS,
    LOADS,
    OFFERED,
    PEAK_HELD,
    PEAK_TRIED,
    PEAK_USE,
    PERIOD,
    ROUTING,
    SECOND,
    SHIFT,
    SUMS,
    TAKEN,
    TAKEN_BYTES,
    TRIED,
    WEIGHT,
    WIDTH,
)

__all__ = ["admits", "end_second", "kept", "route"]


@hot
def route(world: Any, layer: Any, key: Any) -> Any:
    """The node of a layer that a tuple goes to, by its key or by its number alone."""
    layout = row(world.layout, layer, LAYOUT)
    if read_int(layout, ROUTING) == BY_KEY:
        number = key
    else:
        number = read_int(row(world.counts, layer, COUNTS), OFFERED)
    return one_of(salted(world.salts, layer, number), read_int(layout, WIDTH))


@hot
def admits(world: Any, layer: Any, node: Any, u: Any, size: Any) -> Any:
    """Whether a node's limit lets one more tuple in, which then counts towards it."""
    limits = row(world.limits, layer, LIMITS)
    first = read_int(row(world.layout, layer, LAYOUT), FIRST_NODE)
    load = row(world.loads, first + node, LOADS)
    second = float(floor(u + read_float(limits, SHIFT)))
    if read_float(load, SECOND) != second:
        end_second(world, layer, load)
        write_float(load, SECOND, second)
    add_float(load, TRIED, 1.0)
    items = read_float(load, TAKEN) + 1.0
    total = read_float(load, TAKEN_BYTES) + size
    if items > read_float(limits, ITEMS_LIMIT) or total > read_float(limits, BYTES_LIMIT):
        return False
    write_float(load, TAKEN, items)
    write_float(load, TAKEN_BYTES, total)
    return True


@hot
def end_second(world: Any, layer: Any, load: Any) -> None:
    """Add up what a node had in its latest second."""
    limits = row(world.limits, layer, LIMITS)
    counts, sums = row(world.counts, layer, COUNTS), row(world.sums, layer, SUMS)
    items, total = read_float(load, TAKEN), read_float(load, TAKEN_BYTES)
    of_items, of_bytes = read_float(limits, ITEMS_LIMIT), read_float(limits, BYTES_LIMIT)
    add_int(counts, ACCEPTED, int(items))
    add_float(sums, BYTES, total)
    raise_int(counts, PEAK_TRIED, int(read_float(load, TRIED)))
    raise_float(sums, PEAK_USE, max(items / of_items, total / of_bytes))
    write_float(load, TRIED, 0.0)
    write_float(load, TAKEN, 0.0)
    write_float(load, TAKEN_BYTES, 0.0)


@hot
def kept(world: Any, layer: Any, node: Any, key: Any, period: Any, weight: Any) -> Any:
    """What a tuple drives out of its cell, as (period, weight); a weight of 0 is nothing."""
    layout, in_slot = row(world.layout, layer, LAYOUT), world.rules.cells
    by_key = read_int(layout, ROUTING) == BY_KEY
    slot = key if by_key else node * world.rules.keys + key
    place = (read_int(layout, FIRST_SLOT) + slot) * in_slot
    if in_slot > 1:
        place += period % in_slot
    cell = row(world.cells, place, CELLS)
    older, held = read_int(cell, PERIOD), read_int(cell, WEIGHT)
    if held and older == period:
        write_int(cell, WEIGHT, held + weight)
        return period, 0
    write_int(cell, PERIOD, period)
    write_int(cell, WEIGHT, weight)
    if not held:
        at = read_int(layout, FIRST_NODE) + node
        add_int(world.held, at, 1)
        raise_int(row(world.counts, layer, COUNTS), PEAK_HELD, read_int(world.held, at))
    return older, held
