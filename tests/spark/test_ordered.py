"""Results in one total order, whatever the parallelism, the input's order and the micro-batches."""

import random
from datetime import timedelta
from typing import Any

import pytest
from pyspark.sql import SparkSession

import windrow as wr
from tests.spark.streams import LATENESS, end_of
from tests.spark.support import AGGREGATES, SCHEMA, Row, frame_of
from tests.spark.test_parallel import EPOCH, MICRO_BATCHES, ROWS, us
from windrow import agg, window
from windrow.errors import InputError
from windrow.spark.batch import hot_keys
from windrow.testing import Feed
from windrow.windows import Window

EXACT = {name: AGGREGATES[name] for name in ("sum_of_integers", "count", "max_of_decimals")}


def in_order(rows: list[Any]) -> bool:
    """By end, start and key, null first; Python sorts text by code points, as UTF-8 does."""
    places = [
        (row["window"]["end"], row["window"]["start"], row["k"] is not None, row["k"] or "")
        for row in rows
    ]
    return places == sorted(places)


def test_a_batch_is_in_order_and_the_same_for_any_parallelism(spark: SparkSession) -> None:
    found = []
    shuffled = random.Random(7).sample(ROWS, len(ROWS))
    for rows, (method, units) in (
        (ROWS, ("auto", None)),
        (shuffled, ("time", 3)),
        (shuffled[::-1], ("hash-once", 7)),
    ):
        query = wr.over(frame_of(spark, rows), time="t", by="k").parallel(method, units=units)
        over = query.window(window.hopping(us(1000), us(270)))
        found.append(over.ordered().aggregate(**EXACT).collect())
    assert in_order(found[0])
    assert found[0] == found[1] == found[2]


def test_results_of_rows_go_by_time_and_key(spark: SparkSession) -> None:
    query = wr.over(frame_of(spark, ROWS[::-1]), time="t", by="k").window(window.trailing(rows=2))
    found = query.keep("i").ordered().aggregate(n=agg.count()).collect()
    places = [(row["t"], row["k"] is not None, row["k"] or "", row["i"]) for row in found]
    assert places == sorted(places)


def test_zero_is_one_key_whichever_sign_comes_first(spark: SparkSession) -> None:
    rows = [(us(number), -0.0 if number % 3 else 0.0) for number in range(-9, 9)]
    found = []
    for given, (method, units) in ((rows, ("keys", 2)), (rows[::-1], ("time", 3))):
        frame = spark.createDataFrame(
            [(EPOCH + time, key) for time, key in given], "t timestamp, k double"
        )
        query = wr.over(frame, time="t", by="k").parallel(method, units=units)
        over = query.window(window.hopping(us(4), us(2))).ordered()
        found.append(repr(over.aggregate(first=agg.first(agg.TIME)).collect()))
    assert found[0] == found[1]
    assert "-0.0" not in found[0]


def test_results_may_hold_maps_which_have_no_order(spark: SparkSession) -> None:
    frame = spark.sql(
        "SELECT timestamp_seconds(10 - id) AS t, id, map('id', id) AS m, array(map('id', id)) AS a "
        "FROM range(10)"
    )
    query = wr.over(frame, time="t").windows(
        one=window.trailing(rows=1), two=window.trailing("2 s")
    )
    found = query.ordered().aggregate(m=agg.last("m"), a=agg.last("a")).collect()
    assert [row["one"]["m"]["id"] for row in found] == [*range(9, -1, -1)]
    hours = wr.over(frame, time="t").window(window.tumbling("5 s")).ordered()
    assert [row["a"][0]["id"] for row in hours.aggregate(a=agg.last("a")).collect()] == [6, 1, 0]


@pytest.mark.parametrize("over", [window.hopping("10 s", every="4 s"), window.session("3 s")])
def test_a_stream_is_in_order_whatever_its_micro_batches(spark: SparkSession, over: Window) -> None:
    rows: list[Row] = [row for batch in MICRO_BATCHES for row in batch]
    found = []
    for cuts, units in ((MICRO_BATCHES, None), ([rows[:3], rows[3:]], 3)):
        with Feed(spark, SCHEMA, time="t", lateness=LATENESS) as feed:
            query = wr.over(feed.frame, time="t", by="k").parallel("keys", units=units)
            run = feed.start(query.window(over).ordered().aggregate(**EXACT))
            for batch in cuts:
                run.add(batch)
            run.restart()
            run.watermark(end_of(rows))
            found.append(run.rows)
    first, second = found
    assert in_order(first)
    assert first == second


def test_results_of_a_stream_that_come_again_or_late_have_no_order(spark: SparkSession) -> None:
    with Feed(spark, SCHEMA, time="t", lateness=timedelta(seconds=1)) as feed:
        tumbling = wr.over(feed.frame, time="t").window(window.tumbling("1 s")).ordered()
        with pytest.raises(InputError, match="emit='on_change' emits it again"):
            tumbling.aggregate(n=agg.count(), emit="on_change")
        started = wr.over(feed.frame, time="t").window(window.punctuated(start="s1")).ordered()
        with pytest.raises(InputError, match="mark its end"):
            started.aggregate(n=agg.count())
        arriving = wr.over(feed.frame, time="t", order="arrival").window(window.count(2))
        with pytest.raises(InputError, match="order='arrival'"):
            arriving.ordered().aggregate(n=agg.count())


@pytest.mark.parametrize("by", ["k", None])
def test_slots_of_time_follow_one_another(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, by: str | None
) -> None:
    monkeypatch.setattr(hot_keys, "_ONE_IN", 1)
    # Each slot has the rows that its windows begin with, and gives results of its own rows only.
    shuffled = random.Random(7).sample(ROWS, len(ROWS))
    query = wr.over(frame_of(spark, shuffled), time="t", by=by or (), sample="always")
    wide = query.window(window.trailing(us(200))).keep("i")
    ordered = wide.ordered().aggregate(**EXACT)
    [*_, last] = ordered.plan().stages
    assert last.operators == ("Sort",)
    found = ordered.collect()
    times = [row["t"] for row in found]
    assert times == sorted(times)
    plain = wide.parallel("keys").ordered().aggregate(**EXACT)
    assert plain.plan().stages[-1].operators == ("Exchange", "Sort")
    assert found == plain.collect()
