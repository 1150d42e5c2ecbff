"""All that a simulation keeps, in arrays; compiled code gets their addresses and changes them.

Time is that of the first layer: what reaches layer l at u on that clock is there at u + SHIFT.
Delays between layers are constant, so whatever leaves a layer reaches the next one in the same
order, and can be passed down at once.
"""

from typing import Any, NamedTuple

import numpy as np

__all__ = ["Closings", "Results", "Rules", "Streams", "Traced", "Waiting", "World", "bare"]

# Constants are numbers of numpy's: plain ones have types of their own to the compiler.

# How items of one layer choose a node of the next.
BY_ITEM, BY_SOURCE, BY_KEY = map(np.int64, range(3))
# When devices send.
POISSON, CYCLIC, BURSTY, TRACED = map(np.int64, range(4))

# Columns of `layout`, what layers are, and how many these are,
WIDTH, ROUTING, FIRST_NODE, FIRST_SLOT, SLOTS, LAYOUT = map(np.int64, range(6))
# of `limits`, what they take in a second and how far their clocks are behind,
ITEMS_LIMIT, BYTES_LIMIT, SHIFT, LIMITS = map(np.int64, range(4))
# of `counts` and `sums`, what happened at each,
OFFERED, ACCEPTED, DROPPED, DELAYED, WAITING = map(np.int64, range(5))
PEAK_WAITING, PEAK_HELD, PEAK_TRIED, COUNTS = map(np.int64, range(5, 9))
BYTES, PEAK_USE, LONGEST_DELAY, SUMS = map(np.int64, range(4))
# of `loads`, what a node had in its latest second,
SECOND, TRIED, TAKEN, TAKEN_BYTES, LOADS = map(np.int64, range(5))
# and of `cells`, what a node holds: a weight of 0 is none.
PERIOD, WEIGHT, CELLS = map(np.int64, range(3))

# Columns of `Streams.places`: the next device of a cycle, which cycle, whether it is a burst, and
# how many devices are left of those drawn ahead, at most `AHEAD`;
PLACE, CYCLE, BURSTING, LEFT, PLACES = map(np.int64, range(5))
AHEAD = np.int64(64)
# of `Streams.groups` and `Streams.rates`, one row for each class,
FIRST_DEVICE, DEVICES, GROUPS = map(np.int64, range(3))
DEVICE_RATE, CLASS_RATE, ITEM_BYTES, RATES = map(np.int64, range(4))
# and of `Streams.bursts`, a row for rests and one for bursts.
FACTOR, MEAN_S, BURSTS = map(np.int64, range(3))

# Columns of `Closings.places`: whose turn it is, and which period closes.
TURN, CLOSED, TURNS = map(np.int64, range(3))

# Cells of `Waiting.used`, and columns of `Waiting.tuples` and `Waiting.numbers`.
SIZE, NEXT_TICKET = map(np.int64, range(2))
LAYER, NODE, KEY, OF_PERIOD, OF_WEIGHT, TICKET, TUPLES = map(np.int64, range(7))
OF_BYTES, SINCE, NUMBERS = map(np.int64, range(3))


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
