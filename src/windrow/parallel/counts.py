"""What each method costs, by formula: totals, and the most that falls on one unit.

Totals are exact for an even pace, up to the windows at both ends of the data, which are not full.
What a hash spreads is given in expectation.  `windrow.parallel.simulation` counts the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from math import ceil, log, sqrt

from windrow.errors import InputError
from windrow.parallel.methods import Method
from windrow.parallel.workload import Travel, Workload, require_whole

__all__ = ["Counts", "Delivery", "Load", "best_block", "counts", "largest_share", "roll_combines"]


class Delivery(Enum):
    """Whom the methods on a ring (RRCA, HOA) send a row to."""

    OWNERS = "owners"
    """The owners of its windows only."""

    ALL = "all"
    """Every unit, as published."""


@dataclass(frozen=True)
class Load:
    """Work: of one unit, or of all."""

    forwards: float = 0
    """Rows or slices taken from a line or ring of units, and handed on."""

    hashes: float = 0
    """Hashes of a key and a window."""

    lifts: float = 0
    """Rows folded into a state."""

    combines: float = 0
    """States combined with states."""

    copies: float = 0
    """Rows and slices that are sent to a unit: what a shuffle moves."""

    results: float = 0
    """Windows answered."""

    memory: float = 0
    """States held at the same time."""


@dataclass(frozen=True)
class Counts:
    """What all units do together, and at most one of them, item by item."""

    total: Load
    busiest: Load
    at_once: float
    """Among how many units the work of one moment is shared, as if they had equal parts of it."""


def counts(
    method: Method,
    workload: Workload,
    units: int,
    *,
    block: int | None = None,
    delivery: Delivery = Delivery.OWNERS,
) -> Counts:
    """What a method costs on a number of units; `block` windows of a key stay together (TIME only).

    >>> minute = Workload(rows=60_000, spacing=1, size=60_000, every=1_000)
    >>> counts(Method.ROUND_ROBIN, minute, 8).total.lifts
    3600000.0
    >>> counts(Method.PANES, minute, 8).total.lifts
    60000.0
    """
    units = require_whole(units, "units")
    if method is Method.AUTO:
        raise InputError("method=Method.AUTO has no costs of its own; name one of the others")
    if not workload.windows:
        return _between_windows(method, workload, units, delivery)
    if method is Method.KEYS:
        return _in_blocks(workload, units, workload.windows, [workload.windows])
    if method is Method.TIME:
        length = best_block(workload, units) if block is None else require_whole(block, "block")
        first = (workload.start - workload.offset - workload.size) // workload.every + 1
        last = (workload.last - workload.offset) // workload.every
        middle = last // length - first // length - 1
        sizes = [length - first % length, last % length + 1] if middle >= 0 else [workload.windows]
        return _in_blocks(workload, units, length, sizes, max(middle, 0))
    if method is Method.PANES:
        return _panes(workload, units)
    return _rows(method, workload, units, delivery)


def best_block(workload: Workload, units: int) -> int:
    """Windows that should stay together: few slices are copied, and all units have equally many.

    At least four times the windows that a row is in, where there are that many for each unit.

    >>> best_block(Workload(rows=10**6, spacing=1, size=600, every=10), units=4)
    241
    """
    rounds = max(workload.windows // (units * 4 * workload.most_windows_per_row), 1)
    return max(ceil(workload.windows / (units * rounds)), 1)


def largest_share(pieces: float, units: int) -> float:
    """How many of equal pieces, spread by a hash, are expected on the unit with most of them.

    The mean, and as many standard deviations as the largest of these units is above it.

    >>> largest_share(1, 64), round(largest_share(10_000, 4))
    (1, 2572)
    """
    mean = pieces / units
    return min(pieces, max(1.0, mean + sqrt(2 * mean * (1 - 1 / units) * log(units))))


def roll_combines(workload: Workload, windows: int) -> int:
    """How many combines two stacks take to roll over consecutive windows of a key.

    At most three a window, and as many as a window has slices to begin with; two more a window
    where the advance does not divide the size.

    >>> roll_combines(Workload(rows=1, spacing=1, size=60, every=1), windows=240)
    762
    """
    full = workload.size // workload.every
    # Panes of two slices are combined first, and a window's odd slice last.
    odd = windows + windows - 1 + full if workload.slices_per_advance == 2 else 0
    if full < 2:
        return odd
    cycles, rest = divmod(windows - 1, full)
    return odd + full - 1 + cycles * (3 * full - 4) + (full - 1 + 2 * (rest - 1) if rest else 0)


def _between_windows(method: Method, workload: Workload, units: int, delivery: Delivery) -> Counts:
    """Rows that no window holds: only units that see every row have anything to do with them."""
    seen = float(workload.rows) if _is_everywhere(method, delivery) else 0.0
    return Counts(
        Load(forwards=units * seen, copies=units * seen),
        Load(forwards=seen, copies=seen),
        at_once=units,
    )


def _is_everywhere(method: Method, delivery: Delivery) -> bool:
    """Whether each unit sees every row."""
    if method in (Method.KEYS, Method.TIME, Method.PANES):
        return False
    return method in (Method.HANDSHAKE, Method.ROUND_ROBIN) or delivery is Delivery.ALL


def _in_blocks(
    workload: Workload, units: int, length: int, ends: Sequence[int], middle: int = 0
) -> Counts:
    """A key's windows in blocks, dealt out from where its hash says; the ends are short."""
    keys, blocks = workload.keys, len(ends) + middle
    per_window, per_advance = workload.slices_per_window, workload.slices_per_advance
    of_rows = workload.travel is Travel.ROWS

    def owners(windows: int) -> float:
        return min(units, 1 + (windows - 1) / length, blocks) if windows else 0

    def slices(windows: int) -> float:
        return (windows - 1) * per_advance + per_window

    def busiest(of_block: Callable[[int], float]) -> float:
        dealt = _dealt([of_block(size) for size in ends], of_block(length), blocks, units)
        hottest = workload.hottest * keys * max(dealt) if blocks == 1 else 0.0
        return max(_largest_sum(dealt, keys), hottest)

    rolled = keys * (
        middle * roll_combines(workload, length) + sum(roll_combines(workload, n) for n in ends)
    )
    travelling = workload.over_rows(owners) if of_rows else workload.over_slices(owners)
    size = workload.covered_rows / workload.slices if of_rows else 1.0
    copies = min(travelling, busiest(slices) * size)
    # Where a block ends, its last window and the first ones of later blocks are open.
    later = range(min(units, blocks) - 1)
    open_slices = [per_window - per_advance * (1 + n * length) for n in later]
    memory = keys * (per_window + sum(n for n in open_slices if n > 0))
    return Counts(
        Load(
            lifts=travelling if of_rows else workload.covered_rows,
            combines=rolled,
            copies=travelling,
            results=workload.results,
            memory=memory,
        ),
        Load(
            lifts=copies if of_rows else _busiest_reader(workload, units),
            combines=min(rolled, busiest(lambda n: roll_combines(workload, n))),
            copies=copies,
            results=min(workload.results, busiest(float)),
            memory=min(memory, largest_share(keys * min(2, blocks), units) * per_window),
        ),
        at_once=keys / largest_share(keys, units) if of_rows else min(units, workload.panes),
    )


