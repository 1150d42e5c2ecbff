"""The independent questions that a physical plan answers, and what users may ask for."""

from enum import Enum

__all__ = ["Assembly", "Sample", "Slicing", "State", "Strategy"]


class Strategy(Enum):
    """How a query is run; every strategy gives the same results.

    >>> [strategy.value for strategy in Strategy]
    ['native', 'panes', 'kernel', 'stateful']
    """

    NATIVE = "native"
    """Spark's own aggregation, row by row into windows."""

    PANES = "panes"
    """Rows are aggregated once into slices, and windows are assembled from slices."""

    KERNEL = "kernel"
    """A batch: an engine takes rows in order, or slices of them, through compiled kernels."""

    STATEFUL = "stateful"
    """A stream: the same engine on Spark's transformWithState."""


class Slicing(Enum):
    """Who folds rows into slices before windows are assembled."""

    NOBODY = "nobody"
    """Rows travel as they are."""

    SPARK = "spark"
    """Spark aggregates rows into slices, in the JVM."""

    WORKERS = "workers"
    """Python workers fold rows where they are read; partial states travel."""

    TREE = "tree"
    """Nodes near the devices have folded rows, before Spark saw any of them."""


class Assembly(Enum):
    """Who assembles windows from rows or slices."""

    SPARK = "spark"
    """Spark groups by window; slices are copied into each of their windows first."""

    ENGINE = "engine"
    """An engine in Python workers runs once over rows or slices in order."""


class State(Enum):
    """What a stream keeps between micro-batches."""

    NONE = "none"
    WINDOWS = "windows"  # a state for each key and open window
    SLICES = "slices"  # of open windows
    ROWS = "rows"  # of open windows
    PAGES = "pages"  # of rows, and of what they fold to
    BUCKETS = "buckets"  # of rows that are known together only


class Sample(Enum):
    """When to sample the rows of a batch, to find keys that should be split."""

    AUTO = "auto"
    """If rows are simply read, there are many of them, and sampling does not take long."""

    ALWAYS = "always"
    """Always, even if the rows must be computed first and however long it takes."""

    NEVER = "never"
    """Not at all: every key is worked on by one task."""
