"""A query tells what nodes would make of a period: states, their bytes, keys and the largest."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import windrow as wr
from windrow import agg, topology, window
from windrow.errors import InputError
from windrow.topology import Emission

START = datetime(2026, 1, 1, tzinfo=UTC)
# Key 0 has half of the rows, nine others share the rest.
ROWS = [(0 if n % 2 else 1 + n // 2 % 9, START + timedelta(seconds=n), n / 2) for n in range(900)]


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(ROWS, "k int, t timestamp, v double")


def test_keys_and_the_largest_are_counted(rows: DataFrame) -> None:
    asked = wr.over(rows, time="t", by="k").window(window.tumbling("1 minute"))
    found = asked.aggregate(peak=agg.max("v")).reduction()
    assert (found.keys, found.hottest) == (10, 0.5)
    assert (found.period_s, found.states, found.emission) == (60.0, 1, Emission.AT_CLOSE)


def test_a_state_is_as_large_as_what_it_is_made_of(rows: DataFrame) -> None:
    asked = wr.over(rows, time="t").window(window.tumbling("1 minute"))
    one = asked.aggregate(n=agg.count("v")).reduction()
    four = asked.aggregate(**{f"n{i}": agg.count("v") for i in range(4)}).reduction()
    all_values = asked.aggregate(all=agg.distinct("v")).reduction()
    assert one.keys == 1
    assert one.state_bytes
    assert four.state_bytes
    assert all_values.state_bytes
    assert 16 <= one.state_bytes < four.state_bytes < 100
    assert all_values.state_bytes > 60 * 8  # sixty values at least


@pytest.mark.parametrize(
    ("over", "period_s", "states"),
    [
        (window.hopping("1 hour", every="1 minute"), 60.0, 1),
        (window.hopping("90 seconds", every="1 minute"), 60.0, 2),
        (window.tumbling("1 hour"), 3600.0, 1),
    ],
    ids=repr,
)
def test_a_window_is_handed_on_slice_by_slice(
    rows: DataFrame, over: Any, period_s: float, states: int
) -> None:
    found = wr.over(rows, time="t").window(over).aggregate(n=agg.count()).reduction()
    assert (found.period_s, found.states) == (period_s, states)


def test_a_plan_takes_it(rows: DataFrame) -> None:
    asked = wr.over(rows, time="t", by="k").window(window.tumbling("1 minute"))
    reduction = asked.aggregate(peak=agg.max("v")).reduction()
    plan = topology.plan(5_000, rate=1.0, nodes=1_000, reduction=reduction)
    # Half of 5,000 items a second are of one key, more than a node takes: two layers.
    assert plan.widths == (5, 1)


def test_a_stream_must_be_told(spark: SparkSession) -> None:
    stream = spark.readStream.format("rate").load()
    asked = wr.over(stream, time="timestamp", by="value", lateness="1 minute")
    query = asked.window(window.tumbling("1 minute"))
    with pytest.raises(InputError, match=r"reduction\(keys=1_000\)"):
        query.aggregate(n=agg.count()).reduction()
    assert (query.aggregate(n=agg.count()).reduction(keys=7).state_bytes or 0) >= 16
    with pytest.raises(InputError, match="state_bytes=200"):
        query.aggregate(n=agg.distinct("timestamp")).reduction(keys=7)


@pytest.mark.parametrize(
    ("over", "aggregate", "message"),
    [
        (window.trailing("1 minute"), agg.sum("v"), "only a single tumbling or hopping window"),
        (window.tumbling("1 minute"), agg.longest_increasing_run("v"), "depends on the order"),
    ],
)
def test_what_is_not_reduced_is_refused(
    rows: DataFrame, over: Any, aggregate: Any, message: str
) -> None:
    found = wr.over(rows, time="t").window(over).aggregate(x=aggregate)
    with pytest.raises(InputError, match=message):
        found.reduction()