def _dealt(ends: Sequence[float], full: float, blocks: int, units: int) -> list[float]:
    """What each unit gets of one key's blocks, dealt out in turn; those at the ends are short."""
    dealt = [full * ((blocks - unit + units - 1) // units) for unit in range(units)]
    dealt[0] += ends[0] - full
    if len(ends) > 1:
        dealt[(blocks - 1) % units] += ends[-1] - full
    return dealt


def _largest_sum(dealt: Sequence[float], keys: int) -> float:
    """What the busiest unit gets of several keys, each dealt out from another unit on."""
    units, most = len(dealt), max(dealt)
    mean = sum(dealt) / units
    variance = sum((one - mean) ** 2 for one in dealt) / units
    return max(most, min(keys * most, keys * mean + sqrt(2 * keys * variance * log(units))))


def _busiest_reader(workload: Workload, units: int) -> float:
    """The rows of the unit with most panes, of those that any window holds."""
    rows = ceil(workload.panes / units) * workload.every / workload.spacing
    return min(rows * min(1, workload.windows_per_row), workload.covered_rows)


def _panes(workload: Workload, units: int) -> Counts:
    """Rows at the owner of their pane; its slices travel along the ring to those of windows."""

    def owners(windows: int) -> float:
        return min(units, windows)

    forwards = workload.over_slices(owners)
    merged = workload.over_slices(float)
    owned = ceil(workload.windows / units)
    per_window = workload.keys * workload.slices_per_window
    rows = _busiest_reader(workload, units)
    visits = min(workload.slices, owned * per_window)
    open_windows = workload.most_windows_per_row
    return Counts(
        Load(
            forwards=forwards,
            lifts=workload.covered_rows,
            combines=merged,
            copies=workload.covered_rows + forwards,
            results=workload.results,
            memory=workload.keys * open_windows,
        ),
        Load(
            forwards=visits,
            lifts=rows,
            combines=min(merged, owned * per_window),
            copies=rows + visits,
            results=min(workload.results, owned * workload.keys),
            memory=workload.keys * (1 + ceil((open_windows - 1) / units)),
        ),
        at_once=min(units, workload.panes),
    )


def _rows(method: Method, workload: Workload, units: int, delivery: Delivery) -> Counts:
    """Rows travel, and each is folded into all its windows."""
    hashed = method in (Method.HANDSHAKE, Method.HASH_ONCE)
    keys, open_windows = workload.keys, workload.most_windows_per_row
    rows, memberships, results = workload.rows, workload.memberships, workload.results
    if hashed:
        share = largest_share(keys * workload.windows, units) / (keys * workload.windows)
        most = share * memberships
        memory = largest_share(keys * open_windows, units)
    else:
        owned = ceil(workload.windows / units)
        share = owned / workload.windows
        most = owned * workload.rows_per_window
        memory = keys * ceil(open_windows / units)
    most = min(most, memberships)
    everywhere = _is_everywhere(method, delivery)
    visits = float(units * rows)
    if not everywhere:
        visits = workload.over_rows(_met(units) if hashed else lambda n: min(units, n))
    at_most = float(rows) if everywhere else min(rows, most)
    along = everywhere or not hashed  # owners by hash are no neighbours: rows go to them directly
    hashes = {Method.HANDSHAKE: units * memberships, Method.HASH_ONCE: memberships}.get(method, 0)
    return Counts(
        Load(visits * along, hashes, memberships, 0, visits, results, keys * open_windows),
        Load(at_most * along, hashes / units, most, 0, at_most, share * results, memory),
        at_once=keys * open_windows / memory,
    )


def _met(units: int) -> Callable[[int], float]:
    """How many units are expected to be named at least once by a number of hashes."""
    return lambda number: units * (1 - (1 - 1 / units) ** number)
