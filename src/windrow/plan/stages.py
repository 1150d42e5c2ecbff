"""The stages of a physical plan: what each does, where it runs, and which operators Spark shows.

A stage is a value without Spark in it; `windrow.spark.stages` builds it.
"""

from dataclasses import dataclass
from typing import ClassVar

from windrow.parallel.owners import Owners

__all__ = [
    "AggregateWindows",
    "DealBlocks",
    "Exchange",
    "ExpandSlices",
    "FoldBlocks",
    "FoldRows",
    "LowerWindows",
    "MergeSlices",
    "PackBlocks",
    "PackRows",
    "PackSlices",
    "PackValues",
    "ReadTree",
    "RelayStates",
    "RunEngine",
    "RunStatefulEngine",
    "SampleRows",
    "SliceRows",
    "SortMicroBatch",
    "SortResults",
    "SpreadRows",
    "SpreadSlices",
    "Stage",
]


@dataclass(frozen=True)
class Stage:
    """One step of a plan."""

    work: str  # what it does, in words
    shuffled: str | None = None  # what travels between tasks, if anything does
    seconds: float | None = None  # predicted cost, if known

    runs_in: ClassVar[str] = "Spark"

    @property
    def operators(self) -> tuple[str, ...]:
        """What Spark's own plan shows for it."""
        return ()

    def explain(self) -> str:
        """The stage in one sentence."""
        shown = f" ({', '.join(self.operators)})" if self.operators else ""
        moved = f"; shuffled: {self.shuffled}" if self.shuffled else ""
        cost = "" if self.seconds is None else f"; about {self.seconds:.1f} s"
        return f"{self.runs_in}{shown}: {self.work}{moved}{cost}"


@dataclass(frozen=True)
class SampleRows(Stage):
    """Sample rows to find hot keys, in a separate job while the query is built."""

    runs_in = "A job before the query"


@dataclass(frozen=True)
class AggregateWindows(Stage):
    """Spark's own aggregation: one group for each window and key."""

    copies: tuple[bool, ...] = (False,)  # of each definition, whether a row is in several windows

    @property
    def operators(self) -> tuple[str, ...]:
        """Spark runs one aggregation after the other, and copies rows into windows before it."""
        one = ("Aggregate", "Exchange", "Aggregate")
        return tuple(name for c in self.copies for name in (("Expand", *one) if c else one))


@dataclass(frozen=True)
class SliceRows(Stage):
    """Spark aggregates rows into slices: one group for each slice and key."""

    operators = ("Aggregate", "Exchange", "Aggregate")


@dataclass(frozen=True)
class ExpandSlices(Stage):
    """Spark copies each slice into its windows, and aggregates again."""

    operators = ("Generate", "Aggregate", "Exchange", "Aggregate")


@dataclass(frozen=True)
class _InPython(Stage):
    runs_in: ClassVar[str] = "Python workers"
    operators = ("MapInArrow",)


@dataclass(frozen=True)
class PackRows(_InPython):
    """Rows as packs, key group by key group."""


@dataclass(frozen=True)
class FoldRows(_InPython):
    """Rows folded into slices where they are read, and these as packs."""


@dataclass(frozen=True)
class ReadTree(_InPython):
    """States that nodes of a tree have folded and merged, out of their frames, as packs."""


@dataclass(frozen=True)
class PackBlocks(_InPython):
    """Rows of hot keys as packs by blocks of time that share nothing, all others by key group."""


@dataclass(frozen=True)
class DealBlocks(_InPython):
    """Each block in the order of time, as packs for itself and for the blocks that need of it."""


@dataclass(frozen=True)
class FoldBlocks(_InPython):
    """Each block folded in the order of time; what may be part of a longer window, as packs."""


@dataclass(frozen=True)
class SpreadRows(_InPython):
    """Rows copied to the units that own windows they are in, as packs."""

    owners: Owners | None = None


@dataclass(frozen=True)
class SpreadSlices(_InPython):
    """Rows folded into slices, and these copied to the units that own their windows, as packs."""

    owners: Owners | None = None


@dataclass(frozen=True)
class MergeSlices(_InPython):
    """Whole slices made of what came to their owners, and sent to the owners of their windows."""

    owners: Owners | None = None


@dataclass(frozen=True)
class PackSlices(_InPython):
    """Slices that Spark made, in the same columns that the engine keeps, as packs."""


@dataclass(frozen=True)
class PackValues(_InPython):
    """Slices that Spark made, as values that the engine merges like any other, as packs."""


@dataclass(frozen=True)
class Exchange(Stage):
    """Packs to the tasks of their key groups, in the order of time."""

    operators = ("Exchange", "Sort")


@dataclass(frozen=True)
class RunEngine(_InPython):
    """An engine over all packs of a key group, or of a unit that owns some windows."""

    owners: Owners | None = None


@dataclass(frozen=True)
class RelayStates(Stage):
    """A layer of nodes of a topology: each merges what reaches it, and hands on states."""

    runs_in = "Python workers"
    operators = ("Exchange", "MapInArrow")


@dataclass(frozen=True)
class LowerWindows(Stage):
    """Spark makes results of merged values."""


@dataclass(frozen=True)
class SortResults(Stage):
    """Spark sorts the results of a batch, or where tasks have a slot of time each, their own."""

    in_slots: bool = False

    @property
    def operators(self) -> tuple[str, ...]:
        """Slots follow one another, so nothing has to move."""
        return ("Sort",) if self.in_slots else ("Exchange", "Sort")


@dataclass(frozen=True)
class SortMicroBatch(Stage):
    """One task sorts the results of a micro-batch."""

    runs_in = "Python workers"
    operators = ("Exchange", "MapInArrow")


@dataclass(frozen=True)
class RunStatefulEngine(Stage):
    """An engine over the packs of a micro-batch, with its state in Spark's state store."""

    runs_in = "Python workers"
    operators = ("Exchange", "Sort", "TransformWithState")
    owners: Owners | None = None
