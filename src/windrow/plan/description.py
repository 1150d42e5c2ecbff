"""What the planner knows about a query before it runs; independent of any engine."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from windrow.approximate.method import Method as BucketMethod
from windrow.arguments import shown, whole
from windrow.errors import InputError
from windrow.parallel.methods import Method
from windrow.plan.answers import Strategy
from windrow.plan.facts import Facts
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
    methods: tuple[BucketMethod, ...] = ()  # which of its rows share buckets, if any do
    has_bounds: bool = False  # of itself, being a sketch that is kept whole
    kind: str = ""  # the name of its monoid, by which its price is known

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise _wrong("name", self.name, "the name of a result")
        if not isinstance(self.text, str):
            raise _wrong("text", self.text, "the aggregate as it was written")
        if not isinstance(self.methods, tuple):
            raise _wrong("methods", self.methods, "a tuple of methods")


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
    parallel: Method = Method.AUTO  # who owns windows, as the user says
    units: int | None = None  # over how many units, as the user says
    tasks: int = 1  # that can run at once
    cuttable: bool = False  # rows of one key can be cut by time, and worked on by several tasks
    splits: bool = False  # those of hot keys are, or of all keys where the user says so
    ordered: bool = False  # results come in a total order
    unsampled: str | None = None  # why no row is looked at to find such keys
    facts: Facts | None = None  # what is known of rows, once they were looked at
    in_slots: bool = False  # all rows are cut by time, a slot to each task, for results in order
    from_tree: str | None = None  # why nodes of a tree sent what they did, if it comes from any
    folded: bool = False  # they sent states, and no rows

    def __post_init__(self) -> None:
        if not _pairs(self.windows, Window):
            raise _wrong("windows", self.windows, "a tuple of pairs, each a name and a window")
        if not _all(self.aggregates, Described):
            raise _wrong("aggregates", self.aggregates, "a tuple of aggregates, each Described")
        if not _all(self.keys, str):
            raise _wrong("keys", self.keys, "a tuple of the names of columns")
        if not isinstance(self.emit, Emit):
            raise _wrong("emit", self.emit, "an Emit")
        if not isinstance(self.order, Order):
            raise _wrong("order", self.order, "an Order")
        if self.forced is not None and not isinstance(self.forced, Strategy):
            raise _wrong("forced", self.forced, "a Strategy, or None")
        if self.lateness_ms is not None and whole(self.lateness_ms) is None:
            raise _wrong("lateness_ms", self.lateness_ms, "whole milliseconds, or None")
        if self.facts is not None and not isinstance(self.facts, Facts):
            raise _wrong("facts", self.facts, "Facts, or None")
        if self.from_tree is not None and not isinstance(self.from_tree, str):
            raise _wrong("from_tree", self.from_tree, "a reason, or None")
        if self.unsampled is not None and not isinstance(self.unsampled, str):
            raise _wrong("unsampled", self.unsampled, "a reason, or None")

    @property
    def unit_count(self) -> int:
        """Over how many units windows are spread."""
        return self.tasks if self.units is None else self.units

    @property
    def window(self) -> Window:
        """The first window; all are of the same kind."""
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
        """Whether rows can be folded into slices or partial sessions where they are read.

        Partial sessions of a stream would hide which of their rows are late, unless nodes of a
        tree have found that out.
        """
        if self.folded:
            return True
        sessions = self.session and not self.streaming and self.order is Order.TIME
        foldable = bool(self.aligned) or sessions
        return foldable and all(part.commutative for part in self.aggregates)

    @property
    def in_buckets(self) -> bool:
        """Whether windows keep buckets of rows."""
        return any(part.methods for part in self.aggregates)

    @property
    def waits(self) -> bool:
        """Whether rows of a stream wait to be applied in the order of time."""
        return self.streaming and self.order is Order.TIME and not self.folds


def _all(values: object, kind: type[Any]) -> bool:
    return isinstance(values, tuple) and all(isinstance(value, kind) for value in values)


def _pairs(values: object, kind: type[Any]) -> bool:
    return (
        isinstance(values, tuple)
        and bool(values)
        and all(isinstance(pair, tuple) and len(pair) == 2 for pair in values)
        and all(isinstance(name, str) and isinstance(value, kind) for name, value in values)
    )


def _wrong(argument: str, value: object, wanted: str) -> InputError:
    return InputError(f"{argument}={shown(value)} describes no query; give {wanted}")
