"""A batch over the layers of a plan gives what it gives without a plan, whatever the widths."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr
from tests.spark.layered_plans import UNORDERED, layered, plan_of
from tests.spark.support import Asked, Row, aggregates_of, drawn_rows, examples, frame_of
from windrow import agg, window
from windrow.errors import AggregateError, InputError, WindowError
from windrow.testing import check_rows
from windrow.testing.comparison import rows_of
from windrow.topology.model import Routing
from windrow.windows import Emit

NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)
SECONDS = st.integers(1, 40)


def asked_for(data: st.DataObject) -> Asked:
    seconds = data.draw(SECONDS, label="period")
    aggregates = data.draw(aggregates_of(UNORDERED))
    by = data.draw(st.sampled_from(("k", None)))
    return Asked(window.tumbling(timedelta(seconds=seconds)), aggregates, by=by)


@pytest.mark.parametrize(
    ("widths", "number"),
    [
        pytest.param((1,), 3, id="1"),
        pytest.param((3, 1), 3, id="3-1", marks=pytest.mark.spark_floor),
        pytest.param((2, 5, 1), 2, id="2-5-1"),
        pytest.param((13, 7, 4, 2, 1), 2, id="13-7-4-2-1"),
        pytest.param((4, 3), 2, id="a wide sink"),
        pytest.param((5,), 2, id="a wide sink alone", marks=pytest.mark.slow),
    ],
)
def test_any_widths_give_what_recomputing_gives(
    spark: SparkSession, widths: tuple[int, ...], number: int
) -> None:
    @examples(number)
    @given(data=st.data(), rows=drawn_rows)
    def hold(data: st.DataObject, rows: list[Row]) -> None:
        asked = asked_for(data)
        asked.check(layered(frame_of(spark, rows), asked, widths), rows)

    hold()


def test_a_lost_row_is_caught(spark: SparkSession) -> None:
    rows = [blank(second, "a", second) for second in range(50)]
    asked = Asked(window.tumbling("20 s"), {"n": agg.count()})
    found = layered(frame_of(spark, rows[1:]), asked, (3, 1))
    with pytest.raises(AssertionError, match="missing"):
        asked.check(found, rows)


def blank(second: float, key: str | None, number: int) -> Row:
    names = ("v", "w", "i", "b", "s", "d", "s1", "e1")
    empty: dict[str, Any] = dict.fromkeys(names)
    return {"k": key, "t": NOON + timedelta(seconds=second), **empty, "i": number}


def test_columns_and_types_are_those_of_the_query_without_a_plan(spark: SparkSession) -> None:
    asked = Asked(
        window.tumbling("10 s"), {"peak": agg.max("v"), "mean": agg.mean("d"), "n": agg.count()}
    )
    frame = frame_of(spark, [])
    assert layered(frame, asked, (3, 1)).dtypes == asked.of(frame).dtypes


@pytest.mark.parametrize("widths", [(1,), (3, 2, 1)], ids=str)
def test_no_rows_give_no_periods(spark: SparkSession, widths: tuple[int, ...]) -> None:
    asked = Asked(window.tumbling("10 s"), {"n": agg.count(), "all": agg.collect("i")})
    found = layered(frame_of(spark, []), asked, widths)
    assert found.collect() == []
    assert found.rates().layers[0].items_in == 0


def test_rows_without_a_time_are_in_no_period_but_shown(spark: SparkSession) -> None:
    timed = [blank(second, "a", second) for second in range(5)]
    untimed = [{**blank(0, "b", number), "t": None} for number in range(3)]
    asked = Asked(window.tumbling("10 s"), {"n": agg.count()})
    found = layered(frame_of(spark, timed + untimed), asked, (3, 1))
    asked.check(found, timed)
    assert sorted(row.i for row in found.late().collect()) == [0, 1, 2]
    assert found.rates().layers[0].items_in == len(timed)


def many(spark: SparkSession, rows: int, tasks: int = 3) -> DataFrame:
    """Rows of ten minutes and two keys, with numbers from 0 on."""
    second = F.col("id") * 600 / rows
    return spark.range(0, rows, 1, tasks).select(
        F.timestamp_seconds(1_700_000_400 + second).alias("ts"),
        (F.col("id") % 2).alias("k"),
        F.col("id").alias("v"),
    )


@pytest.mark.parametrize("widths", [(1,), (4, 2, 1)], ids=str)
def test_states_that_hold_values_and_their_times_come_through(
    spark: SparkSession, widths: tuple[int, ...]
) -> None:
    rows = 30_000
    found = plan_of(*widths, period_s=300).run(
        many(spark, rows),
        by="k",
        all=agg.collect("v"),
        oldest=agg.first("v"),
        newest=agg.last("v"),
        middle=agg.median("v"),
        different=agg.distinct("v"),
        sketched=agg.distinct_sketch("v"),
        rank=agg.quantile_sketch(0.5, "v"),
    )
    told = {(row.window.start, row.k): row for row in found.collect()}
    assert len(told) == 4
    for number, (_, key) in enumerate(sorted(told)):
        row = told[sorted(told)[number]]
        values = range(rows // 2 * (number // 2) + key, rows // 2 * (number // 2 + 1), 2)
        assert row.all == list(values)
        assert (row.oldest, row.newest) == (values[0], values[-1])
        assert row.middle == (values[0] + values[-1]) / 2
        assert row.different == len(values)
        assert row.sketched == pytest.approx(len(values), rel=0.1)
        assert row.rank == pytest.approx(row.middle, abs=rows * 0.1)


def test_a_layer_that_routes_by_key_gives_the_same(spark: SparkSession) -> None:
    by_key = plan_of(3, 2, 1, routing=Routing.KEY).run(many(spark, 600), agg.sum("v"), by="k")
    evenly = plan_of(3, 2, 1).run(many(spark, 600), agg.sum("v"), by="k")
    check_rows(by_key, rows_of(evenly))
    busy = [node.node for node in by_key.rates().layers[0].nodes if node.items_in]
    assert len(busy) <= 2  # there are two keys


def test_one_aggregate_needs_no_name_and_one_timestamp_no_mention(spark: SparkSession) -> None:
    found = plan_of(2, 1).run(many(spark, 600), agg.count())
    assert found.columns == ["window", "value"]
    assert [row.value for row in found.collect()] == [60] * 10  # the plan's own period: a minute
    flat = wr.over(many(spark, 600), time="ts").window(window.tumbling("1 minute"))
    assert found.dtypes == flat.aggregate(value=agg.count()).dtypes


def test_it_explains_itself(spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    plan_of(13, 7, 1).run(many(spark, 60), agg.count(), by="k").explain()
    told = capsys.readouterr().out
    assert "layers of 13 → 7 → 1 nodes" in told
    assert "one of each k, period and node" in told


@pytest.mark.parametrize(
    "ordered",
    [agg.argmax("v", "k"), agg.longest_increasing_run("v")],
    ids=lambda part: part.monoid.name,
)
def test_an_aggregate_that_needs_the_order_of_rows_is_refused(
    spark: SparkSession, ordered: Any
) -> None:
    with pytest.raises(AggregateError, match=r"order of rows.*windrow\.over"):
        plan_of(3, 1).run(many(spark, 10), ordered)


def test_a_users_own_ordered_monoid_is_refused(spark: SparkSession) -> None:
    joined = wr.monoid(lift=str, combine=lambda a, b: a + b, identity="", returns="string")
    with pytest.raises(AggregateError, match="order of rows"):
        plan_of(3, 1).run(many(spark, 10), agg.of(joined, "v"))


@pytest.mark.parametrize(
    ("wrong", "error", "complaint"),
    [
        ({"period": "0 s"}, InputError, "period='0 s'"),
        ({"period": 60}, WindowError, "period=60 has no unit"),
        ({"emit": "never"}, InputError, "emit='never'"),
        ({"time": "tz"}, InputError, "time='tz' is not in the DataFrame"),
        ({"n": agg.count()}, AggregateError, "without a name among others"),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused(
    spark: SparkSession, wrong: dict[str, Any], error: type[Exception], complaint: str
) -> None:
    with pytest.raises(error, match=complaint):
        plan_of(3, 1).run(many(spark, 10), agg.count(), **wrong)


def test_the_time_must_be_named_if_there_are_several_or_none(spark: SparkSession) -> None:
    two = many(spark, 10).withColumn("sent", F.col("ts"))
    with pytest.raises(InputError, match="several timestamps: 'ts', 'sent'"):
        plan_of(1).run(two, agg.count())
    with pytest.raises(InputError, match="no timestamp among its columns: 'k', 'v'"):
        plan_of(1).run(two.select("k", "v"), agg.count())
    with pytest.raises(InputError, match="not a Spark DataFrame"):
        plan_of(1).run([1, 2], agg.count())


def test_a_batch_told_on_change_is_told_as_it_is(spark: SparkSession) -> None:
    found = plan_of(3, 1).run(many(spark, 600), agg.count(), emit=Emit.ON_CHANGE)
    assert [row.value for row in found.collect()] == [60] * 10
