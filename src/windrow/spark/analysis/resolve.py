"""A query resolved against its DataFrame: what to select, under which names, of which types."""

from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import count
from operator import and_
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    BooleanType,
    DataType,
    LongType,
    StructField,
    StructType,
    TimestampType,
)

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.registry import Takes
from windrow.engines.any_order import in_any_order
from windrow.engines.approximated import as_intervals, gives_intervals
from windrow.engines.defining import Renaming, definition_of, is_there
from windrow.engines.definition import Definition
from windrow.engines.names import Names, names_of
from windrow.errors import InputError
from windrow.parallel import Method
from windrow.plan import Sample
from windrow.spark.analysis.builtins import Builtin, builtin_of
from windrow.spark.analysis.clock import LateBy
from windrow.spark.analysis.columns import Selection, quoted
from windrow.spark.analysis.event_time import window_time
from windrow.spark.analysis.times import is_time, to_micros, within_limits
from windrow.spark.analysis.tree import Tree, require_the_same, tree_of
from windrow.spark.analysis.types import arrow_schema
from windrow.spark.analysis.watermark import watermarked
from windrow.windows import Aligned, Emit, Order, Window, describe

if TYPE_CHECKING:
    from windrow.spark.query import Query

__all__ = ["Request", "read"]


_CAST = "cast it first, e.g. F.col(...).cast('double')"
_WAYS_OUT = dict.fromkeys(Takes, _CAST) | {
    Takes.BOOLEANS: "give a condition, e.g. F.col(...) > 0",
    Takes.TEXT: "cast it first: F.col(...).cast('string')",
    Takes.ANYTHING: "take a field of it, or its text: F.to_json(...)",
}

_numbers = count()


@dataclass(frozen=True, eq=False)
class Request:
    """A resolved query, as every strategy gets it."""

    source: DataFrame  # the user's, with a watermark if it streams
    selected: dict[str, Column]  # what `rows` holds of it, by our names
    stamp: Column  # its event time as a timestamp, which on a stream carries the watermark
    definition: Definition
    names: Names
    time_type: DataType
    streaming: bool
    emit: Emit
    lateness_ms: int | None  # None: no watermark
    late_by: LateBy = LateBy.ITS_OWN
    sample: Sample | None = None  # whether rows may be looked at; None: as the session says
    method: Method = Method.AUTO  # who owns windows
    units: int | None = None  # over how many units they are spread
    ordered: bool = False  # whether results come in a total order
    forget_us: int | None = None  # after how long a silent key is forgotten; None: never
    intervals: bool = False  # whether results are intervals
    exact: frozenset[str] = frozenset()  # aggregates of which Spark makes intervals of no width
    tree: Tree | None = None  # the nodes that rows come from, or what they folded rows into

    @property
    def order(self) -> Order:
        """In which order rows are applied."""
        return self.definition.order

    @property
    def windows(self) -> tuple[tuple[str, Window], ...]:
        """The windows by name."""
        return self.definition.windows

    @property
    def folded(self) -> bool:
        """Whether nodes of a tree have folded the rows."""
        return self.tree is not None and self.tree.folded

    @property
    def key_units(self) -> int | None:
        """Into how many key groups the user wants keys to be dealt; None: as many as suit."""
        return self.units if self.method is Method.KEYS else None

    @cached_property
    def builtins(self) -> list[Builtin | None]:
        """How Spark itself computes each aggregate; None where it cannot."""
        definition = self.definition
        return [builtin_of(part, definition.schema) for _, part in definition.aggregates]

    @property
    def all_builtins(self) -> list[Builtin]:
        """The same, if Spark can compute all of them."""
        return [builtin for builtin in self.builtins if builtin is not None]

    @cached_property
    def rows(self) -> DataFrame:
        """The rows that have a time, under our names: k…, t, v…, m_start, m_end, c…"""
        return self.rows_with()

    def rows_with(self, **more: Column) -> DataFrame:
        """The same rows with more columns of the source."""
        rows = self.all_rows(**more)
        if self.streaming:
            # A name of its own: a plan may hold these rows twice.
            rows = rows.observe(f"windrow-rows-{next(_numbers)}", *self._counts())
        return rows.where(F.col("t").isNotNull())

    def all_rows(self, **more: Column) -> DataFrame:
        """The same, those without a time too; who takes them counts them."""
        columns = {**self.selected, **more}.items()
        return self._source().select(*(column.alias(name) for name, column in columns))

    def _source(self) -> DataFrame:
        """The rows without the ticks of a tree."""
        if self.tree is None or not self.streaming:
            return self.source
        # Spark moves a filter below the watermark, where ticks would count for nothing, unless it
        # reads the time.
        nothing = F.when(self.stamp.isNotNull(), quoted(self.tree.hidden))
        return self.source.where(nothing.isNull())

    def _counts(self) -> list[Column]:
        """Counts of all rows, and of rows that no window contains, however early they arrive."""
        counts = {"rows": F.count(F.lit(1)), "untimed": F.count_if(F.col("t").isNull())}
        gaps = [_between(grid) for _, window in self.windows if (grid := window.grid) is not None]
        counts["between"] = F.count_if(reduce(and_, gaps)) if gaps else F.lit(0)
        return [count.alias(name) for name, count in counts.items()]


