"""Several windows of one shape in one query: what each alone would give, batch and stream."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession

import windrow as wr
from tests.spark.streams import LATENESS, Batches, arrivals, end_of, joined
from tests.spark.support import SCHEMA as DRAWN_SCHEMA
from tests.spark.support import Row, drawn_aggregates, drawn_rows, examples, frame_of
from windrow import agg, window
from windrow.algebra.aggregate import Aggregate
from windrow.errors import InputError, WindowError
from windrow.plan import Strategy
from windrow.testing import Feed, check_rows, expected
from windrow.window import Closed, Emit, Order, Ties, Window

pytestmark = pytest.mark.xdist_group("spark")

NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)
TRAILING: dict[str, Window] = {
    "short": window.trailing("4 s"),
    "tied": window.trailing("9 s", closed="both", ties="together"),
    "before": window.trailing("30 s", closed="left"),
    "last": window.trailing(rows=3),
}
SESSIONS: dict[str, Window] = {
    "visit": window.session("2 s"),
    "stay": window.session("7 s"),
    "day": window.session("1 min"),
}
COUNTS: dict[str, Window] = {"pairs": window.count(2), "runs": window.count(5, every=3)}
SHAPES = {"trailing": TRAILING, "sessions": SESSIONS, "counts": COUNTS}
AGGREGATES = {
    "n": agg.count(),
    "total": agg.sum("i"),
    "middle": agg.median("v"),
    "latest": agg.last("s"),
}


@pytest.mark.parametrize("shape", SHAPES)
@examples(2)
@given(rows=drawn_rows)
def test_a_batch_agrees_with_the_oracle(spark: SparkSession, shape: str, rows: list[Row]) -> None:
    windows = SHAPES[shape]
    query = wr.over(frame_of(spark, rows), time="t", by="k").windows(**windows)
    wanted = expected(rows, time="t", by="k", windows=windows, aggregates=AGGREGATES)
    check_rows(query.aggregate(**AGGREGATES), wanted)


_spans = st.integers(1, 30).map(lambda seconds: timedelta(seconds=seconds)) | st.sampled_from(
    (timedelta(microseconds=1), timedelta(seconds=5.5), timedelta(days=365))
)
_hops = st.integers(1, 7).map(lambda seconds: timedelta(seconds=seconds))
DRAWN: dict[str, st.SearchStrategy[Window]] = {
    "trailing": st.builds(
        window.trailing, _spans, closed=st.sampled_from(Closed), ties=st.sampled_from(Ties)
    )
    | st.builds(window.trailing, rows=st.integers(1, 60)),
    "sessions": st.builds(window.session, _spans),
    "counts": st.builds(window.count, st.integers(1, 7), st.integers(1, 7)),
    "aligned": st.builds(window.hopping, _hops, _hops, _hops),
}
# Names that a stage, or Spark, has a use for.
_names = st.sampled_from(("hour", "a b", "n", "r:n", "ä", "k0", "w.x", "start", "name"))


@dataclass(frozen=True)
class Asked:
    """Any windows of one shape, and what is asked of them."""

    windows: dict[str, Window]
    aggregates: dict[str, Aggregate[Any]]
    by: tuple[str, ...]
    keep: tuple[str, ...] = ()
    order: Order = Order.TIME
    emit: Emit = Emit.ON_CLOSE

    @classmethod
    def drawn(cls, data: st.DataObject, shape: str, **choices: Any) -> "Asked":
        windows = data.draw(st.dictionaries(_names, DRAWN[shape], min_size=1, max_size=4))
        by = data.draw(st.sampled_from(((), ("k",), ("k", "b"), ("s",))))
        kept = data.draw(st.sampled_from(((), ("v",), ("i", "d")))) if shape == "trailing" else ()
        return cls(windows, data.draw(drawn_aggregates), by, kept, **choices)

    def of(self, frame: DataFrame, **options: Any) -> DataFrame:
        query = wr.over(frame, time="t", by=self.by, order=self.order, emit=self.emit, **options)
        return query.windows(**self.windows).keep(*self.keep).aggregate(**self.aggregates)

    def expected(self, rows: list[Row]) -> list[dict[str, Any]]:
        said: Any = {"by": self.by, "keep": self.keep, "order": self.order, "emit": self.emit}
        return expected(rows, time="t", windows=self.windows, aggregates=self.aggregates, **said)


@pytest.mark.slow
@pytest.mark.parametrize("shape", DRAWN)
@examples(20)
@given(data=st.data(), rows=drawn_rows)
def test_any_windows_of_one_shape_agree_with_the_oracle_in_a_batch(
    spark: SparkSession, shape: str, data: st.DataObject, rows: list[Row]
) -> None:
    asked = Asked.drawn(data, shape)
    tied = any(one.ties_together for one in asked.windows.values())
    if shape != "aligned" and not tied and data.draw(st.booleans(), "as rows arrive"):
        asked = replace(asked, order=Order.ARRIVAL)
    frame = frame_of(spark, rows).coalesce(1)
    sample = data.draw(st.sampled_from(("always", "never")))
    check_rows(asked.of(frame, sample=sample), asked.expected(rows), scale=1e6)


@pytest.mark.slow
@pytest.mark.parametrize("shape", DRAWN)
@examples(5)
@given(data=st.data(), batches=arrivals())
def test_any_windows_of_one_shape_agree_with_the_oracle_on_a_stream(
    spark: SparkSession, shape: str, data: st.DataObject, batches: Batches
) -> None:
    asked = Asked.drawn(data, shape)
    again = data.draw(st.integers(0, len(batches)), "after which micro-batch it starts again")
    with Feed(spark, DRAWN_SCHEMA, time="t", lateness=LATENESS) as feed:
        run = feed.start(asked.of(feed.frame))
        for place, batch in enumerate(batches):
            run.add(batch)
            if place == again:
                run.restart()
        rows = joined(batches)
        run.watermark(end_of(rows))
        check_rows(run.rows, asked.expected(rows), scale=1e6)


def _row(second: float, key: str | None, value: int | None) -> Row:
    return {"k": key, "t": NOON + timedelta(seconds=second), "i": value}


# Rows late by less than the lateness, some of one time, some null, and a silence.
SCHEMA = "k string, t timestamp, i bigint"
BATCHES = [
    [_row(0, "a", 1), _row(7, "b", None), _row(3, "a", 3), _row(3, "a", 4)],
    [_row(22, "a", 4), _row(12, None, 5), _row(5, "b", 6), _row(22, "a", None)],
    [_row(95, "b", 7), _row(81, "a", 8)],
    [_row(90, None, 9), _row(95, "b", 10)],
]


@pytest.mark.parametrize(
    ("shape", "emit"),
    [
        ("trailing", Emit.ON_CLOSE),
        ("sessions", Emit.ON_CLOSE),
        pytest.param("counts", Emit.ON_CLOSE, marks=pytest.mark.slow),
        pytest.param("trailing", Emit.ON_CHANGE, marks=pytest.mark.slow),
    ],
)
def test_a_stream_that_starts_again_in_the_middle_agrees_with_the_oracle(
    spark: SparkSession, shape: str, emit: Emit
) -> None:
    windows = SHAPES[shape]
    aggregates: dict[str, Aggregate[Any]] = {"n": agg.count(), "all": agg.collect("i")}
    mode = "append" if emit is Emit.ON_CLOSE else "update"
    with Feed(spark, SCHEMA, time="t", lateness="20 s") as feed:
        query = wr.over(feed.frame, time="t", by="k", emit=emit).windows(**windows)
        run = feed.start(query.aggregate(**aggregates), mode=mode)
        for place, batch in enumerate(BATCHES):
            run.add(batch)
            if place == 1:
                run.restart()
        run.watermark(NOON + timedelta(hours=1))
        rows = [row for batch in BATCHES for row in batch]
        wanted = expected(rows, time="t", by="k", windows=windows, aggregates=aggregates)
        if emit is Emit.ON_CLOSE:
            check_rows(run.rows, wanted)
        else:  # what was told last of each row is final; all that was told has it
            told = [row | {"t": row["t"].astimezone(UTC)} for row in run.rows]
            assert all(row in told for row in wanted)


def test_the_parts_of_a_hot_key_reach_back_as_far_as_the_widest_window(
    spark: SparkSession, hot_parts: list[int]
) -> None:
    rows = [
        {"k": "b" if k % 50 == 0 else "a", "t": NOON + timedelta(seconds=k // 2), "i": k}
        for k in ((place * 389) % 600 for place in range(600))
    ]
    frame = spark.createDataFrame([tuple(row.values()) for row in rows], SCHEMA).coalesce(1)
    windows = {**TRAILING, "long": window.trailing(rows=40)}
    aggregates = {"first": agg.first("i"), "sum": agg.sum("i")}
    query = wr.over(frame, time="t", by="k", sample="always").windows(**windows)
    found = query.aggregate(**aggregates)
    assert max(hot_parts, default=0) > 1
    check_rows(found, expected(rows, time="t", by="k", windows=windows, aggregates=aggregates))


@pytest.fixture(scope="module")
def frame(spark: SparkSession) -> DataFrame:
    return spark.sql("SELECT timestamp '2024-01-01' AS t, 'a' AS k, 1.0D AS v")


def test_a_row_has_a_struct_for_each_trailing_window(frame: DataFrame) -> None:
    query = wr.over(frame, time="t", by="k").windows(**TRAILING).keep("v")
    found = query.aggregate(n=agg.count(), total=agg.sum("v"))
    assert found.columns == ["t", "k", "v", *TRAILING]
    assert found.select("short.n", "before.n", "last.total").first() == (1, 0, 1.0)


def test_one_named_window_is_a_struct_too(frame: DataFrame) -> None:
    query = wr.over(frame, time="t").windows(hour=window.trailing("1 hour"))
    assert query.aggregate(n=agg.count()).select("hour.n").first() == (1,)


def test_sessions_of_several_gaps_take_one_shuffle(frame: DataFrame) -> None:
    query = wr.over(frame, time="t", by="k")
    assert query.windows(**SESSIONS).plan(n=agg.count()).strategy is Strategy.KERNEL
    assert query.window(SESSIONS["visit"]).plan(n=agg.count()).strategy is Strategy.KERNEL


@pytest.mark.parametrize(
    ("make", "kind", "says"),
    [
        (
            lambda q: q.windows(hour=window.trailing("1 h"), day=window.tumbling("1 day")),
            WindowError,
            r"hour=trailing\('1 hour'\) and day=tumbling\('1 day'\) cannot share a pass, as their "
            r"shapes differ \(trailing, tumbling and hopping\); write one query per shape",
        ),
        (
            lambda q: q.windows(
                a=window.policy(keep=lambda w: w.n < 3, using={"n": agg.count()}),
            ),
            WindowError,
            r"a=policy.* depends on what it held before; run it alone with \.window",
        ),
        (
            lambda q: q.windows(a=window.punctuated(end="k")),
            WindowError,
            r"a=punctuated.* marks are columns of their own; run it alone",
        ),
        (
            lambda q: q.windows(**{"": window.trailing("1 h")}),
            WindowError,
            "with the empty name ''",
        ),
        (
            lambda q: q.windows(**TRAILING).approximate(10).aggregate(n=agg.count()),
            InputError,
            "approximate results of several trailing windows would need buckets for each",
        ),
        (
            lambda q: q.windows(k=window.trailing("1 h")).aggregate(n=agg.count()),
            InputError,
            "two columns called 'k'",
        ),
        (
            lambda q: q.windows(a=window.trailing("1 h")).aggregate(n=agg.count(), N=agg.count()),
            InputError,
            "two columns called 'n'",
        ),
        (
            lambda q: q.windows(**TRAILING, order="arrival").aggregate(n=agg.count()),
            InputError,
            "ties='together' needs all rows with the time of a row",
        ),
    ],
)
def test_what_cannot_be_asked_together_is_told(
    frame: DataFrame, make: Any, kind: type[Exception], says: str
) -> None:
    with pytest.raises(kind, match=says):
        make(wr.over(frame, time="t", by="k"))
