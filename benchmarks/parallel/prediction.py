"""From counts to times: what one of each costs, in forwards of a row.

The document says that all parts of cheap aggregates cost about the same, so most weights are 1.
Two are chosen to fit what it saw: that of preparing a row (`Setting.preparing`), and that of the
owners' names which HOA's rows carry through memory that all units share.
"""

from benchmarks.parallel.published import QUEUE, Contender, Setting
from windrow.parallel.counts import Counts, Delivery, counts
from windrow.parallel.methods import Method

__all__ = ["CARRYING", "in_flight", "seconds", "work"]

_FOLDING = 2.0  # a row: find the window, add to it
_MERGING = 3.0  # a state: find the window, add to it, and it is larger than a row
CARRYING = 0.015  # a window's owner named in a row, for each unit that the row comes to

#: Between two and three rounds of all panes pass until a result can be collected.
_ROUNDS = 2.5

_ROWS = (Method.HANDSHAKE, Method.ROUND_ROBIN, Method.HASH_ONCE, Method.ROUND_ROBIN_CYCLIC)


def work(contender: Contender, setting: Setting, units: int) -> float:
    """What the unit with most to do has to do, for each row of all."""
    folding = _FOLDING + setting.preparing
    found = _counts(contender, setting, units)
    busiest, total = found.busiest, found.total
    # Queues are far shorter than windows: what is not shared at every moment is not shared at all.
    lifts = busiest.lifts
    if contender.method in _ROWS:
        lifts = total.lifts / found.at_once
    elif not contender.holds_panes:
        lifts = total.lifts
    moved = busiest.forwards if contender.method in (*_ROWS, Method.PANES) else busiest.copies
    own = moved + busiest.hashes + lifts * folding + busiest.combines * _MERGING + busiest.results
    carried = 0.0
    if contender.method is Method.HASH_ONCE:
        carried = CARRYING * total.forwards * setting.workload.windows_per_row
    return max(own, carried) / setting.workload.rows


def in_flight(contender: Contender, setting: Setting, units: int) -> float:
    """How many rows enter between the one that ends a window and the window's result."""
    if contender.method in (Method.HANDSHAKE, Method.ROUND_ROBIN):
        return QUEUE + units  # one queue takes all in
    if contender.method is not Method.PANES:
        return QUEUE * units
    workload = setting.workload
    rows_per_pane = workload.every / workload.spacing
    found = _counts(contender, setting, units)
    folding = found.busiest.lifts * (_FOLDING + setting.preparing)
    merging_is_slower = found.busiest.combines * _MERGING > folding
    queue = max(QUEUE, rows_per_pane) if contender.holds_panes else QUEUE
    # Queues fill before what is slower: of rows, or the two of slices as well.
    waiting = queue + 2 * QUEUE * workload.covered_rows / workload.slices * merging_is_slower
    return waiting * units + _ROUNDS * (units - 1) * rows_per_pane


def seconds(contender: Contender, setting: Setting, units: int) -> float:
    """How long a result takes, in forwards of a row: what is in flight, at the pace of rows."""
    return in_flight(contender, setting, units) * work(contender, setting, units)


def _counts(contender: Contender, setting: Setting, units: int) -> Counts:
    return counts(contender.method, setting.workload, units, delivery=Delivery.ALL)
