"""The report of a simulation: of every layer, of every period, and of the latency of results."""

from dataclasses import dataclass

__all__ = ["LayerReport", "Percentiles", "PeriodReport", "Simulation"]


@dataclass(frozen=True)
class Percentiles:
    """Percentiles of durations in seconds, accurate to 2 percent; `max` is exact.

    >>> Percentiles(p50=0.2, p90=0.5, p99=2.0, max=60.0).p99
    2.0
    """

    p50: float
    p90: float
    p99: float
    max: float


@dataclass(frozen=True)
class LayerReport:
    """What a layer was offered, and what became of it.

    In the first layer tuples are items, in all others states that stand for many.  At the end
    `offered == accepted + dropped + waiting`.  `delayed` tuples were refused at least once and sent
    again; `waiting` ones still have to be.  `lost` counts the items that dropped tuples stood for.
    The peaks are of a single node in any second: its use of the limit that is nearest, the tuples
    offered and the states held; `peak_waiting` is of all nodes together.

    >>> LayerReport(1, 10, 9, 1, 0, 0, 1, 1.0, 0.5, 10, 1, 0, delay=None).dropped
    1
    """

    width: int
    offered: int  # tuples, each once
    accepted: int
    dropped: int
    delayed: int  # refused at least once, and sent again
    waiting: int  # still to be sent again at the end
    lost: int  # the sources' items that dropped tuples stood for
    peak_utilisation: float  # of the limit that is nearest, at any node in any second
    mean_utilisation: float  # over all nodes and all calendar seconds that had any of the time
    peak_offered: int  # tuples sent to one node within a second, again or for the first time
    peak_held: int  # states that one node held at once
    peak_waiting: int  # tuples that waited to be sent again at once, to all nodes together
    delay: Percentiles | None  # of delayed tuples; those still waiting count as if accepted now


@dataclass(frozen=True)
class PeriodReport:
    """The items of one period: those expected either arrived, or were lost in some layer.

    >>> PeriodReport(0, 0.0, expected=100, arrived=93, drained=0, lost=(7, 0), latency_s=60.0).error
    0.07
    """

    number: int
    start_s: float
    expected: int
    arrived: int
    drained: int  # of those that arrived: still on their way when the time was up
    lost: tuple[int, ...]  # by layer
    latency_s: float | None  # from its end to the last arrival; None: nothing arrived in time

    @property
    def error(self) -> float:
        """The share of its items that is missing from its result."""
        return sum(self.lost) / self.expected


@dataclass(frozen=True)
class Simulation:
    """What a simulation found.

    All periods count, including those that the beginning or the end cuts off: what nodes still hold
    at the end, and what waits to be sent again, is added to the results, so only dropped tuples are
    missing.  `latency` covers the items that arrived in time, from the true end of their period
    until the sink sends on the result.

    >>> Simulation(0, 60.0, 60.0, layers=(), periods=(), latency=None).lossless
    True
    """

    seed: int
    duration_s: float
    period_s: float
    layers: tuple[LayerReport, ...]
    periods: tuple[PeriodReport, ...]
    latency: Percentiles | None  # each item counts; None: nothing arrived in time

    @property
    def sent(self) -> int:
        """How many items all sources sent."""
        return sum(period.expected for period in self.periods)

    @property
    def lost(self) -> int:
        """How many items are missing from the results."""
        return sum(layer.lost for layer in self.layers)

    @property
    def lossless(self) -> bool:
        """Whether every result is complete."""
        return self.lost == 0

    @property
    def error(self) -> float:
        """The share of all items that is missing from the results."""
        return self.lost / self.sent if self.sent else 0.0

    @property
    def worst(self) -> PeriodReport | None:
        """The period whose result lacks the largest share."""
        return max(self.periods, key=lambda period: period.error, default=None)
