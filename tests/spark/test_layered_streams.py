"""A stream over the layers of a plan: what a batch gives, also where widths change under way."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from tests.spark.layered_plans import layered
from tests.spark.streams import LATENESS, joined
from tests.spark.support import AGGREGATES, SCHEMA, Asked, Row
from tests.spark.test_agreement_late import counted
from windrow import agg, window
from windrow.testing import Feed, check_rows
from windrow.windows import Emit

NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)
LATER = NOON + timedelta(hours=1)
CHOSEN = {name: AGGREGATES[name] for name in ("mean", "collect", "sum_of_integers", "distinct")}
ASKED = Asked(window.tumbling("10 s"), CHOSEN | {"n": agg.count()})


def row(second: float, key: str | None, number: int) -> Row:
    names = ("v", "w", "i", "b", "s", "d", "s1", "e1")
    blank: dict[str, Any] = dict.fromkeys(names)
    at = NOON + timedelta(seconds=second)
    return {"k": key, "t": at, **blank, "i": number, "v": number / 4}


def batch(number: int) -> list[Row]:
    """Rows of some fifteen seconds, each of its own time; periods reach from batch to batch."""
    return [
        row(12 * number + place * 0.29, ("a", "b", None)[place % 3], 100 * number + place)
        for place in range(50)
    ]


BATCHES = [batch(number) for number in range(5)]


def test_micro_batches_give_what_a_batch_gives_and_rates_add_up(spark: SparkSession) -> None:
    asked = Asked(ASKED.window, ASKED.aggregates, by=None)
    with Feed(spark, SCHEMA, time="t", lateness=LATENESS) as feed:
        query = layered(feed.frame, asked, (3, 2, 1))
        run = feed.start(query)
        for rows in BATCHES[:2]:
            run.add(rows)
        run.watermark(LATER)
        asked.check(run.rows, joined(BATCHES[:2]))
        first, second, sink = query.rates().layers
        assert first.items_in == len(joined(BATCHES[:2]))
        assert second.items_in == first.items_out > 0
        assert sink.items_in == second.items_out > 0
        assert sink.items_out > 0  # what its buckets keep


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param([(13, 7, 1), (5, 1), (1,)], marks=pytest.mark.spark_floor),
        pytest.param([(1,), (3, 2), (2, 5, 1), (4, 1), (1,)], marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_widths_may_change_with_every_restart(
    spark: SparkSession, changes: list[tuple[int, ...]]
) -> None:
    with Feed(spark, SCHEMA, time="t", lateness=LATENESS) as feed:
        run = feed.start(layered(feed.frame, ASKED, changes[0]))
        run.add(BATCHES[0])
        for widths, rows in zip(changes[1:], BATCHES[1:], strict=False):
            run.restart(layered(feed.frame, ASKED, widths))
            run.add(rows)
        run.watermark(LATER)
        ASKED.check(run.rows, joined(BATCHES[: len(changes)]))


@pytest.mark.slow
def test_a_query_without_a_plan_can_go_on_with_one(spark: SparkSession) -> None:
    aggregates = {"n": agg.count(), "mean": agg.mean("v")}
    plain = Asked(ASKED.window, aggregates, options={"strategy": "stateful"})
    with Feed(spark, SCHEMA, time="t", lateness=LATENESS) as feed:
        run = feed.start(plain.of(feed.frame))
        run.add(BATCHES[0])
        run.restart(layered(feed.frame, plain, (3, 1)))
        run.add(BATCHES[1])
        run.watermark(LATER)
        plain.check(run.rows, joined(BATCHES[:2]))


@pytest.mark.slow
def test_other_aggregates_are_refused_on_the_checkpoint(spark: SparkSession) -> None:
    asked, other = Asked(ASKED.window, {"n": agg.count()}), Asked(ASKED.window, {"n": agg.sum("i")})
    with Feed(spark, SCHEMA, time="t", lateness=LATENESS) as feed:
        run = feed.start(layered(feed.frame, asked, (3, 1)))
        run.add(BATCHES[0])
        run.restart(layered(feed.frame, other, (3, 1)))
        with pytest.raises(StreamingQueryException, match="state of another query"):
            run.add(BATCHES[1])


EARLY = [row(second, "a", second) for second in (0, 1, 100)]
MIXED = [row(second, "a", number) for number, second in enumerate((2, 75, 85, 101, 69))]
UNTIMED = {**MIXED[0], "t": None}
IN_TIME = [*EARLY, *MIXED[2:4]]  # the watermark stands at 80 s, where the period of 75 s ends
LATE = [*MIXED[:2], MIXED[4]]


def test_late_rows_are_left_out_and_counted(spark: SparkSession) -> None:
    asked = Asked(ASKED.window, {"n": agg.count()})
    with Feed(spark, SCHEMA, time="t", lateness=LATENESS) as feed:
        run = feed.start(layered(feed.frame, asked, (4, 1)))
        for rows in (EARLY, [*MIXED, UNTIMED]):
            run.add(rows)
        run.watermark(LATER)
        asked.check(run.rows, IN_TIME)
        assert counted(run, "rows") == len(EARLY) + len(MIXED) + 1
        assert counted(run, "late") == len(LATE)
        assert counted(run, "untimed") == 1


@pytest.mark.slow
def test_late_rows_are_those_of_the_query_without_a_plan(spark: SparkSession) -> None:
    asked = Asked(ASKED.window, {"n": agg.count()}, options={"strategy": "stateful"})
    with Feed(spark, SCHEMA, time="t", lateness=LATENESS) as feed:
        by_plan = layered(feed.frame, asked, (4, 2, 1))
        planned, plain = feed.start(by_plan), feed.start(asked.of(feed.frame))
        late = feed.start(by_plan.late())
        for rows in (EARLY, [*MIXED, UNTIMED]):
            planned.add(rows)
        planned.watermark(LATER)
        plain.finish()
        late.finish()
        check_rows(planned.rows, plain.rows)
        check_rows(late.rows, [*LATE, UNTIMED])
        for what in ("rows", "late", "untimed"):
            assert counted(planned, what) == counted(plain, what)


@pytest.mark.slow
def test_results_on_change_follow_the_rows(spark: SparkSession) -> None:
    asked = Asked(ASKED.window, {"n": agg.count()}, by=None, emit=Emit.ON_CHANGE)
    with Feed(spark, SCHEMA, time="t", lateness=LATENESS) as feed:
        run = feed.start(layered(feed.frame, asked, (3, 1)), mode="update")
        told = run.add([row(second, "a", 1) for second in (1, 2, 3, 11)])
        assert sorted(found["n"] for found in told) == [1, 3]
        assert [found["n"] for found in run.add([row(4, "a", 2)])] == [4]
