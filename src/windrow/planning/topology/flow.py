"""What flows from layer to layer: a bound on bad moments, and what to expect of a whole period."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from fractions import Fraction
from math import expm1, pi, sqrt

from windrow.planning.topology.arrivals import Arrivals
from windrow.planning.topology.csa import exact, passed_on, passed_on_for_long
from windrow.planning.topology.model import Emission, Reduction, Sources

__all__ = ["Flow", "Mixing", "handed_on", "sent"]

# Of two periods that mix while clocks of deviation s change, every p (1 - p)th pair of items
# differs: the integral of 2 p (1 - p) over the time, with p = Phi(t / s), is s times this.
_MIXED = 2 / sqrt(pi)


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
    burst: float  # in the busiest seconds so many times as many
    largest_bytes: float  # of one item
    heavier: float = 1.0  # so many times as many bytes as items tell are in the busiest seconds

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
    bursts = arrivals.of_classes(len(sources))
    heavier = max(byte_burst / burst for burst, byte_burst in bursts)
    return Flow(items, items * share, size, float(items), arrivals.burst, largest, heavier)


def handed_on(
    flow: Flow, widths: Sequence[int], reduction: Reduction, skew_s: float, mixing: Mixing
) -> Flow:
    """What a layer makes of what it takes; widths are those of all layers down to it."""
    width = widths[-1]
    seen = _different(flow.usual * reduction.pane_s / width, reduction.keys)
    if reduction.emission is Emission.AT_CLOSE:
        piled = exact(reduction.pane_s) / exact(reduction.spreading_s)  # all of a pane leaves then
        items = min(flow.items * piled, Fraction(width * seen / reduction.spreading_s))
        hottest = min(flow.hottest * piled, Fraction(width / reduction.spreading_s))
        usual = min(flow.usual, width * seen / reduction.pane_s)
        # A busy period has more keys, where there are more than items.
        busy = _different(flow.usual * flow.burst * reduction.pane_s / width, reduction.keys)
        burst = max(busy / seen, 1.0)
    else:
        items, hottest = _on_change(flow, widths, reduction.keys, mixing)
        mixed = _MIXED * skew_s * float(flow.items)
        usual = min(float(items), (width * seen + mixed) / reduction.pane_s)
        burst = flow.burst
    state_bytes = reduction.state_bytes or 0.0
    return Flow(items, hottest, items * exact(state_bytes), usual, burst, state_bytes)


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
    """How many keys are among so many items: most if all keys are alike."""
    return -keys * expm1(-items / keys)
