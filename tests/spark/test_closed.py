"""Trailing windows with chosen ends and ties: what a query says of them, and what it refuses."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import windrow as wr
from tests.spark.streams import stream
from tests.spark.support import Asked
from windrow import agg, window
from windrow.errors import InputError
from windrow.spark.analysis.resolve import read
from windrow.spark.state.signature import signature_of
from windrow.window import Closed, Emit, Ties

pytestmark = pytest.mark.usefixtures("one_partition")

NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)
BOTH = window.trailing("10 s", closed="both", ties="together")


@pytest.fixture
def df(spark: SparkSession) -> DataFrame:
    return spark.sql("SELECT timestamp '2024-01-01' AS t, 'a' AS k, 1.0D AS v")


def test_plans_and_what_state_depends_on_tell_ends_and_ties(df: DataFrame) -> None:
    over = wr.over(df, time="t", by="k")
    kinds = [window.trailing("10 s", closed=c, ties=t) for c in Closed for t in Ties]
    told = {signature_of(read(over.window(kind), (("v", agg.sum("v")),))) for kind in kinds}
    assert len(told) == len(kinds)
    plan = over.window(BOTH).plan(sum=agg.sum("v"))
    assert "trailing('10 seconds', closed='both', ties='together')" in plan.query


def test_ties_together_are_not_for_the_order_of_arrival(df: DataFrame) -> None:
    query = wr.over(df, time="t", order="arrival").window(BOTH)
    with pytest.raises(InputError, match=r"ties='together' .* leave order out, or use ties='arr"):
        query.aggregate(n=agg.count())


@pytest.mark.parametrize(("closed", "nearest"), [("left", "both"), ("neither", "right")])
def test_buckets_are_not_for_windows_without_the_time_of_their_row(
    df: DataFrame, closed: str, nearest: str
) -> None:
    query = wr.over(df, time="t").window(window.trailing("10 s", closed=closed))
    with pytest.raises(InputError, match=f"closed='{closed}' .*; use closed='{nearest}', or leave"):
        query.aggregate(sum=agg.sum("v").within(relative=0.1))


def row(second: int, number: int) -> dict[str, Any]:
    empty = dict.fromkeys(("v", "w", "b", "s", "d", "s1", "e1"))
    return {"k": "a", "t": NOON + timedelta(seconds=second), "i": number, **empty}


def test_rows_of_one_time_that_come_apart_are_in_each_others_windows(spark: SparkSession) -> None:
    batches = [[row(0, 1), row(10, 2)], [row(10, 4), row(3, 8)], [row(10, 16), row(11, 32)]]
    for emit in Emit:
        asked = Asked(BOTH, {"all": agg.collect("i")}, emit=emit)
        with stream(spark, asked) as run:
            found = [answer for batch in batches for answer in run.add(batch)]
            found += run.watermark(NOON + timedelta(minutes=5))
        wanted = {
            (0, (1,)),
            (3, (1, 8)),
            (10, (1, 8, 2, 4, 16)),
            (11, (8, 2, 4, 16, 32)),
        }
        told = {((answer["t"] - NOON).seconds, tuple(answer["all"])) for answer in found}
        assert told >= wanted if emit is Emit.ON_CHANGE else told == wanted
        last = [a for a in found if tuple(a["all"]) == (1, 8, 2, 4, 16)]
        assert len(last) == 3  # each of them says so, though two were answered before
