"""A key that has most rows of a stream for a while changes no result, nor do restarts."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.spark.streams import end_of, stream
from tests.spark.support import AGGREGATES, Asked, Row
from windrow import window
from windrow.windows import Window

NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)
NAMES = ("sum_of_integers", "median", "count", "last", "free")
PARTITIONS = "spark.sql.shuffle.partitions"


def micro_batch(number: int, *, hot: bool) -> list[Row]:
    """A minute of 60 rows, of six keys in turn, or nearly all of one; some 10 seconds late."""
    blank: dict[str, Any] = dict.fromkeys(("w", "b", "s", "d", "s1", "e1"))
    start = NOON + timedelta(minutes=number)
    return [
        {
            "k": "a" if hot and i % 20 else "abcdef"[i % 6],
            "t": start + timedelta(seconds=i - 10 * (i % 4 == 0)),
            **blank,
            "i": i,
            "v": i / 4,
        }
        for i in range(60)
    ]


@pytest.fixture(params=["1", "3"], ids="{} partitions".format)
def partitions(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[None]:
    before = str(spark.conf.get(PARTITIONS))
    spark.conf.set(PARTITIONS, request.param)
    yield
    spark.conf.set(PARTITIONS, before)


@pytest.mark.usefixtures("partitions")
@pytest.mark.parametrize(
    "over",
    [window.hopping("20 s", every="7 s"), window.trailing("15 s"), window.session("2 s")],
    ids=repr,
)
def test_a_key_may_heat_up_and_cool_down(spark: SparkSession, over: Window) -> None:
    asked = Asked(over, {name: AGGREGATES[name] for name in NAMES})
    rows: list[Row] = []
    with stream(spark, asked) as run:
        for number, hot in enumerate([False, True, True, False]):
            rows += (batch := micro_batch(number, hot=hot))
            run.add(batch)
            if hot:
                run.restart()
        run.watermark(end_of(rows))
        asked.check(run.rows, rows)
