"""What there is to know about a query before it runs: enough to choose, and free of any engine."""

from dataclasses import dataclass
from functools import cached_property

from windrow.approximate.method import Method
from windrow.plan.answers import Strategy
from windrow.windows import Aligned, Emit, Order, Window

__all__ = ["Described", "Description"]


@dataclass(frozen=True)
class Described:
    """One aggregate of a query."""

    name: str
    text: str  # as the user wrote it: max('temp')
    builtin: bool  # Spark computes the very same itself
    merges: bool  # partials of it can be merged, by Spark or as values in Python
    states: bool  # Spark can compute the states that our kernels keep
    commutative: bool
    compiled: bool  # its states are numbers, and its loops compiled
    methods: tuple[Method, ...] = ()  # which of its rows share buckets, if any do
    has_bounds: bool = False  # of itself, being a sketch that is kept whole


@dataclass(frozen=True)
class Description:
    """A query, described."""

    windows: tuple[tuple[str, Window], ...]
    aggregates: tuple[Described, ...]
    streaming: bool
    emit: Emit = Emit.ON_CLOSE
    order: Order = Order.TIME
    keys: tuple[str, ...] = ()
    lateness_ms: int | None = None
    forced: Strategy | None = None
    measured: bool = False  # Spark measures what it hands to Python, row by row
    intervals: bool = False  # results are intervals
    splits: bool = False  # rows of a hot key may be worked on by several tasks, in blocks of time
    unsampled: str | None = None  # why no row is looked at to find such keys

    @property
    def window(self) -> Window:
        """The first window, which tells the kind of all."""
        return self.windows[0][1]

    @property
    def sampled(self) -> bool:
        """Whether rows are looked at to find hot keys; else no key is split."""
        return self.splits and self.unsampled is None

    @cached_property
    def aligned(self) -> tuple[Aligned, ...]:
        """The windows, if they lie on a grid of event time; else none."""
        grids = (window.grid for _, window in self.windows)
        return tuple(grid for grid in grids if grid is not None)

    @property
    def gaps(self) -> bool:
        """Whether some rows are in no window."""
        return any(window.every_us > window.size_us for window in self.aligned)

    @property
    def splits_milliseconds(self) -> bool:
        """Whether some window begins or ends within a millisecond."""
        return any(
            time_us % 1000
            for window in self.aligned
            for time_us in (window.size_us, window.every_us, window.offset_us)
        )

    @property
    def overlap(self) -> int:
        """In how many windows a row is at most; 0 if they lie on no grid."""
        return sum(-(-window.size_us // window.every_us) for window in self.aligned)

    @property
    def session(self) -> bool:
        """Whether silence bounds the windows."""
        return self.window.silence_us is not None

    @property
    def folds(self) -> bool:
        """Whether rows can be folded into slices where they are read, in any order."""
        return bool(self.aligned) and all(part.commutative for part in self.aggregates)

    @property
    def in_buckets(self) -> bool:
        """Whether windows keep buckets of rows."""
        return any(part.methods for part in self.aggregates)

    @property
    def waits(self) -> bool:
        """Whether rows of a stream wait for their turn in time."""
        return self.streaming and self.order is Order.TIME and not self.folds
