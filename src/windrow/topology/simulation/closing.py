"""Nodes that hand on when a period closes: slot after slot, each at its moment; compiled.

A slot is a node's state of a key.  Whatever it holds of the closing period and of those before
leaves at its turn, each period as a tuple of its own.
"""

from typing import Any

from windrow.kernels.cells import read_float, read_int, write_float, write_int
from windrow.topology.simulation.chance import one_of
from windrow.topology.simulation.draws import salted
from windrow.topology.simulation.rows import add_int, row
from windrow.topology.simulation.world import (
    BY_KEY,
    CELLS,
    CLOSED,
    FIRST_NODE,
    FIRST_SLOT,
    LAYOUT,
    PERIOD,
    ROUTING,
    SLOTS,
    TURN,
    TURNS,
    WEIGHT,
    WIDTH,
)

__all__ = ["closed"]


def closed(world: Any, layer: Any) -> Any:
    """What the slot hands on whose turn it is, as (key, period, weight): the oldest first.

    A weight of 0 says that nothing was left: then it is the next slot's turn.
    """
    layout, places = row(world.layout, layer, LAYOUT), row(world.closings.places, layer, TURNS)
    first, closing = read_int(layout, FIRST_SLOT), read_int(places, CLOSED)
    slot = read_int(world.closings.slots, first + read_int(places, TURN))
    cell = _oldest(world, (first + slot) * world.rules.cells, closing)
    if cell < 0:
        _next_turn(world, layer)
        return 0, 0, 0
    period, weight = read_int(cell, PERIOD), read_int(cell, WEIGHT)
    write_int(cell, WEIGHT, 0)
    if read_int(layout, ROUTING) == BY_KEY:
        key, node = slot, one_of(salted(world.salts, layer, slot), read_int(layout, WIDTH))
    else:
        key, node = slot % world.rules.keys, slot // world.rules.keys
    add_int(world.held, read_int(layout, FIRST_NODE) + node, -1)
    return key, period, weight


def _oldest(world: Any, first: Any, closing: Any) -> Any:
    """The cell of a slot that has the oldest period up to the closing one; -1 where none has."""
    found, oldest = -1, closing + 1
    for place in range(first, first + world.rules.cells):
        cell = row(world.cells, place, CELLS)
        if read_int(cell, WEIGHT) > 0 and read_int(cell, PERIOD) < oldest:
            found, oldest = cell, read_int(cell, PERIOD)
    return found


def _next_turn(world: Any, layer: Any) -> None:
    closings = world.closings
    layout, places = row(world.layout, layer, LAYOUT), row(closings.places, layer, TURNS)
    turn = read_int(places, TURN) + 1
    if turn == read_int(layout, SLOTS):
        turn = 0
        add_int(places, CLOSED, 1)
    write_int(places, TURN, turn)
    period_begins = read_int(places, CLOSED) * world.rules.period_s
    begins = read_float(closings.begins, layer) + period_begins
    after = read_float(closings.after, read_int(layout, FIRST_SLOT) + turn)
    write_float(closings.due, layer, begins + after)
