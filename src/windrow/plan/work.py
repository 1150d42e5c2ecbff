"""What each method has to do for a batch on Spark: counts by formula, from facts about its rows.

The formulas of `windrow.parallel.counts` say how many rows and slices travel.  Here a row is folded
once where it arrives, whatever the method, and windows are rolled over slices: so lifts and
combines are those of the engines, not of the methods as published.
"""

from windrow.parallel.counts import Counts, Load, counts, largest_share
from windrow.parallel.methods import Method
from windrow.parallel.workload import Travel, Workload
from windrow.plan.description import Description
from windrow.plan.facts import Facts
from windrow.windows import Aligned

__all__ = ["stage_count", "work_of"]

# Two stacks combine at most three times for a row or slice that enters a window and leaves it.
_PER_SLICE = 3

# Times of a workload are whole numbers; rows may be closer than a microsecond on average.
_PER_US = 1000

_SEEN_BY_ALL = (Method.HANDSHAKE, Method.ROUND_ROBIN)


def work_of(query: Description, facts: Facts, method: Method) -> Counts:
    """All work, and that of the busiest task."""
    match method:
        case Method.KEYS:
            return _together(query, facts, *_by_key(query, facts), folded=query.folds)
        case Method.TIME:
            # Partial sessions have no place in time to be cut at: their rows travel.
            folded = query.folds and not query.session
            return _together(query, facts, *_by_time(query, facts), folded=folded)
        case Method.PANES:
            return _by_slices(query, facts)
    return _by_rows(query, facts, method)


def stage_count(query: Description, method: Method) -> int:
    """How many stages run Python: one reads and packs, one computes, some put slices together."""
    return 3 if method is Method.PANES or (method is Method.TIME and query.session) else 2


def _by_key(query: Description, facts: Facts) -> tuple[float, float]:
    """All rows, as shares, and those of the busiest task."""
    return 1.0, _busiest_share(facts.keys, facts.hottest, query.unit_count)


def _by_time(query: Description, facts: Facts) -> tuple[float, float]:
    """The same with keys cut by time: slots go to tasks in turn, other keys by their hash."""
    units = query.unit_count
    rest = max(1.0 - sum(cut.share for cut in facts.cuts), 0.0)
    slots = [slot for cut in facts.cuts for slot in cut.slots]
    dealt = [sum(slots[unit::units]) for unit in range(min(units, max(len(slots), 1)))]
    others = max(facts.keys - len(facts.cuts), 1)
    return rest + sum(slots), max(dealt) + rest * _busiest_share(others, 0.0, units)


def _busiest_share(keys: int, hottest: float, units: int) -> float:
    """Of all rows, those on the unit with most of them, keys being spread by a hash.

    >>> _busiest_share(1, 1.0, 8), _busiest_share(1_000, 0.5, 2)
    (1.0, 0.75)
    """
    return max(hottest + (1 - hottest) / units, largest_share(keys, units) / keys)


def _together(
    query: Description, facts: Facts, all_rows: float, busiest: float, *, folded: bool
) -> Counts:
    """Windows of a key, or of a slot of it, stay together."""
    combines, results, slices = _of_windows(query, facts)
    travelling = slices if folded else float(facts.rows)
    return Counts(
        Load(
            lifts=facts.rows * (1.0 if folded else all_rows),
            combines=all_rows * combines,
            copies=all_rows * travelling,
            results=results,
        ),
        Load(
            lifts=facts.rows * (1 / query.unit_count if folded else busiest),
            combines=busiest * combines,
            copies=busiest * travelling,
            results=busiest / all_rows * results,
        ),
        at_once=all_rows / busiest,
    )


def _by_slices(query: Description, facts: Facts) -> Counts:
    """Rows, or slices of what one task read, to the owners of slices; these to those of windows."""
    units, folded = query.unit_count, query.folds
    loads = [_workload(facts, grid) for grid in query.aligned]
    several = [counts(Method.PANES, load, units) for load in loads]
    combines, results, slices = _of_windows(query, facts)
    # Rows between windows are sent like others; if there are no others, all lie in one pane.
    shares = (
        one.busiest.lifts / load.covered_rows for one, load in zip(several, loads, strict=True)
    )
    share = max(shares) or 1.0
    first_hop = slices if folded else float(facts.rows)
    merges = slices if folded else 0.0
    visits = sum(one.busiest.forwards for one in several)
    rolled = min(_PER_SLICE * visits, combines)
    return Counts(
        Load(
            lifts=facts.rows,
            combines=merges + units * rolled,
            copies=first_hop + sum(one.total.forwards for one in several),
            results=results,
        ),
        Load(
            lifts=facts.rows * (1 / units if folded else share),
            combines=merges * share + rolled,
            copies=first_hop * share + visits,
            results=sum(one.busiest.results for one in several),
        ),
        at_once=1 / share,
    )


def _by_rows(query: Description, facts: Facts, method: Method) -> Counts:
    """Rows to the owners of their windows, or to everybody, who fold them on arrival."""
    units = query.unit_count
    several = [counts(method, _workload(facts, grid), units) for grid in query.aligned]
    combines, results, slices = _of_windows(query, facts)
    copies = max(one.total.copies for one in several)
    own = max(one.busiest.copies for one in several)
    seen = slices if method in _SEEN_BY_ALL else slices * min(own / facts.rows, 1.0)
    rolled = min(_PER_SLICE * seen, combines)
    return Counts(
        Load(lifts=copies, combines=units * rolled, copies=copies, results=results),
        Load(
            lifts=own,
            combines=rolled,
            copies=own,
            results=sum(one.busiest.results for one in several),
        ),
        at_once=units,
    )


def _of_windows(query: Description, facts: Facts) -> tuple[float, float, float]:
    """Combines, results and slices, where all windows of a key are on one unit."""
    if query.session:  # how many there are is not known, but few beside rows
        return 0.0, 0.0, 0.0
    if not query.aligned:
        several = len(query.windows)
        return _PER_SLICE * facts.rows * several, float(facts.rows), float(facts.rows)
    combines = results = slices = 0.0
    for grid in query.aligned:
        load = _workload(facts, grid)
        rolled = counts(Method.KEYS, load, 1).total.combines
        # Where rows are few, so are the slices that hold any.
        combines += min(rolled, _PER_SLICE * (load.slices + load.results))
        results += load.results
        slices += load.slices
    return combines, results, slices


def _workload(facts: Facts, grid: Aligned) -> Workload:
    """Rows at an even pace, as many as there are."""
    return Workload(
        rows=facts.rows,
        spacing=max(facts.span_us * _PER_US // facts.rows, 1),
        size=grid.size_us * _PER_US,
        every=grid.every_us * _PER_US,
        offset=grid.offset_us * _PER_US,
        start=facts.first_us * _PER_US,
        keys=facts.keys,
        hottest=facts.hottest,
        travel=Travel.ROWS,
    )