def _between(grid: Aligned) -> Column:
    """Whether a row lies between two of these windows."""
    since = F.pmod(F.col("t") - grid.offset_us % grid.every_us, F.lit(grid.every_us))
    return since >= grid.size_us


def read(query: "Query", aggregates: tuple[tuple[str, Aggregate[Any]], ...]) -> Request:
    """Find every column of a query, and refuse what does not fit together."""
    _require_ties_by_time(query)
    _require_an_order(query)
    query = _with_time_of_windows(query)
    asked = Selection(query.df)
    for key in query.by:
        asked.add("k", key, "by")
    asked.add_as("t", query.time, "time")
    time = _time(asked.fields()["t"])
    reader = Renaming(asked, query.time, zoned=isinstance(time.dataType, TimestampType))
    inner = tuple((name, reader.aggregate(name, part)) for name, part in aggregates)
    windows = tuple((name, reader.window(window)) for name, window in query.chosen)
    for column in query.kept:
        if not is_there(column, (query.time, *query.by), query.df.columns):
            asked.add("c", column, "keep")
    fields, expressions = asked.fields(), asked.expressions()
    _require_booleans(fields)
    _require_comparable(fields)
    tree = tree_of(query.df, time)
    if tree is not None and tree.folded:
        require_the_same(tree, query, aggregates, fields)

    source = watermarked(query, expressions["t"], time, from_tree=tree is not None)
    intervals = gives_intervals(
        aggregates, asked=query.is_approximate, max_buckets=query.max_buckets
    )
    definition, exact = _definition(query, windows, inner, fields), frozenset[str]()
    if intervals:
        definition, exact = as_intervals(definition, aggregates, query.max_buckets)
    if not query.df.isStreaming and _folds_by_time(definition):
        definition = in_any_order(definition)
    times = to_micros(expressions["t"], time.dataType)
    chosen = [window for _, window in windows]
    return Request(
        source=source.df,
        selected=expressions | {"t": within_limits(times, expressions["t"], chosen)},
        stamp=source.stamp,
        definition=definition,
        names=names_of(
            query.chosen,
            [name for name, _ in aggregates],
            {ours: field.name for ours, field in fields.items()},
            query.df.columns,
        ),
        time_type=time.dataType,
        streaming=query.df.isStreaming,
        emit=query.options.emit,
        lateness_ms=source.lateness_ms,
        late_by=source.late_by,
        sample=query.options.sample,
        method=query.method,
        units=query.units,
        ordered=query.is_ordered,
        forget_us=_forgetting(query),
        intervals=intervals,
        exact=exact,
        tree=tree,
    )


