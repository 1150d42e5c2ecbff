"""A stream fed by hand does what it was told, step by step."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from math import inf, nan
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from windrow.errors import InputError
from windrow.testing import Feed, check_rows

NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)


def at(minute: float) -> datetime:
    return NOON + timedelta(minutes=minute)


@pytest.mark.spark_floor
def test_rows_and_watermarks_move_a_query_step_by_step(spark: SparkSession) -> None:
    with Feed(spark, "`a time` timestamp", time="a time", lateness="10 minutes") as feed:
        windows = F.window("`a time`", "5 minutes")
        run = feed.start(feed.frame.groupBy(windows).agg(F.count("*").alias("n")))
        assert run.add([{"a time": at(0)}, {"a time": at(6)}]) == []
        assert run.watermark(at(4)) == []
        (first,) = run.watermark(at(5))
        run.restart()
        assert run.add([{"a time": at(7)}]) == []
        (second,) = run.watermark("2024-07-01 14:10")  # of Berlin, the zone of the session
        assert [first["n"], second["n"]] == [1, 2]
        assert first["window"] == {"start": at(0), "end": at(5)}
        assert run.rows == [first, second]
        assert run.progress[-1]["eventTime"]["watermark"].startswith("2024-07-01T12:10")


def test_values_arrive_as_they_were_sent(spark: SparkSession) -> None:
    columns = (
        "t timestamp, clock timestamp_ntz, day date, x double, price decimal(10,2), raw binary, "
        "text string, list array<int>, pair struct<a: int, b: string>"
    )
    sent: dict[str, Any] = {
        "t": at(0.1),
        "clock": datetime(2024, 3, 31, 2, 30, 0, 1),  # an hour that Berlin's clocks leave out
        "day": NOON.date(),
        "x": nan,
        "price": Decimal("1.10"),
        "raw": b"\x00\xff",
        "text": "ü\n\u2028",
        "list": [1, None],
        "pair": {"a": 1, "b": None},
    }
    empty = dict.fromkeys(sent)
    with Feed(spark, columns, time="t") as feed:
        run = feed.start(feed.frame)
        check_rows(run.add([sent, {"x": -inf}]), [sent, empty | {"x": -inf}])


def test_what_does_not_fit_the_schema_is_refused(spark: SparkSession) -> None:
    with Feed(spark, "t timestamp", time="t") as feed:
        with pytest.raises(InputError, match=r"has \['v'\], which the schema has not"):
            feed.put([{"t": NOON, "v": 1}])
        with pytest.raises(InputError, match="to='noon' is no time"):
            feed.tick("noon")
    with pytest.raises(InputError, match="time='ts' is no column"):
        Feed(spark, "t timestamp", time="ts")


def test_a_closed_feed_leaves_nothing_behind(spark: SparkSession) -> None:
    with Feed(spark, "t timestamp", time="t") as feed:
        run = feed.start(feed.frame)
        run.add([{"t": NOON}])
        assert feed.folder.is_dir()
    assert not feed.folder.exists()
    run.stop()  # once more does no harm
