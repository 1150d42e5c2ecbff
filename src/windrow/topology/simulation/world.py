"""All that a simulation keeps, in arrays; compiled code gets their addresses and changes them.

Time is that of the first layer: what reaches layer l at u on that clock is there at u + SHIFT.
Delays between layers are constant, so whatever leaves a layer reaches the next one in the same
order, and can be passed down at once.

Compiled code reads and writes rows by their address: handing arrays from function to function would
cost more than the work itself.
"""

from math import log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windrow.compiler.marks import hot
from windrow.kernels.cells import read_float, read_int, write_float, write_int

__all__ = [
    "BINS",
    "Closings",
    "Results",
    "Rules",
    "Streams",
    "Traced",
    "Waiting",
    "World",
    "add_float",
    "add_int",
    "bare",
    "bin_of",
    "percentiles_of",
    "raise_float",
    "raise_int",
    "row",
]


class Rules(NamedTuple):
    """What holds throughout."""

    layers: int
    period_s: float
    origin_s: float  # when period 0 begins
    first_period: int  # its number: clocks that are behind have items of periods before 0
    cells: int  # of each slot: periods that a node holds at once of a key
    keys: int
    hottest: float
    state_bytes: float
    result_shift: float  # how far behind the result is, as SHIFT
    retries: bool
    closes: bool
    median_s: float
    sigma: float


class Traced(NamedTuple):
    """The items of a trace, whose times are the streams' moments."""

    items: int
    devices: Any
    sizes: Any
    periods: Any
    tells_periods: bool


class Streams(NamedTuple):
    """Where items come from: a stream for each class, or one trace of all."""

    kind: int
    number: int
    names_devices: bool  # whether it matters which device sends
    skewed: bool  # whether clocks are wrong
    due: Any  # of each stream's next item
    places: Any
    groups: Any
    rates: Any
    turns: Any  # of each class, when its burst or rest ends, or when its cycle began
    bursts: Any
    moments: Any  # of a cycle, for each device in order; or of a trace
    trace: Traced
    offsets: Any  # how far each device's clock is behind
    ahead: Any  # of each stream, devices drawn ahead
    ahead_offsets: Any  # and their offsets


class Waiting(NamedTuple):
    """Refused tuples: a binary heap by when they are sent again, and then by who came first.

    invariant: the first SIZE of `order` are the heap, the others are free places of `tuples`.
    """

    room: int
    used: Any
    due: Any  # by place in the heap
    order: Any
    tuples: Any
    numbers: Any


class Closings(NamedTuple):
    """Slots in the order in which they hand on when a period closes; empty where none closes."""

    due: Any  # of each layer's next slot
    places: Any
    begins: Any  # of each layer, when the first period closes
    slots: Any
    after: Any  # how long after the layer's closing began


class Results(NamedTuple):
    """By period: items sent, items that arrived, when the last did, and items lost by layer."""

    periods: int
    expected: Any
    arrived: Any
    last: Any
    lost: Any
    latencies: Any  # a histogram of all periods
    longest: Any


class World(NamedTuple):
    """All of it."""

    rules: Rules
    layout: Any
    limits: Any
    salts: Any  # of each layer, and of keys
    counts: Any
    sums: Any
    delays: Any  # a histogram for each layer
    loads: Any
    held: Any  # cells in use, of each node
    cells: Any
    chance: Any
    streams: Streams
    waiting: Waiting
    closings: Closings
    results: Results


def bare(part: Any) -> Any:
    """The same with the addresses of arrays, for compiled code; the arrays must live on."""
    if isinstance(part, np.ndarray):
        assert part.itemsize == 8
        assert part.flags.c_contiguous
        return part.ctypes.data
    if isinstance(part, tuple):
        return type(part)(*map(bare, part))
    return part


_BYTES = np.int64(8)


@hot
def row(address: Any, number: Any, cells: Any) -> Any:
    """The address of one row with this many cells."""
    return address + _BYTES * cells * number


@hot
def add_int(address: Any, cell: Any, amount: Any) -> None:
    """Add to a cell."""
    write_int(address, cell, read_int(address, cell) + amount)


@hot
def add_float(address: Any, cell: Any, amount: Any) -> None:
    """Add to a cell."""
    write_float(address, cell, read_float(address, cell) + amount)


@hot
def raise_int(address: Any, cell: Any, number: Any) -> None:
    """Let a cell be at least so much."""
    write_int(address, cell, max(read_int(address, cell), number))


@hot
def raise_float(address: Any, cell: Any, number: Any) -> None:
    """Let a cell be at least so much."""
    write_float(address, cell, max(read_float(address, cell), number))


# Durations are counted in bins that grow by 2 percent, from a millisecond to ten million seconds.
_LEAST = 1e-3  # what is shorter counts as nothing
_PER_E = 50.0  # bins from a duration to e times as much
BINS = 1154


def bin_of(duration: Any) -> Any:
    """The bin of a duration; compiled."""
    if duration < _LEAST:
        return 0
    return min(1 + int(log(duration / _LEAST) * _PER_E), BINS - 1)


def percentiles_of(
    counts: NDArray[np.int64], shares: tuple[float, ...], most: float
) -> tuple[float, ...]:
    """Durations that so large a share of all does not exceed, to a bin's width; at most `most`."""
    reached = np.cumsum(counts)
    places = [int(np.searchsorted(reached, share * reached[-1])) for share in shares]
    return tuple(min(_upper_end(place), most) for place in places)


def _upper_end(place: int) -> float:
    return 0.0 if place == 0 else float(_LEAST * np.exp(place / _PER_E))
