"""What was seen of rows is seen once in a session, where Spark holds these rows fixed.

Fixed are rows that are cached, and those of files that Spark has listed, with all that is computed
from them.  They are told apart by the objects that hold them, to which only weak references are
kept: who drops a cached DataFrame frees its memory.
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame

__all__ = ["Source", "source_of"]

# Samples have some 30,000 rows of three numbers.
_MOST = 16

_FILES, _LISTED = "HadoopFsRelation", "InMemoryFileIndex"


@dataclass(frozen=True)
class Source:
    """Where rows come from: a plan of Spark's, and the objects that hold what it reads."""

    plan: Hashable
    holders: tuple[Any, ...]
    jvm: Any

    def earlier(self, what: Hashable) -> pa.Table | None:
        """What was seen of the same rows, if it was."""
        seen, held = _seen.get((self.plan, what), (None, ()))
        if len(held) != len(self.holders):
            return None
        pairs = zip(held, self.holders, strict=True)
        return seen if all(weak.refersTo(holder) for weak, holder in pairs) else None

    def keep(self, what: Hashable, seen: pa.Table) -> None:
        """See it in later queries, too."""
        weak = self.jvm.java.lang.ref.WeakReference
        _seen[self.plan, what] = seen, tuple(weak(holder) for holder in self.holders)
        _seen.move_to_end((self.plan, what))
        if len(_seen) > _MOST:
            _seen.popitem(last=False)


_seen: OrderedDict[Hashable, tuple[pa.Table, tuple[Any, ...]]] = OrderedDict()


def source_of(rows: DataFrame) -> Source | None:
    """Where rows come from; None if they may differ the next time they are read."""
    java = getattr(rows, "_jdf", None)
    if java is None:  # Spark Connect does not show its plans
        return None
    plan = java.queryExecution().optimizedPlan()
    holders = tuple(map(_holder, _leaves(plan)))
    if None in holders or not plan.deterministic():
        return None
    same = plan.canonicalized()
    size = str(plan.stats().sizeInBytes())  # another one, if Spark has listed files anew
    spark: Any = rows.sparkSession
    told_apart = same.toString(), same.hashCode(), size, spark.sparkContext.applicationId
    return Source(told_apart, holders, spark._jvm)


def _holder(leaf: Any) -> Any:
    """The object that holds the rows of a leaf; None if they are not fixed."""
    kind = leaf.getClass().getSimpleName()
    if kind == "InMemoryRelation":
        return leaf.cacheBuilder()
    if kind != "LogicalRelation" or leaf.relation().getClass().getSimpleName() != _FILES:
        return None
    files = leaf.relation().location()
    return files if files.getClass().getSimpleName() == _LISTED else None


def _leaves(plan: Any) -> Iterator[Any]:
    children = plan.children()
    if children.isEmpty():
        yield plan
    for place in range(children.size()):
        yield from _leaves(children.apply(place))
