"""The oracle is right: Spark's own windows, its window functions and pandas say the same."""

from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from pyspark.sql import Column, SparkSession
from pyspark.sql import Window as Frame
from pyspark.sql import functions as F

from tests.spark.support import AGGREGATES, BUILT_IN, Asked, Row, drawn_rows, examples, frame_of
from windrow import agg, window
from windrow.testing import check_rows
from windrow.windows import Window

BUILT_INS = {name: AGGREGATES[name] for name in BUILT_IN}


def spelled(name: str) -> Column:
    """One of Spark's functions by the name that the catalogue has for it."""
    column = {"any": "b", "all": "b", "count": "*"}.get(name, "v")
    spark_names = {"any": "bool_or", "all": "bool_and", "mean": "avg"}
    return F.expr(f"{spark_names.get(name, name)}({column})")


@pytest.mark.parametrize(
    ("over", "native"),
    [
        (
            window.tumbling("10 s", offset="3 s"),
            "window(t, '10 seconds', '10 seconds', '3 seconds')",
        ),
        (window.hopping("10 s", every="4 s"), "window(t, '10 seconds', '4 seconds')"),
        (window.session("5 s"), "session_window(t, '5 seconds')"),
    ],
    ids=["tumbling", "hopping", "session"],
)
@examples(3)
@given(rows=drawn_rows)
def test_native_windows_agree(
    spark: SparkSession, over: Window, native: str, rows: list[Row]
) -> None:
    asked = Asked(over, BUILT_INS)
    found = (
        frame_of(spark, rows)
        .groupBy(F.expr(native).alias("window"), "k")
        .agg(*(spelled(name).alias(name) for name in BUILT_IN))
    )
    asked.check(found.select("window", "k", *BUILT_IN), rows)


@examples(3)
@given(rows=drawn_rows)
def test_window_functions_agree(spark: SparkSession, rows: list[Row]) -> None:
    frame = Frame.partitionBy("k").orderBy("t", "n").rowsBetween(-2, 0)
    numbered = frame_of(spark, rows).withColumn("n", F.monotonically_increasing_id())
    found = numbered.select("t", "k", *(spelled(name).over(frame).alias(name) for name in BUILT_IN))
    Asked(window.trailing(rows=3), BUILT_INS).check(found, rows)


# How SQL writes the ends of a window; a frame with a range has all rows of the current one's time.
RANGES = {
    "right": "INTERVAL '9.999999' SECOND PRECEDING AND CURRENT ROW",
    "left": "INTERVAL '10' SECOND PRECEDING AND INTERVAL '0.000001' SECOND PRECEDING",
    "both": "INTERVAL '10' SECOND PRECEDING AND CURRENT ROW",
    "neither": "INTERVAL '9.999999' SECOND PRECEDING AND INTERVAL '0.000001' SECOND PRECEDING",
}


@pytest.mark.parametrize("closed", RANGES)
@examples(2)
@given(rows=drawn_rows)
def test_frames_with_a_range_agree_where_ties_are_together(
    spark: SparkSession, closed: str, rows: list[Row]
) -> None:
    over = f"OVER (PARTITION BY k ORDER BY t RANGE BETWEEN {RANGES[closed]})"
    frame = frame_of(spark, rows)
    named = {"n": "count(*)", "low": "min(i)", "total": "sum(i)"}
    found = frame.selectExpr("t", "k", *(f"{part} {over} AS {n}" for n, part in named.items()))
    aggregates = {"n": agg.count(), "low": agg.min("i"), "total": agg.sum("i")}
    asked = Asked(window.trailing("10 s", closed=closed, ties="together"), aggregates)
    asked.check(found, rows)
    check_rows(asked.of(frame), found.toArrow().to_pylist())


@examples(30)
@given(rows=drawn_rows)
def test_rolling_windows_of_pandas_agree(rows: list[Row]) -> None:
    rows = [row for row in rows if row["i"] is not None]
    asked = Asked(window.trailing("10 s"), {"n": agg.count(), "top": agg.max("i")}, by=None)
    times = pd.DatetimeIndex([row["t"] for row in rows], name="t")
    ordered = pd.Series([float(row["i"]) for row in rows], times).sort_index(kind="stable")
    rolling = ordered.rolling("10s")
    found: list[dict[str, Any]] = [
        {"t": time.to_pydatetime(), "n": int(n), "top": int(top)}
        for time, n, top in zip(ordered.index, rolling.count(), rolling.max(), strict=True)
    ]
    asked.check(found, rows)