def _with_time_of_windows(query: "Query") -> "Query":
    """The same query, by the event time of windows where they are its time."""
    asked = Selection(query.df)
    asked.add_as("t", query.time, "time")
    time = window_time(asked.expressions()["t"], asked.fields()["t"])
    return query if time is None else replace(query, time=time)


def _require_ties_by_time(query: "Query") -> None:
    """Refuse ties="together" if rows are applied as they arrive."""
    for _, window in query.chosen:
        if window.ties_together and query.options.order is Order.ARRIVAL:
            raise InputError(
                "ties='together' needs all rows with the time of a row, and order='arrival' emits "
                "its result before they have arrived; leave order out, or use ties='arrival'"
            )


def _require_an_order(query: "Query") -> None:
    """Refuse to order results of a stream that are not emitted once, by time."""
    if not query.is_ordered or not query.df.isStreaming:
        return
    window = query.chosen[0][1]
    if query.options.emit is Emit.ON_CHANGE:
        raise InputError(
            "ordered() puts each result in its place once, and emit='on_change' emits it again "
            "whenever it changes; leave ordered() out, or use emit='on_close'"
        )
    if query.options.order is Order.ARRIVAL:
        raise InputError(
            "ordered() goes by time, and order='arrival' emits results as rows arrive; leave one "
            "of them out"
        )
    if window.ended_by_next_row:
        raise InputError(
            f"ordered() needs results as their time is reached, and {window!r} is known to be over "
            "only when a later row arrives; mark its end, as in window.punctuated(end=...)"
        )


def _forgetting(query: "Query") -> int | None:
    windows = [window for _, window in query.chosen]
    # If a row may arrive with any time, so may the next one.
    any_time = windows[0].per_row and query.options.order is Order.ARRIVAL
    waits = any_time or not all(window.ends_by_time for window in windows)
    if query.forget_us is not None and not waits:
        ended = ", ".join(map(repr, windows))
        raise InputError(
            f"forget_after={describe(query.forget_us)!r}: time alone ends {ended}, and no state "
            "of a key is kept after that; leave forget_after out"
        )
    return query.forget_us


def _time(time: StructField) -> StructField:
    if is_time(time.dataType):
        return time
    raise InputError(
        f"time={time.name!r} has type {time.dataType.simpleString()}; give a timestamp, "
        "timestamp_ntz or date, e.g. with F.to_timestamp or F.timestamp_seconds, or a window"
    )


def _require_booleans(fields: dict[str, StructField]) -> None:
    for role in ("start", "end"):
        mark = fields.get(f"m_{role}")
        if mark is not None and not isinstance(mark.dataType, BooleanType):
            raise InputError(
                f"{role}={mark.name!r} has type {mark.dataType.simpleString()}; "
                f"give a boolean column or a condition, e.g. F.col({mark.name!r}) > 0"
            )


def _require_comparable(fields: dict[str, StructField]) -> None:
    for ours, read_field in fields.items():
        if ours[0] == "k" and "map<" in read_field.dataType.simpleString():
            raise InputError(
                f"by={read_field.name!r} has type {read_field.dataType.simpleString()}, and maps "
                "cannot be compared; use its contents, e.g. F.map_values(...)"
            )


def _definition(
    query: "Query",
    windows: tuple[tuple[str, Window], ...],
    aggregates: tuple[tuple[str, Aggregate[Any]], ...],
    fields: dict[str, StructField],
) -> Definition:
    ours = StructType()
    for name, read_field in fields.items():
        if name == "t":
            ours.add("t", LongType(), False).add("n", LongType(), False)
        else:
            ours.add(name, read_field.dataType, read_field.nullable)
    schema = arrow_schema(ours, {name: field.name for name, field in fields.items()})
    return definition_of(windows, aggregates, schema, query.options.order, _WAYS_OUT)


def _folds_by_time(definition: Definition) -> bool:
    """Whether rows can be folded where they are read, if their aggregates take them in any order.

    On a stream, arrival numbers tell rows of one time apart only within a micro-batch.
    """
    window = definition.windows[0][1]
    by_time = definition.order is Order.TIME
    return by_time and (window.grid is not None or window.silence_us is not None)
