"""Queries are checked when they are made, and results have the columns they should."""

import logging
from typing import Any

import pytest
from pyspark.logger import PySparkLogger
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr
from windrow import agg, window
from windrow.errors import AggregateError, InputError, WindowError, WindrowError

HOUR = window.tumbling("1 hour")
NO_FRAME: Any = [1]
NO_WINDOW: Any = "1 hour"


@pytest.fixture(scope="module")
def df(spark: SparkSession) -> DataFrame:
    return spark.sql(
        """select timestamp'2024-03-31 01:30:00' ts, 'a' `key`, 'b' `window`, 'c' `a.b`,
        1.5D `größe`, 7L t, 8L k0, struct(3 as x) st, true flag
        union all select null, 'a', 'b', 'c', 2.5D, 7L, 8L, struct(4 as x), false"""
    )


@pytest.fixture(scope="module")
def stream(spark: SparkSession) -> DataFrame:
    return spark.readStream.format("rate").load()


@pytest.mark.parametrize(
    ("make", "kind", "says"),
    [
        (lambda d: wr.over(NO_FRAME, time="ts"), InputError, "not a Spark DataFrame"),
        (lambda d: wr.over(d, time="ts", emit="soon"), InputError, "Emit.ON_CLOSE"),
        (lambda d: wr.over(d, time="ts", lateness="-1 s"), InputError, "negative"),
        (lambda d: wr.over(d, time="ts").window(NO_WINDOW), WindowError, "not a window"),
        (lambda d: wr.over(d, time="ts").windows(), WindowError, "no window"),
        (
            lambda d: wr.over(d, time="ts").windows(a=window.session("1 h"), b=HOUR),
            WindowError,
            "write one query per shape",
        ),
        (lambda d: wr.over(d, time="ts").keep(3), InputError, "names of columns"),
        (lambda d: wr.over(d, time="ts").aggregate(n=agg.count()), WindowError, "no window yet"),
        (lambda d: wr.over(d, time="ts").window(HOUR).aggregate(), AggregateError, "no aggregate"),
        (
            lambda d: wr.over(d, time="ts").window(HOUR).aggregate(m=agg.max()),
            AggregateError,
            "names no column",
        ),
        (
            lambda d: wr.over(d, time="ts").window(HOUR).aggregate(m=agg.max("nope")),
            InputError,
            "'größe'",
        ),
        (
            lambda d: wr.over(d, time="key").window(HOUR).aggregate(n=agg.count()),
            InputError,
            "type string",
        ),
        (
            lambda d: wr.over(d, time="ts", by=3).window(HOUR).aggregate(n=agg.count()),
            InputError,
            "by=3",
        ),
        (
            lambda d: wr.over(d, time="ts").window(HOUR).keep("key").aggregate(n=agg.count()),
            InputError,
            "one result for each row",
        ),
        (
            lambda d: (
                wr.over(d, time="ts").window(window.punctuated("key")).aggregate(n=agg.count())
            ),
            InputError,
            "boolean",
        ),
        (
            lambda d: wr.over(d, "ts", by="kye").window(HOUR).aggregate(n=agg.count()),
            InputError,
            "by='kye' is not in the DataFrame; did you mean 'key'? its columns are 'ts'",
        ),
        (
            lambda d: wr.over(d, "ts", by=["key", "key"]),
            InputError,
            "has 'key' twice",
        ),
        (
            lambda d: wr.over(d, "ts").window(HOUR).aggregate(n=agg.max(F.col("nope") + 1)),
            InputError,
            "cannot be read from the DataFrame",
        ),
        (
            lambda d: wr.over(d, "ts", F.max("key")).window(HOUR).aggregate(n=agg.max("t")),
            InputError,
            "cannot be read together",
        ),
        (
            lambda d: wr.over(d, "ts").window(HOUR).window(HOUR),
            WindowError,
            ".windows(a=..., b=...)",
        ),
        (
            lambda d: wr.over(d, "ts").windows(a=HOUR).windows(b=HOUR),
            WindowError,
            "already has a window: a=tumbling",
        ),
        (
            lambda d: wr.over(d, "ts").approximate(100).approximate(200),
            InputError,
            "max_buckets=100; call it once",
        ),
        (
            lambda d: wr.over(d, "ts", emit="on_change").window(HOUR, emit="on_close"),
            InputError,
            "emit='on_close' contradicts emit='on_change'",
        ),
        (
            lambda d: wr.over(d, time="ts", by="key").window(HOUR).aggregate(key=agg.count()),
            InputError,
            "two columns called 'key'",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_a_way_out(
    df: DataFrame, make: Any, kind: type[WindrowError], says: str
) -> None:
    with pytest.raises(kind) as refused:
        make(df)
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("place", "name"),
    [
        *((place, "nope") for place in ("time", "by", "max", "keep", "start")),
        *(("by", name) for name in ("st.nope", "a.c", "key.x", "", ".", "`", "a``b", "nope.*")),
    ],
)
def test_an_unknown_column_is_told_in_our_words_alone(df: DataFrame, name: str, place: str) -> None:
    makers: dict[str, Any] = {
        "time": lambda: wr.over(df, name).window(HOUR).aggregate(n=agg.count()),
        "by": lambda: wr.over(df, "ts", name).window(HOUR).aggregate(n=agg.count()),
        "max": lambda: wr.over(df, "ts").window(HOUR).aggregate(max=agg.max(name)),
        "keep": lambda: (
            wr.over(df, "ts").window(window.trailing("1 s")).keep(name).aggregate(n=agg.count())
        ),
        "start": lambda: wr.over(df, "ts").window(window.punctuated(name)).aggregate(n=agg.count()),
    }
    logged: list[Any] = []
    logs = [PySparkLogger.getLogger(f"{kind}QueryContextLogger") for kind in ("DataFrame", "SQL")]
    handler = logging.Handler()
    handler.emit = logged.append  # type: ignore[assignment, method-assign]
    for log in logs:
        log.addHandler(handler)
    try:
        with pytest.raises(InputError) as refused:
            makers[place]()
    finally:
        for log in logs:
            log.removeHandler(handler)
    assert str(refused.value).startswith(f"{place}={name!r}")
    assert logged == []


def test_what_streams_alone_have_a_use_for_is_left_aside_in_a_batch(df: DataFrame) -> None:
    rows = window.trailing(rows=2)
    asked = wr.over(df, "ts", lateness="1 s", forget_after="1 day").window(rows)
    plain = wr.over(df, "ts").window(rows)
    assert asked.aggregate(n=agg.count()).collect() == plain.aggregate(n=agg.count()).collect()
    marked = wr.over(df.withWatermark("ts", "1 hour"), "ts", lateness="1 s").window(HOUR)
    assert marked.plan(n=agg.count()).strategy is wr.Strategy.NATIVE
    with pytest.raises(InputError, match="negative"):
        wr.over(df, "ts", lateness="-1 s")
    with pytest.raises(InputError, match="not positive"):
        wr.over(df, "ts", forget_after="0 s")


def test_columns_to_keep_add_up(df: DataFrame) -> None:
    query = wr.over(df, "ts").window(window.trailing(rows=2)).keep("key").keep("t", "key")
    assert query.aggregate(n=agg.count()).columns == ["ts", "key", "t", "n"]


def test_a_stream_needs_to_know_how_late_rows_may_be(stream: DataFrame) -> None:
    with pytest.raises(InputError, match="lateness="):
        wr.over(stream, time="timestamp").window(HOUR).aggregate(n=agg.count())
    marked = stream.withWatermark("timestamp", "1 minute")
    with pytest.raises(InputError, match="watermark of 1 minute already"):
        wr.over(marked, time="timestamp", lateness="1 h").window(HOUR).aggregate(n=agg.count())


def test_names_of_any_kind_are_columns_and_ours_give_way(df: DataFrame) -> None:
    query = wr.over(df, time="ts", by=["window", "a.b", "k0", F.col("key")]).window(HOUR)
    found = query.aggregate(t=agg.max("t"), x=agg.max("st.x"), y=agg.sum(F.col("größe") * 2))
    assert found.columns == ["window_", "window", "a.b", "k0", "key", "t", "x", "y"]
    assert [tuple(row)[1:] for row in found.collect()] == [("b", "c", 8, "a", 7, 3, 3.0)]


def test_a_result_is_a_dataframe_that_explains_itself(
    df: DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    found = df.transform(
        lambda d: (
            wr.over(d, time="ts")
            .windows(day=window.tumbling("1 day"))
            .aggregate(n=agg.count(), strategy="native")
        )
    )
    assert isinstance(found, type(df))
    assert found.columns == ["name", "window", "n"]
    assert [(row["name"], row["n"]) for row in found.collect()] == [("day", 1)]
    found.explain()
    assert "Strategy: native" in capsys.readouterr().out
    found.explain(True)
    assert "Physical Plan" in capsys.readouterr().out
    late = found.late()  # type: ignore[operator]
    assert late.columns == df.columns
    assert [row["größe"] for row in late.collect()] == [2.5]


def test_late_rows_have_all_columns_even_two_of_one_name(df: DataFrame) -> None:
    twice = df.select("*", F.lit(7).alias("größe"))
    found = wr.over(twice, time="ts").window(window.tumbling("1 day")).aggregate(n=agg.count())
    late = found.late()
    assert late.columns == twice.columns
    assert [row[-1] for row in late.collect()] == [7]
