"""Predicted seconds of every method, and the choice among them.

seconds = stages · c₀ + the most that falls on one task of
          read · cᵢ + sent and received · cₛ + lifts · cₗ + combines · c꜀ + results · cᵣ
"""

from dataclasses import dataclass, replace

from windrow.parallel.counts import Counts, Load
from windrow.parallel.methods import Method
from windrow.plan.constants import Constants, Price
from windrow.plan.description import Description
from windrow.plan.estimate import Comparison, Estimate
from windrow.plan.facts import Facts
from windrow.plan.ownership import obstacle_of, why_one_task
from windrow.plan.work import stage_count, work_of
from windrow.windows import describe

__all__ = ["compared", "predicted"]

# A method that is predicted to be this much faster than what runs without a prediction is chosen.
_WORTH = 0.95

# Those that copy rows to several units take up to three times as long as predicted, as their tasks
# are in each other's way: they are shown, and only chosen where the user asks for them.
_CHOSEN_FROM = (Method.KEYS, Method.TIME, Method.PANES)

_NO_CUTS = "no key gains by cuts in time: it has too few rows, or windows are too wide"

_METHODS = tuple(method for method in Method if method is not Method.AUTO)


@dataclass(frozen=True)
class _Part:
    """One kind of work of the busiest task."""

    words: str
    count: float
    each: float  # seconds

    @property
    def seconds(self) -> float:
        return self.count * self.each


def compared(query: Description, constants: Constants) -> Comparison | None:
    """All methods, and the one that should run; None where nothing is known of rows."""
    facts = query.facts
    if facts is None:
        return None
    estimates = [_estimate(query, facts, method, constants) for method in _METHODS]
    usual = Method.TIME if facts.cuts else Method.KEYS
    free = query.parallel is Method.AUTO and not query.in_slots
    chosen = _chosen(estimates, usual) if free else _settled(query)
    winner = next(one for one in estimates if one.method is chosen)
    explained = tuple(_explained(one, winner, query, constants) for one in estimates)
    return Comparison(_known(query, facts, constants), explained, chosen)


def predicted(
    query: Description, facts: Facts, method: Method, constants: Constants
) -> tuple[Counts, float]:
    """What a method has to do, and in how many seconds."""
    work = work_of(query, facts, method)
    parts = _parts(work.total, work.busiest, query, constants)
    read = facts.rows / query.unit_count * constants.read
    stages = stage_count(query, method) * constants.stage
    return work, stages + read + sum(part.seconds for part in parts)


def _estimate(query: Description, facts: Facts, method: Method, constants: Constants) -> Estimate:
    why_not = _why_not(query, facts, method)
    if why_not is not None:
        return Estimate(method, f"cannot run: {why_not}")
    work, seconds = predicted(query, facts, method, constants)
    return Estimate(
        method,
        stages=stage_count(query, method),
        total=work.total,
        busiest=work.busiest,
        seconds=seconds,
    )


def _why_not(query: Description, facts: Facts, method: Method) -> str | None:
    """Why a method has nothing to offer here."""
    if method is Method.KEYS:
        return None
    if method is not Method.TIME:
        return obstacle_of(query, method)
    return why_one_task(query) or (None if facts.cuts else _NO_CUTS)


def _chosen(estimates: list[Estimate], usual: Method) -> Method:
    """The fastest, if it is clearly faster than what is usual."""
    seconds = {
        one.method: one.seconds
        for one in estimates
        if one.seconds is not None and one.method in _CHOSEN_FROM
    }
    fastest = min(seconds, key=lambda method: seconds[method])
    return fastest if seconds[fastest] < _WORTH * seconds[usual] else usual


def _settled(query: Description) -> Method:
    """The method that was asked for, or that puts results in order."""
    return Method.TIME if query.in_slots else query.parallel


def _price(query: Description, constants: Constants) -> Price:
    """What all aggregates of a query cost together."""
    prices = [constants.price(part.kind, compiled=part.compiled) for part in query.aggregates]
    return Price(sum(price.lift for price in prices), sum(price.combine for price in prices))


def _parts(
    total: Load, busiest: Load, query: Description, constants: Constants
) -> tuple[_Part, ...]:
    """What the busiest task does, with how much of it there is and how many seconds it takes.

    Packing what is sent is shared by all tasks, however much of it goes to one.
    """
    price = _price(query, constants)
    moved = total.copies / query.unit_count + busiest.copies
    return (
        _Part("sends and is sent {:,.0f} rows and states", moved, constants.sent),
        _Part("folds {:,.0f} rows", busiest.lifts, price.lift),
        _Part("combines {:,.0f} times", busiest.combines, price.combine),
        _Part("gives {:,.0f} results", busiest.results, constants.result),
    )


def _explained(
    one: Estimate, winner: Estimate, query: Description, constants: Constants
) -> Estimate:
    """With the reason why it is slower than the one that runs: where most of the time is lost."""
    if one.seconds is None or winner.seconds is None or one.method is winner.method:
        return one
    times = f"predicted to take {one.seconds / max(winner.seconds, 1e-9):.2f} × as long"
    if one.seconds <= winner.seconds:
        asked = "" if one.method in _CHOSEN_FROM else ", but runs only if asked for"
        return replace(one, why=f"{times}{asked}")
    pairs = zip(
        _parts(one.total, one.busiest, query, constants),
        _parts(winner.total, winner.busiest, query, constants),
        strict=True,
    )
    own, other = max(pairs, key=lambda pair: pair[0].seconds - pair[1].seconds)
    if (one.stages - winner.stages) * constants.stage >= own.seconds - other.seconds:
        return replace(one, why=f"{times}: one more shuffle")
    did = own.words.format(own.count)
    return replace(one, why=f"{times}: its busiest task {did}, not {other.count:,.0f}")


def _known(query: Description, facts: Facts, constants: Constants) -> str:
    """What the prediction rests on, in words."""
    keys = f"{facts.keys:,} {'key' if facts.keys == 1 else 'keys'}"
    slices = ""
    if query.aligned:
        # A slice is no longer than a window, and has no more rows than there are.
        slice_us = min(min(window.every_us, window.size_us) for window in query.aligned)
        rows = facts.rows_per(min(slice_us, facts.span_us))
        slices = f", {rows:,.1f} for each key and slice"
    return (
        f"{facts.rows:,} rows of {keys} in {_roughly(facts.span_us)}, by a sample{slices}; the "
        f"largest key has {facts.hottest:.0%}; {query.unit_count} tasks; constants "
        f"{constants.source}"
    )


def _roughly(us: int) -> str:
    """A stretch of time, to the second where it is long."""
    return describe(round(us, -6) if us >= 10_000_000 else us)
