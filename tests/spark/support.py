"""What the tests of agreement share: drawn rows and windows, and queries that can be judged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from math import inf, nan
from typing import Any

from hypothesis import Phase, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession

import windrow as wr
from tests.examples import examples as scaled
from windrow import agg, window
from windrow.algebra.aggregate import Aggregate
from windrow.algebra.lookup import registered
from windrow.algebra.registry import Takes
from windrow.plan import Plan, Stage
from windrow.testing import check_rows, expected
from windrow.window import Order
from windrow.windows import Closed, Emit, Ties, Window

Row = dict[str, Any]


def examples(number: int) -> settings:
    """So many examples and no search for a smaller one: each costs a job, or a whole stream."""
    return scaled(number, phases=[Phase.explicit, Phase.reuse, Phase.generate])


def runs(plan: Plan, stage: type[Stage]) -> bool:
    """Whether a plan has a stage of this kind."""
    return any(type(own) is stage for own in plan.stages)


SCHEMA = (
    "k string, t timestamp, v double, w double, i bigint, b boolean, s string, "
    "d decimal(10,2), s1 boolean, e1 boolean"
)

# An ordinary day, the hours in which Berlin's clocks change, and the turn of the epoch.
ORIGINS = [
    datetime(2024, 7, 1, 12, tzinfo=UTC),
    datetime(2024, 3, 31, 0, 59, 30, tzinfo=UTC),
    datetime(2024, 10, 27, 0, 59, 30, tzinfo=UTC),
    datetime(1970, 1, 1, tzinfo=UTC) - timedelta(seconds=30),
]

# Quarters add up exactly; few of them make ties.
_quarters = st.integers(-40, 40).map(lambda n: n / 4)
_floats = st.one_of(_quarters, _quarters, st.sampled_from((nan, inf, -inf, -0.0)), st.none())
_marks = st.sampled_from((True, False, False, None))

_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "v": _floats,
    "w": _floats,
    "i": st.one_of(st.integers(-20, 20), st.integers(-(10**6), 10**6), st.none()),
    "b": st.one_of(st.booleans(), st.none()),
    "s": st.one_of(st.text("abz é", max_size=3), st.none()),
    "d": st.one_of(st.integers(-(10**6), 10**6).map(lambda n: Decimal(n).scaleb(-2)), st.none()),
    "s1": _marks,
    "e1": _marks,
}


def rows_from(
    origin: datetime, min_size: int = 0, max_size: int = 50
) -> st.SearchStrategy[list[Row]]:
    """Rows of a minute in order of arrival: a few keys, null among them, times that tie."""
    steps = st.one_of(st.integers(0, 60).map(lambda s: s * 1_000_000), st.integers(0, 60_000_000))
    row = st.fixed_dictionaries(
        {
            "k": st.sampled_from(("a", "b", "ü", None)),
            "t": steps.map(lambda us: origin + timedelta(microseconds=us)),
            **_VALUES,
        }
    )
    return st.lists(row, min_size=min_size, max_size=max_size)


# Empty and tiny batches, and some that fill windows.
drawn_rows = st.sampled_from(ORIGINS).flatmap(
    lambda origin: st.one_of(rows_from(origin, max_size=5), rows_from(origin, min_size=20))
)

_spans = st.one_of(
    st.integers(1, 20).map(lambda s: timedelta(seconds=s)),
    st.sampled_from((timedelta(microseconds=1), timedelta(seconds=5.5), timedelta(days=365))),
)
_short_spans = st.integers(1, 20).map(lambda s: timedelta(seconds=s))
_sizes = st.integers(1, 6)


def _policies() -> st.SearchStrategy[Window]:
    last = _sizes.map(
        lambda n: window.policy(keep=lambda window: window.n <= n, using={"n": agg.count()})
    )
    from_peak = st.just(
        window.policy(
            drop=lambda evicted, after, before: evicted.peak <= after.peak,
            using={"peak": agg.max("i")},
        )
    )
    return st.one_of(last, from_peak)


# One strategy for each kind of window.
WINDOWS: dict[str, st.SearchStrategy[Window]] = {
    "tumbling": st.builds(window.tumbling, _spans, _short_spans),
    "hopping": st.builds(window.hopping, _short_spans, _short_spans, _short_spans),
    "trailing time": st.builds(
        window.trailing, _spans, closed=st.sampled_from(Closed), ties=st.sampled_from(Ties)
    ),
    "trailing rows": _sizes.map(lambda n: window.trailing(rows=n)),
    "session": st.builds(window.session, _short_spans),
    "count": st.builds(window.count, _sizes, _sizes),
    "punctuated": st.sampled_from(
        (
            window.punctuated(start="s1"),
            window.punctuated(end="e1"),
            window.punctuated(start="s1", end="e1"),
        )
    ),
    "policy": _policies(),
}

# Concatenation tells which rows were folded, and in which order; `told` as the user writes it.
FREE = wr.monoid(
    lift=lambda text: f"{text}.",
    combine=lambda older, newer: older + newer,
    identity="",
    name="free",
    returns="string",
)
SPREAD = wr.monoid(
    lift=lambda number: (number, number),
    combine=lambda older, newer: (min(older[0], newer[0]), max(older[1], newer[1])),
    lower=lambda state: state[1] - state[0],
    identity=(inf, -inf),
    commutative=True,
    name="spread",
)

_APPROXIMATE = {"bloom", "quantile_sketch", "distinct_sketch"}
_COLUMN = {Takes.BOOLEANS: "b", Takes.TEXT: "s"}


def _reading(name: str, column: str) -> Aggregate[Any]:
    """An aggregate of the catalogue over a column, or two, and the time where it asks for it."""
    monoid = registered()[name].example.monoid
    columns = {"by": "w", "time": agg.TIME}
    return Aggregate(monoid, tuple(columns.get(place, column) for place in monoid.inputs))


AGGREGATES: dict[str, Aggregate[Any]] = {
    **{
        name: _reading(name, _COLUMN.get(entry.takes, "v"))
        for name, entry in registered().items()
        if name not in _APPROXIMATE
    },
    **{
        f"{name}_of_integers": _reading(name, "i")
        for name in ("sum", "mean", "min", "max", "argmax", "variance", "median", "last", "top_k")
    },
    "sum_of_decimals": agg.sum("d"),
    "mean_of_decimals": agg.mean("d"),
    "max_of_decimals": agg.max("d"),
    "first_text": agg.first("s"),
    "largest_text": agg.max("s"),
    "last_time": agg.last(agg.TIME),
    "free": agg.of(FREE, "i"),
    "spread": agg.of(SPREAD, "i"),
}

_TOGETHER = 5

# Those Spark has itself, in whichever order rows come.
BUILT_IN = ("count", "sum", "mean", "min", "max", "variance", "stddev", "any", "all")


def aggregates_of(names: Sequence[str]) -> st.SearchStrategy[dict[str, Aggregate[Any]]]:
    """A few aggregates at a time: of many windows, all get their turn.

    Always the same few together: a kernel is compiled for them once, and found again.
    """
    groups = -(-len(names) // _TOGETHER)
    return st.sampled_from(
        [{name: AGGREGATES[name] for name in names[group::groups]} for group in range(groups)]
    )


drawn_aggregates = aggregates_of(list(AGGREGATES))


@dataclass(frozen=True)
class Asked:
    """A query on the columns of SCHEMA, which Spark and the oracle can both answer."""

    window: Window
    aggregates: Mapping[str, Aggregate[Any]]
    by: str | None = "k"
    order: Order = Order.TIME
    emit: Emit = Emit.ON_CLOSE
    options: Mapping[str, Any] = field(default_factory=dict)
    parallel: tuple[str, int | None] = ("auto", None)  # the method, and how many units

    def of(self, frame: DataFrame) -> DataFrame:
        """The query over a frame."""
        query = wr.over(frame, time="t", by=self.by, order=self.order, emit=self.emit)
        query = query.parallel(*self.parallel)
        return query.window(self.window, **self.options).aggregate(**self.aggregates)

    def expected(self, rows: Sequence[Row]) -> list[Row]:
        """What it must answer."""
        return expected(
            rows,
            time="t",
            by=() if self.by is None else self.by,
            window=self.window,
            aggregates=self.aggregates,
            order=self.order,
            emit=self.emit,
        )

    def check(self, found: Any, rows: Sequence[Row]) -> None:
        """Require of an answer that it is the right one."""
        check_rows(found, self.expected(rows), scale=1e6)


def frame_of(spark: SparkSession, rows: Sequence[Row]) -> DataFrame:
    """The rows as a batch, in order of arrival."""
    names = [column.split()[0] for column in SCHEMA.split(", ")]
    return spark.createDataFrame([tuple(row[name] for name in names) for row in rows], SCHEMA)
