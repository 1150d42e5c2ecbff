"""A job: where rows come from, what is asked of them, and where results go."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from windrow.algebra.aggregate import Aggregate
from windrow.jobs.edge import Edge
from windrow.jobs.problems import Place
from windrow.windows import Window

__all__ = ["AVAILABLE_NOW", "TREE", "Job", "Read", "Sink", "Source"]

AVAILABLE_NOW = "available_now"
TREE = "tree"  # the source that nodes near the devices are, as their landing keeps what they send


@dataclass(frozen=True)
class Source:
    """What Spark reads: all of it at once, or as a stream."""

    format: str
    path: str | None
    schema: str | None
    options: Mapping[str, str]
    stream: bool

    @property
    def is_tree(self) -> bool:
        """Whether nodes derive columns and filter rows before Spark sees what they make of them."""
        return self.format == TREE


@dataclass(frozen=True)
class Sink:
    """What Spark writes: `mode` is for batches, `trigger` for streams."""

    format: str
    path: str | None
    mode: str
    name: str
    options: Mapping[str, str]
    trigger: str | None

    @property
    def where(self) -> str:
        """How the summary calls it."""
        if self.format == "memory":
            return f"the table {self.name}"
        return f"{self.path} ({self.format})" if self.path else self.format


@dataclass(frozen=True)
class Read:
    """A column that the job reads, and where the file says so."""

    column: str
    place: Place
    by: str


@dataclass(frozen=True)
class Job:
    """A job file, read and checked as far as that is possible without the data."""

    path: Path
    source: Source
    time: str
    sink: Sink
    choices: Mapping[str, str]  # emit, order, strategy: those that were given
    reads: tuple[Read, ...]
    places: Mapping[str, Place]
    windows: tuple[tuple[str | None, Window], ...] = ()
    aggregates: Mapping[str, Aggregate[Any]] = field(default_factory=dict)
    by: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    lateness: str | None = None
    forget_after: str | None = None
    where: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    approximate: Mapping[str, Any] | None = None  # as `Query.approximate` takes it
    parallel: Mapping[str, Any] | None = None  # as `Query.parallel` takes it
    ordered: bool = False
    edge: Edge = field(default_factory=Edge)
    checkpoint: str | None = None
    spark: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What Spark calls the query."""
        return self.path.stem

    def place_of(self, key: str) -> Place:
        """Where an entry stands, or the file if it does not."""
        return self.places.get(key, Place(str(self.path)))
