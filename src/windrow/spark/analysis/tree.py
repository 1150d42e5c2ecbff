"""Rows that come from a tree of nodes: which of its queries they are of, and what nodes have done.

Where nodes have folded the rows, a query over them must be the one that the nodes compute: the
states are of its windows, keys and aggregates, and of no others.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame
from pyspark.sql.types import StructField

from windrow.algebra.aggregate import Aggregate
from windrow.errors import InputError
from windrow.spark.analysis.operators import operators_of
from windrow.spark.sources.marks import MARK
from windrow.spark.sources.tree import FORMAT, shape_for
from windrow.windows import Emit, Order

if TYPE_CHECKING:
    from windrow.edge.query import NodeQuery
    from windrow.spark.query import Query
    from windrow.spark.sources.shape import Shape

__all__ = ["Tree", "require_the_same", "tree_of"]

# What passes on all rows of a source as they are.
_HARMLESS = frozenset({"CollectMetrics", "EventTimeWatermark", "Project", "SubqueryAlias", "View"})


@dataclass(frozen=True, eq=False)
class Tree:
    """Where the rows of a DataFrame come from."""

    path: str  # of the spool
    hidden: str  # the column that holds states, and marks ticks
    shape: "Shape"

    @property
    def node_query(self) -> "NodeQuery":
        """The query that nodes compute."""
        return self.shape.query

    @property
    def folded(self) -> bool:
        """Whether nodes have sent states."""
        return self.shape.folded

    @property
    def reason(self) -> str:
        """Why nodes have sent what they have."""
        return self.shape.payload.choice.reason

    def late(self, df: DataFrame) -> DataFrame:
        """The rows that came to a leaf too late, as a batch or stream like the given one."""
        spark = df.sparkSession
        reader: Any = spark.readStream if df.isStreaming else spark.read
        options = {"query": self.node_query.fingerprint, "late": "true"}
        late: DataFrame = reader.format(FORMAT).options(**options).load(self.path)
        return late


def tree_of(df: DataFrame, time: StructField) -> Tree | None:
    """The tree that rows with this event time come from; None if they come from none."""
    fields = df.schema.fields
    marks = {field.name: field.metadata.get(MARK) for field in fields}
    about = {name: mark for name, mark in marks.items() if isinstance(mark, Mapping)}
    query = time.metadata.get(MARK)
    found = next(((n, mark) for n, mark in about.items() if query in (mark["query"], None)), None)
    if found is None:
        if query is None:
            return None
        raise InputError(
            f"time={time.name!r} comes from a tree of nodes, and the column is missing in which "
            "the tree says how far it has come; select the last column of the source too"
        )
    hidden, mark = found
    tree = Tree(mark["path"], hidden, shape_for(mark["text"]))
    own = tree.node_query.outcome.names.time
    if (query is None or time.name != own) and (tree.folded or df.isStreaming):
        raise InputError(
            f"time={time.name!r} is not the time by which the nodes of the tree went; "
            f"give time={own!r}"
        )
    return tree


def require_the_same(
    tree: Tree,
    query: "Query",
    aggregates: tuple[tuple[str, Aggregate[Any]], ...],
    fields: Mapping[str, StructField],
) -> None:
    """Refuse a query that is not the one for which nodes have folded the rows."""
    _require_untouched(tree, query.df, fields)
    if query.options.order is Order.ARRIVAL:
        raise InputError(
            "order='arrival': nodes of a tree have folded the rows in the order of time; "
            "leave order out"
        )
    if query.options.emit is Emit.ON_CHANGE and query.chosen[0][1].silence_us is not None:
        raise InputError(
            "emit='on_change': nodes of a tree send parts of sessions when these are complete; "
            "use emit='on_close'"
        )
    job = tree.node_query.job
    keys = tuple(field.name for name, field in fields.items() if name[0] == "k")
    windows = {name: repr(window) for name, window in query.chosen}
    asked = {name: repr(part) for name, part in aggregates}
    theirs = {name or "": repr(window) for name, window in job.windows}
    known = {name: repr(part) for name, part in job.aggregates.items()}
    same = keys == tree.node_query.outcome.names.keys and windows == theirs
    if not same or not asked.items() <= known.items():
        raise InputError(
            f"{tree.path} holds states of another query.\n"
            f"  nodes compute: {_written(known, tree.node_query.outcome.names.keys, theirs)}\n"
            f"  asked for:     {_written(asked, keys, windows)}\n"
            "Ask for what nodes compute, or for some of its aggregates; or let them compute this"
        )


def _require_untouched(tree: Tree, df: DataFrame, fields: Mapping[str, StructField]) -> None:
    """Refuse rows that were filtered, or values that were derived, after nodes had folded them."""
    for field in fields.values():
        if field.metadata.get(MARK) != tree.node_query.fingerprint:
            raise InputError(
                f"{field.name!r} was derived from what a tree has sent, which are states and no "
                "rows; let nodes derive it: say so under columns: in their job"
            )
    for operator in operators_of(df).all:
        if operator.name not in _HARMLESS and not operator.is_source:
            raise InputError(
                f"the DataFrame has gone through {operator.name}, and a tree has sent states and "
                "no rows; let nodes filter rows: say so under where: in their job"
            )


def _written(
    aggregates: Mapping[str, str], keys: tuple[str, ...], windows: Mapping[str, str]
) -> str:
    parts = ", ".join(f"{name}={part}" for name, part in aggregates.items())
    by = f" by {', '.join(keys)}" if keys else " over all rows"
    named = ", ".join(f"{name}={window}" if name else window for name, window in windows.items())
    return f"{parts}{by} in {named}"
