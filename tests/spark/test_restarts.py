"""A stream that is stopped and started again from its checkpoint answers as if it never was."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from tests.spark.streams import LATENESS, joined, stream
from tests.spark.support import AGGREGATES, SCHEMA, Asked, Row
from windrow import agg, window
from windrow.plan import Strategy
from windrow.testing import Feed, check_rows
from windrow.window import Order
from windrow.windows import Window

NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)
CHOSEN = {name: AGGREGATES[name] for name in ("free", "mean", "last_time")}


def row(second: float, key: str | None, number: int) -> Row:
    """A row with something in every column that a query of these tests reads."""
    names = ("v", "w", "i", "b", "s", "d", "s1", "e1")
    blank: dict[str, Any] = dict.fromkeys(names)
    at = NOON + timedelta(seconds=second)
    return {"k": key, "t": at, **blank, "i": number, "v": number / 4, "e1": number % 3 == 0}


# Rows late by less than the lateness, keys that come and go, a silence that closes sessions.
BATCHES = [
    [row(0, "a", 1), row(7, "b", 2), row(3, "a", 3)],
    [row(22, "a", 4), row(12, None, 5), row(5, "b", 6)],
    [row(60, "b", 7), row(41, "a", 8)],
    [row(58, None, 9), row(61, "b", 10)],
]


@pytest.mark.parametrize(
    "over",
    [
        window.trailing("15 s"),
        pytest.param(window.session("9 s"), marks=pytest.mark.slow),
        pytest.param(window.count(2), marks=pytest.mark.slow),
        pytest.param(window.hopping("9 s", every="4 s"), marks=pytest.mark.slow),
    ],
    ids=repr,
)
def test_a_restart_after_every_micro_batch_changes_nothing(
    spark: SparkSession, over: Window
) -> None:
    asked = Asked(over, CHOSEN)
    with stream(spark, asked) as run:
        for batch in BATCHES:
            run.add(batch)
            run.restart()
        run.watermark(NOON + timedelta(hours=1))
        asked.check(run.rows, joined(BATCHES))


@pytest.mark.slow
def test_each_step_of_a_restarted_stream_answers_the_same(spark: SparkSession) -> None:
    asked = Asked(window.trailing(rows=2), CHOSEN)
    with stream(spark, asked) as whole, stream(spark, asked) as restarted:
        for batch in BATCHES:
            restarted.restart()
            check_rows(restarted.add(batch), whole.add(batch))


@pytest.mark.slow
def test_rows_applied_as_they_arrive_survive_restarts(spark: SparkSession) -> None:
    asked = Asked(window.trailing("15 s"), CHOSEN, order=Order.ARRIVAL)
    with stream(spark, asked) as run:
        for batch in BATCHES:
            run.add(batch)
            run.restart()
        asked.check(run.rows, joined(BATCHES))


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(Asked(window.trailing("16 s"), CHOSEN), id="longer", marks=pytest.mark.slow),
        pytest.param(
            Asked(window.session("15 s"), CHOSEN), id="other window", marks=pytest.mark.slow
        ),
        pytest.param(
            Asked(window.trailing("15 s"), CHOSEN | {"free": agg.sum("i")}),
            id="other aggregate",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            Asked(window.trailing("15 s"), CHOSEN | {"mean": agg.mean("w")}),
            id="other column",
            marks=pytest.mark.slow,
        ),
        pytest.param(Asked(window.trailing("15 s"), CHOSEN, by="s"), id="other key"),
        pytest.param(
            Asked(window.trailing("15 s"), CHOSEN, order=Order.ARRIVAL),
            id="other order",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_changed_query_is_refused_and_the_old_one_can_go_on(
    spark: SparkSession, changed: Asked
) -> None:
    asked = Asked(window.trailing("15 s"), CHOSEN)
    with Feed(spark, SCHEMA, time="t", lateness=LATENESS) as feed:
        run = feed.start(asked.of(feed.frame))
        run.add(BATCHES[0])
        run.restart(changed.of(feed.frame))
        with pytest.raises(StreamingQueryException) as refused:
            run.add(BATCHES[1])
        assert "the checkpoint holds the state of another query" in str(refused.value)
        run.restart(asked.of(feed.frame))
        run.watermark(NOON + timedelta(hours=1))
        asked.check(run.rows, joined(BATCHES[:2]))


@pytest.mark.parametrize(
    "changed",
    [
        Asked(window.tumbling("10 s"), {"peak": agg.min("i")}),
        Asked(window.tumbling("20 s"), {"peak": agg.max("i")}),
    ],
    ids=["other aggregate", "other window"],
)
def test_a_changed_query_that_spark_runs_itself_is_refused_too(
    spark: SparkSession, changed: Asked
) -> None:
    asked = Asked(window.tumbling("10 s"), {"peak": agg.max("i")})
    with Feed(spark, SCHEMA, time="t", lateness=LATENESS) as feed:
        query: Any = asked.of(feed.frame)
        assert query.plan().strategy is Strategy.NATIVE
        run = feed.start(query)
        run.add(BATCHES[0])
        run.restart(changed.of(feed.frame))
        with pytest.raises(StreamingQueryException, match="VALUE_SCHEMA_NOT_COMPATIBLE"):
            run.add(BATCHES[1])
        run.restart(asked.of(feed.frame))
        run.watermark(NOON + timedelta(hours=1))
        asked.check(run.rows, joined(BATCHES[:2]))
