"""What flows from layer to layer: a bound on bad moments, and what to expect of a whole period."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from fractions import Fraction
from math import ceil, erfc, exp, expm1, pi, sqrt

from windrow.topology.arrivals import GRACE, Arrivals
from windrow.topology.csa import exact, passed_on, passed_on_for_long
from windrow.topology.model import Emission, Reduction, Sources, total_items

__all__ = ["Flow", "Mixing", "handed_on", "sent"]

# Of two periods that mix while clocks of deviation s change, every p (1 - p)th pair of items
# differs: the integral of 2 p (1 - p) over the time, with p = Phi(t / s), is s times this.
_MIXED = 2 / sqrt(pi)

# Of clocks of deviation 1: the share of those that are behind by more than nodes wait, and by how
# much they are on average, of all clocks.
_BEHIND = erfc(GRACE / sqrt(2)) / 2
_BEHIND_BY = exp(-(GRACE**2) / 2) / sqrt(2 * pi) - GRACE * _BEHIND


class Mixing(Enum):
    """For how long items of two periods come at the same time."""

    BRIEF = auto()  # as is published
    LONG = auto()  # as long as it takes for every layer to hand on all that it can


@dataclass(frozen=True)
class Flow:
    """Items that reach a layer in a second, at most on average: of all keys, and of the largest."""

    items: Fraction
    hottest: Fraction
    bytes: Fraction
    usual: float  # items, over a whole period
    burst: float  # the rate of the busiest seconds over the mean
    largest_bytes: float  # of one item
    heavier: float = 1.0  # bytes of the busiest seconds over what their items suggest
    late: float = 0.0  # items that come when their pane was handed on by the clock, of each pane

    @property
    def item_bytes(self) -> Fraction:
        """Of one item."""
        return self.bytes / self.items


def sent(sources: Sequence[Sources], reduction: Reduction, arrivals: Arrivals) -> Flow:
    """What all sources send."""
    items = sum((one.count * exact(one.rate) for one in sources), Fraction(0))
    size = sum(
        (one.count * exact(one.rate) * exact(one.item_bytes) for one in sources), Fraction(0)
    )
    share = Fraction(1) if reduction.keys == 1 else exact(reduction.hottest_share)
    largest = max(one.most_bytes for one in sources)
    burst, byte_burst = _in_a_busy_second(sources, arrivals)
    skew_s, usual = arrivals.skew_s, float(items)
    late = usual * min(skew_s * _BEHIND_BY, reduction.pane_s * _BEHIND)
    return Flow(items, items * share, size, usual, burst, largest, byte_burst / burst, late)


def _in_a_busy_second(sources: Sequence[Sources], arrivals: Arrivals) -> tuple[float, float]:
    """How many times as many items and bytes as in an average one, if all classes are busy then."""
    busy_items = busy_bytes = bytes_ = 0.0
    for one, busy in zip(sources, arrivals.of_classes(sources), strict=True):
        busy_items += one.items * busy.items
        busy_bytes += one.items * one.item_bytes * busy.bytes
        bytes_ += one.items * one.item_bytes
    burst = busy_items / total_items(sources)
    return burst, max(burst, busy_bytes / bytes_) if bytes_ else burst


def handed_on(
    flow: Flow, widths: Sequence[int], reduction: Reduction, skew_s: float, mixing: Mixing
) -> Flow:
    """What a layer makes of what it takes; widths are those of all layers down to it."""
    width = widths[-1]
    seen = _different(flow.usual * reduction.pane_s / width, reduction.keys)
    late = 0.0
    if reduction.emission is Emission.AT_CLOSE:
        panes = 1 + ceil(GRACE * skew_s / reduction.pane_s)  # that late items are of
        late, late_busy, late_hot = (
            width * _different(items / width, keys * panes)
            for items, keys in (
                (flow.late, reduction.keys),
                (flow.late * flow.burst, reduction.keys),
                (flow.late * float(flow.hottest / flow.items), 1),
            )
        )
        piled = exact(reduction.pane_s) / exact(reduction.spreading_s)  # all of a pane leaves then
        items = min(flow.items * piled, Fraction((width * seen + late) / reduction.spreading_s))
        hottest = Fraction((width + late_hot) / reduction.spreading_s)
        hottest = min(flow.hottest * piled, hottest, items)
        usual = min(flow.usual, (width * seen + late) / reduction.pane_s)
        # A busy period has more keys, where there are more than items.
        busy = _different(flow.usual * flow.burst * reduction.pane_s / width, reduction.keys)
        burst = max((width * busy + late_busy) / (width * seen + late), 1.0)
    else:
        items, hottest = _on_change(flow, widths, reduction.keys, mixing)
        mixed = _MIXED * skew_s * float(flow.items)
        usual = min(float(items), (width * seen + mixed) / reduction.pane_s)
        burst = flow.burst
    state_bytes = reduction.state_bytes or 0.0
    size = items * exact(state_bytes)
    return Flow(items, hottest, size, usual, burst, state_bytes, late=late)


def _on_change(
    flow: Flow, widths: Sequence[int], keys: int, mixing: Mixing
) -> tuple[Fraction, Fraction]:
    """A key of which c items come in a second is handed on at most (c + 1) / 2 times in it.

    The first may always meet a period before its own, each further one every second time.  That
    one key alone has so many items that the first is of no account is what is published.
    """
    if keys == 1:
        if mixing is Mixing.BRIEF:
            items = flow.items * passed_on(widths)
            return items, items
        busy = float(flow.items) * flow.burst / widths[-1]
        items = flow.items * passed_on_for_long(widths) * Fraction(1 - expm1(-busy) / busy)
        return items, items
    here, hot = (float(items) / widths[-1] for items in (flow.items, flow.hottest))
    items = flow.items * Fraction((1 + _different(here, keys) / here) / 2)
    return items, flow.hottest * Fraction((1 - expm1(-hot) / hot) / 2)


def _different(items: float, keys: int) -> float:
    """How many keys this many items have: most if all keys are equal."""
    return -keys * expm1(-items / keys)
