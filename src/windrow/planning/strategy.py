"""The ways to run a query."""

from enum import Enum

__all__ = ["Assembly", "Strategy"]


class Strategy(Enum):
    """How the rows of a query become windows; all give the same results."""

    NATIVE = "native"
    """Spark's own aggregation, row by row into windows."""

    PANES = "panes"
    """Rows are aggregated once into slices, and windows are assembled from slices."""

    KERNEL = "kernel"
    """A batch: rows in order, in one pass through compiled kernels."""

    STATEFUL = "stateful"
    """A stream: the same kernels on Spark's transformWithState."""


class Assembly(Enum):
    """How panes become windows."""

    EXPAND = "expand"
    """Spark copies each slice into its windows and aggregates again: cheap while they are few."""

    ROLL = "roll"
    """Compiled kernels roll over the slices, whose states Spark has computed."""

    MERGE = "merge"
    """Python rolls over slices that Spark has computed, as values like any other."""

    FOLD = "fold"
    """Python folds rows into slices where they are read; partial states travel, not rows."""
