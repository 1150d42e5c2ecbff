"""A query, built step by step: the rows, the windows, what to keep, and then the aggregates."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame

from windrow.algebra.aggregate import Aggregate, Product, as_aggregation
from windrow.approximate.footprint import require_buckets
from windrow.arguments import member, shown
from windrow.errors import AggregateError, InputError, WindowError
from windrow.notebook import code, section
from windrow.parallel import Method
from windrow.plan import Plan, Sample, Strategy
from windrow.spark.analysis.columns import is_column
from windrow.spark.options import Options
from windrow.windows import (
    Duration,
    Emit,
    Order,
    Window,
    microseconds,
    require_one_shape,
)

if TYPE_CHECKING:
    from windrow.spark.result import Windowed

__all__ = ["Query"]

_MOST_UNITS = 4096


@dataclass(frozen=True, eq=False, repr=False)
class Query:
    """What `windrow.over` begins and `aggregate` completes; each step returns a new query."""

    df: DataFrame
    time: Any
    by: tuple[Any, ...]
    lateness_us: int | None = None
    forget_us: int | None = None
    options: Options = field(default_factory=Options)
    chosen: tuple[tuple[str, Window], ...] = ()  # by name; one alone may have none: ""
    kept: tuple[Any, ...] = ()
    is_approximate: bool = False
    max_buckets: int | None = None  # of each aggregate and key
    method: Method = Method.AUTO  # who owns windows
    units: int | None = None
    is_ordered: bool = False

    @classmethod
    def begin(
        cls,
        df: DataFrame,
        time: Any,
        by: Any,
        lateness: Duration | None,
        forget_after: Duration | None,
    ) -> "Query":
        """Check and hold what `over` was given."""
        if not isinstance(df, DataFrame):
            raise InputError(
                f"df is a {type(df).__name__}, not a Spark DataFrame; "
                "make one with spark.createDataFrame, or use windrow.roll on local columns"
            )
        keys = () if by is None else tuple(by) if isinstance(by, list | tuple) else (by,)
        _require_different_keys(keys)
        lateness_us = None if lateness is None else microseconds(lateness, "lateness")
        if lateness_us is not None and lateness_us < 0:
            raise InputError(
                f"lateness={shown(lateness)} is negative; give how late rows may be, e.g. "
                'lateness="10 minutes"'
            )
        forget_us = None if forget_after is None else microseconds(forget_after, "forget_after")
        if forget_us is not None and forget_us <= 0:
            raise InputError(
                f"forget_after={shown(forget_after)} is not positive; give how long a key may be "
                'silent before it is forgotten, e.g. forget_after="30 days"'
            )
        return cls(df, time, keys, lateness_us, forget_us)

    def __repr__(self) -> str:
        columns = ", ".join(self.df.columns)
        keys = f", by={list(self.by)!r}" if self.by else ""
        windows = ", ".join(f"{name}={window!r}".lstrip("=") for name, window in self.chosen)
        named = self.chosen and self.chosen[0][0]
        chosen = f".{'windows' if named else 'window'}({windows})" if self.chosen else ""
        kept = f".keep({', '.join(map(repr, self.kept))})" if self.kept else ""
        return f"over(DataFrame[{columns}], time={self.time!r}{keys}){chosen}{kept}"

    def _repr_html_(self) -> str:
        step = "name the results with .aggregate(...)" if self.chosen else "choose a .window(...)"
        return f"<p>{code(repr(self))}</p>{section('Next', (step,))}"

    def with_options(
        self,
        *,
        emit: Emit | str | None = None,
        order: Order | str | None = None,
        strategy: Strategy | str | None = None,
        sample: Sample | str | None = None,
    ) -> "Query":
        """The same query with these options; None leaves an option as it was."""
        given = {"emit": emit, "order": order, "strategy": strategy, "sample": sample}
        return replace(self, options=self.options.updated(**given))

    def window(self, window: Window, **options: Any) -> "Query":
        """Over these windows; `emit`, `order`, `strategy` and `sample` as in `over`."""
        self._require_no_window()
        _require_window(window, "window")
        Options.require_known(options)
        return replace(self.with_options(**options), chosen=(("", window),))

    def windows(self, **named: Any) -> "Query":
        """Compute several windows of one shape in one pass.

        Trailing windows give one row per row, with a struct of aggregates for each window:

            over(df, time="ts").windows(hour=window.trailing("1 h"), last=window.trailing(rows=9))

        Tumbling and hopping windows, sessions of several gaps and count windows have separate rows,
        with the name of the window in the `name` column:

            over(df, time="ts").windows(short=window.tumbling("1 min"), long=window.tumbling("1 h"))
        """
        self._require_no_window()
        options, windows = Options.split(named)
        if not windows:
            raise WindowError(
                'windows() got no window; name at least one, e.g. short=window.tumbling("1 minute")'
            )
        for name, window in windows.items():
            if not name:
                raise WindowError(
                    f"windows() got {window!r} with the empty name ''; give it a name"
                )
            _require_window(window, name)
        require_one_shape(windows)
        return replace(self.with_options(**options), chosen=tuple(windows.items()))

    def keep(self, *columns: Any) -> "Query":
        """Keep these columns of each row in the result of trailing windows and policies.

        Calling it again keeps more columns.
        """
        for column in columns:
            if not is_column(column):
                raise InputError(
                    f"keep({shown(column)}) is a {type(column).__name__}; "
                    'give names of columns or expressions, e.g. keep("a", "b")'
                )
        return replace(self, kept=(*self.kept, *columns))

    def approximate(self, max_buckets: int | None = None) -> "Query":
        """Results as intervals: structs of `value`, `low`, `high` and `exact`.

        Windows with a result for each row keep buckets of rows, at most `max_buckets` for each key
        and aggregate, and as few as the aggregate's own bound allows: see `Aggregate.within`.
        All other windows stay exact.
        """
        if self.is_approximate:
            raise InputError(
                f"approximate(max_buckets={shown(max_buckets)}) contradicts an earlier "
                f"max_buckets={self.max_buckets!r}; call it once"
            )
        if max_buckets is not None:
            require_buckets(max_buckets, "max_buckets")
        return replace(self, is_approximate=True, max_buckets=max_buckets)

    def parallel(self, method: Method | str, units: int | None = None) -> "Query":
        """How the windows of one key, or of no key, are spread over tasks; results are the same.

        "auto", the default, keeps all windows of a key on one task, but splits the hot keys of a
        batch, or rows without a key, by blocks of time.  "keys" never splits a key; "time" splits
        every key.  The methods of disjoint parallelisation assign single windows: "panes" (RRCPA),
        "round-robin" (RRA), "round-robin-cyclic" (RRCA), "handshake" (HSA) and "hash-once" (HOA).
        `units` is how many share the work, by default as many tasks as can run at once.

        ```python
        readings = spark.sql("select timestamp_seconds(id) ts, id * 1.5 temp from range(600)")
        query = wr.over(readings, time="ts").window(window.hopping("1 minute", every="1 second"))
        spread = query.parallel("time", units=4).aggregate(last=agg.last("temp"))
        assert spread.count() == 659
        ```
        """
        chosen = member(Method, method, "method")
        if units is not None:
            _require_units(units)
        if self.method is not Method.AUTO and (chosen, units) != (self.method, self.units):
            raise InputError(
                f"parallel({chosen.value!r}) comes after parallel({self.method.value!r}); "
                "say it once"
            )
        return replace(self, method=chosen, units=units)

    def ordered(self) -> "Query":
        """Results in one total order, whatever the parallelism: by end, start, name and keys.

        Results of single rows are ordered by their time and keys.  A stream in append mode is in
        order across micro-batches too.  Exact results (integers, decimals, text) are identical to
        the byte, however many units there are and however the input is ordered or cut into
        micro-batches.  Sums of floats may differ in their last bits, as partial sums may be added
        in another order.

        ```python
        readings = spark.sql("select timestamp_seconds(id) ts, id % 3 sensor from range(60)")
        query = wr.over(readings, time="ts", by="sensor").window(window.tumbling("20 seconds"))
        ends = [row["window"]["end"] for row in query.ordered().aggregate(n=agg.count()).collect()]
        assert ends == sorted(ends)
        ```
        """
        return replace(self, is_ordered=True)

    def aggregate(self, *unnamed: Any, **named: Any) -> "Windowed":
        """The result: a DataFrame that can also `explain()`, `plan()` and show `late()` rows."""
        from windrow.spark.run import run

        return run(*self.asked(unnamed, named))

    def plan(self, *unnamed: Any, **named: Any) -> Plan:
        """How `aggregate(...)` would run with these aggregates; computes nothing."""
        from windrow.spark.run import planned

        return planned(*self.asked(unnamed, named))

    def asked(
        self, unnamed: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple["Query", tuple[tuple[str, Aggregate[Any]], ...]]:
        """The query with all its options, and the aggregates by name."""
        if unnamed:
            raise AggregateError(
                f"aggregate() got {shown(unnamed[0])} without a name; name each result, as in "
                "n=agg.count()"
            )
        options, aggregates = Options.split(named)
        query = self.with_options(**options)
        if not query.chosen:
            raise WindowError(
                "there is no window yet; call .window(window.tumbling('1 hour')) before .aggregate"
            )
        query._require_rows_to_keep()
        return query, tuple((n, _aggregate(a, n)) for n, a in _some(aggregates).items())

    def _require_no_window(self) -> None:
        if self.chosen:
            before = ", ".join(f"{name}={window!r}".lstrip("=") for name, window in self.chosen)
            raise WindowError(
                f"the query already has a window: {before}; give several windows of one shape "
                "as .windows(a=..., b=...), or write one query for each"
            )

    def _require_rows_to_keep(self) -> None:
        window = self.chosen[0][1]
        if self.kept and not window.per_row:
            raise InputError(
                f"keep(...) needs one result for each row, but {window!r} gives one for each "
                "window; leave keep out, or aggregate the column, e.g. agg.last('a')"
            )


def _require_units(units: object) -> None:
    """Refuse anything but a number of units that a session can have."""
    if isinstance(units, bool) or not isinstance(units, int):
        raise InputError(
            f"units={shown(units)} is a {type(units).__name__}; give how many units share the "
            "work, e.g. units=4, or leave it out"
        )
    if not 1 <= units <= _MOST_UNITS:
        raise InputError(
            f"units={shown(units)} is not between 1 and {_MOST_UNITS:,}; give about as many as "
            "tasks can run at once, or leave it out"
        )


def _require_different_keys(keys: tuple[Any, ...]) -> None:
    names = [key for key in keys if isinstance(key, str)]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"by={list(keys)!r} has {name!r} twice; name each key once")


def _require_window(window: object, argument: str) -> None:
    if not isinstance(window, Window):
        raise WindowError(
            f"{argument}={shown(window)} is a {type(window).__name__}, not a window; "
            'use one of windrow.window, e.g. window.tumbling("1 hour")'
        )


def _some(aggregates: dict[str, Any]) -> dict[str, Any]:
    if not aggregates:
        raise AggregateError("aggregate() got no aggregate; name at least one, as in n=agg.count()")
    return aggregates


def _aggregate(spec: object, name: str) -> Aggregate[Any]:
    aggregation = as_aggregation(spec, name)
    if isinstance(aggregation, Product):
        raise AggregateError(
            f"{name}={shown(aggregation)} holds several aggregates; give each its own name in "
            "aggregate(...)"
        )
    for column in aggregation.columns:
        if column is None:
            raise AggregateError(
                f"{name}={shown(aggregation)} names no column to read; "
                f'give one, e.g. agg.{aggregation.monoid.name}("temp")'
            )
    return aggregation
