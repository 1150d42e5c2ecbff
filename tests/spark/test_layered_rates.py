"""Measured rates stand beside planned ones, and add up from layer to layer."""

import pytest
from pyspark.sql import SparkSession

import windrow as wr
from tests.spark.layered_plans import RATE, plan_of
from tests.spark.test_layered_batch import many
from windrow import agg, window
from windrow.errors import InputError
from windrow.spark.topology.rates import rates_of
from windrow.spark.topology.result import with_rates
from windrow.spark.topology.tally import Counts, Tally

TASKS = 3


def test_rates_add_up_and_rows_are_shared_evenly(spark: SparkSession) -> None:
    rows = 5_000
    result = plan_of(13, 7, 1).run(many(spark, rows, TASKS), agg.mean("v"))
    assert result.rates().layers[0].items_in == 0  # nothing was computed yet
    assert len(result.collect()) == 10
    rates = result.rates()
    first, second, sink = rates.layers

    assert first.items_in == rows
    shares = [node.items_in for node in first.nodes]
    assert max(shares) - min(shares) <= TASKS  # each task deals out in turn
    assert second.items_in == first.items_out == 13 * 10
    taken = [node.items_in for node in second.nodes]
    assert max(taken) - min(taken) <= 10  # 13 of each of ten periods: one or two for each node
    assert sink.items_in == second.items_out == 7 * 10
    assert all(layer.bytes_in > 0 for layer in rates.layers)

    assert rates.periods == 10
    assert first.mean_per_s == pytest.approx(rows / 13 / 600, rel=0.01)
    assert second.mean_per_s == pytest.approx(13 / 7 / 60)
    assert second.mean_per_s == pytest.approx(second.usual_per_s)  # as it was planned
    assert (first.usual_per_s, first.bound_per_s) == (RATE / 13, 2 * RATE / 13)


def test_what_is_computed_twice_counts_twice(spark: SparkSession) -> None:
    result = plan_of(2, 1).run(many(spark, 100), agg.count())
    result.collect()
    result.select("value").collect()
    assert result.rates().layers[0].items_in == 200


def test_with_keys_there_is_a_state_of_each_key_node_and_period(spark: SparkSession) -> None:
    result = plan_of(4, 2, 1).run(many(spark, 4_000), agg.count(), by="k")
    result.collect()
    first, second, sink = result.rates().layers
    assert first.items_out == 4 * 2 * 10
    assert second.items_out == sink.items_in == 2 * 2 * 10


def test_the_sink_alone_takes_in_the_rows(spark: SparkSession) -> None:
    result = plan_of(1).run(many(spark, 500), agg.count())
    result.collect()
    (sink,) = result.rates().layers
    assert [node.items_in for node in sink.nodes] == [500]


def test_a_report_of_known_counts() -> None:
    tally = Tally(first_us=30_000_000, last_us=130_000_000)
    tally.add(Tally({(1, 0): Counts(60, 600, 3), (1, 1): Counts(40, 400, 3)}, 40_000_000))
    tally.add(Tally({(2, 0): Counts(6, 90)}, None, 90_000_000))
    rates = rates_of(plan_of(2, 1), tally, 60_000_000)
    assert (rates.seconds, rates.periods) == (100.0, 3)
    first, sink = rates.layers
    assert (first.items_in, first.bytes_in, first.items_out) == (100, 1000, 6)
    assert (first.mean_per_s, first.most_per_s) == (0.5, 0.6)
    assert sink.most_per_s == 6 / 180
    head, title, *lines = str(rates).split("\n")
    assert head == "100 rows over 100 s of event time, 3 periods of 1 minute"
    assert title.split()[:2] == ["layer", "nodes"]
    assert [line.split() for line in lines] == [
        ["1", "2", "100", "1,000", "6", "0.5", "0.6", "50", "100"],
        ["2", "1", "6", "90", "0", "0.03333", "0.03333", "0.03333", "0.06667"],
    ]
    assert [(told["layer"], told["node"], told["items_per_s"]) for told in rates.rows()] == [
        (1, 0, 0.6),
        (1, 1, 0.4),
        (2, 0, 6 / 180),
    ]


def test_rows_of_one_moment_have_no_rate() -> None:
    moment = Tally({(1, 0): Counts(5, 50)}, 1, 1)
    rates = rates_of(plan_of(1), moment, 60_000_000)
    assert rates.layers[0].mean_per_s is None
    assert str(rates).split("\n")[2].split()[5:7] == ["-", "-"]


def test_connect_has_no_rates(spark: SparkSession) -> None:
    query = wr.over(many(spark, 10), time="ts").window(window.tumbling("1 minute"))
    untold = with_rates(query.aggregate(n=agg.count()), plan_of(1), 60_000_000, None)
    with pytest.raises(InputError, match="Spark Connect"):
        untold.rates()


def test_periods_that_end_more_rarely_than_planned_are_reckoned_with() -> None:
    tally = Tally(first_us=0, last_us=600_000_000)
    planned, run = (rates_of(plan_of(2, 1), tally, period) for period in (60_000_000, 300_000_000))
    assert run.layers[0].usual_per_s == planned.layers[0].usual_per_s
    assert run.layers[1].usual_per_s == pytest.approx(planned.layers[1].usual_per_s / 5)
