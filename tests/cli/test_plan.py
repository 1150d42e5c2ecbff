"""`windrow plan`: what it plans, for whom, and with which nodes."""

from fractions import Fraction
from math import ceil, exp, lgamma, log

import pytest

from tests.cli.planning import PUBLISHED, published_widths, told
from tests.cli.running import run
from windrow.topology import KAFKA_PARTITION, KINESIS_SHARD, Emission, Routing


def test_the_published_example_has_its_published_layers() -> None:
    result = run("plan", *PUBLISHED)
    assert result.exit_code == 0
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert "plan: 13, 7, 4, 2, 1 (27 nodes in 5 layers, a result about 4 min after its period)" in (
        lines
    )
    rows = [line.split() for line in lines if line.strip()[:1].isdigit() and "node" in line]
    assert [(row[0], row[1]) for row in rows] == [
        ("1", "13"),
        ("2", "7"),
        ("3", "4"),
        ("4", "2"),
        ("5", "1"),
    ]
    assert [line.count("●") for line in lines if "●" in line] == [13, 7, 4, 2, 1]
    assert "optimum    13, 7, 4, 2, 1: the plan is as small" in result.stdout
    assert "published  at most 6 layers and 28 nodes" in result.stdout
    assert "beyond the ratio" in result.stdout  # 27 nodes, where it would allow 24


@pytest.mark.parametrize(
    ("sources", "rate", "limit"),
    [
        (500, "0.5", "20"),
        (950, "0.5", "20"),
        (10, "0.5", "20"),
        (12345, "0.25", "7"),
        (1, "1", "2"),
    ],
)
def test_layers_and_loads_are_those_of_the_published_recurrence(
    sources: int, rate: str, limit: str
) -> None:
    data = told("--sources", sources, "--rate", f"{rate}/s", "--limit", f"{limit}/s")
    items = sources * Fraction(rate)
    widths = published_widths(items / Fraction(limit))
    assert data["widths"] == widths
    assert data["nodes"] == sum(widths)
    assert data["loads"][0] == pytest.approx(float(items / Fraction(limit) / widths[0]))
    assert all(0 < load <= 1 for load in data["loads"])
    assert sum(data["bounds"]["optimum"]) + len(data["bounds"]["optimum"]) <= (
        sum(widths) + len(widths)
    )


def test_limits_of_items_and_of_bytes_hold_at_once() -> None:
    few_bytes = told(*PUBLISHED, "--size", "10B", "--limit", "1MB/s")
    assert few_bytes["widths"] == [13, 7, 4, 2, 1]
    many_bytes = told(*PUBLISHED, "--size", "50KB", "--limit", "1MB/s")
    assert many_bytes["widths"][0] == ceil(250 * 50_000 / 1e6 / 1)  # 12.5: as many as items ask for
    more_bytes = told(*PUBLISHED, "--size", "80KB", "--limit", "1MB/s")
    assert more_bytes["widths"][0] == 20
    assert more_bytes["bounds"] is None


def test_classes_of_sources_add_up() -> None:
    data = told(
        *("--class", "count=100,rate=2/s,size=1KB,name=meters"),
        *("--class", "count=600,rate=5/min,size=20kB"),
        *("--limit", "20/s", "--limit", "1MB/s"),
    )
    items, size = 100 * 2 + 600 * 5 / 60, 100 * 2 * 1e3 + 600 * 5 / 60 * 20e3
    assert [one["name"] for one in data["sources"]] == ["meters", "class 2"]
    assert data["layers"][0]["items"] == pytest.approx(items)
    assert data["layers"][0]["bytes"] == pytest.approx(size)
    assert data["widths"][0] == ceil(max(items / 20, size / 1e6))


def test_each_layer_has_its_kind_of_node_and_the_last_serves_all_further_ones() -> None:
    data = told(
        *PUBLISHED[:4],
        *("--node", "items=20/s,price=0.5,delay=200ms,name=edge"),
        *("--node", "items=40/s,price=2"),
    )
    assert [layer["node"]["name"] for layer in data["layers"]][:3] == ["edge", "node", "node"]
    first, *further = data["widths"]
    assert (first, further[0]) == (13, ceil(125 / 40))
    assert data["cost"] == pytest.approx(0.5 * first + 2 * sum(further))
    assert data["latencies_s"][0] == pytest.approx(0.2 + first / 250)


def test_presets_can_be_adjusted() -> None:
    kinesis = told("--sources", "1e5", "--rate", "1/min", "--preset", "kinesis", "--price", "0.015")
    node = kinesis["layers"][0]["node"]
    assert node["limit"] == {"items": KINESIS_SHARD.limit.items, "bytes": KINESIS_SHARD.limit.bytes}
    assert kinesis["cost"] == pytest.approx(0.015 * kinesis["nodes"])
    changed = told("--sources", "10", "--rate", "1/s", "--preset", "kafka", "--limit", "500/s")
    node = changed["layers"][0]["node"]
    assert node["limit"] == {"items": 500.0, "bytes": KAFKA_PARTITION.limit.bytes}
    assert changed["cost"] is None
    one = told("--sources", "10", "--rate", "1/s", "--node", "preset=gateway,items=5/s,delay=1s")
    assert one["layers"][0]["node"]["limit"]["items"] == 5
    assert one["layers"][0]["node"]["delay_s"] == 1


def test_a_margin_leaves_its_share_of_each_limit_free() -> None:
    data = told(*PUBLISHED, "--margin", "10%")
    assert data["widths"] == published_widths(Fraction(250) / 18)
    assert max(data["loads"]) <= 0.9
    assert data["safer"] is None
    assert "note: limits" not in run("plan", *PUBLISHED, "--margin", "10%").stdout


def test_a_chance_of_loss_chooses_the_margin() -> None:
    data = told(*PUBLISHED, "--loss", "0.1%")
    mean = 250 / data["widths"][0]
    # Poisson's chance of more than 20, term by term.
    more = sum(exp(k * log(mean) - mean - lgamma(k + 1)) for k in range(21, 200))
    assert more * 3600 * data["nodes"] <= 0.001
    assert data["loads"][0] == pytest.approx(mean / 20)
    assert 0.15 < data["loads"][0] < 0.25


def test_without_a_margin_the_one_for_a_small_loss_is_advised() -> None:
    wanted = told(*PUBLISHED, "--loss", "0.001")
    advised = told(*PUBLISHED)["safer"]
    assert advised["widths"] == wanted["widths"]
    assert advised["margins"] == [layer["margin"] for layer in wanted["layers"]]
    line = f"{', '.join(map(str, wanted['widths']))} ({wanted['nodes']} nodes in"
    assert line in run("plan", *PUBLISHED).stdout


def test_what_a_period_is_made_of_is_read() -> None:
    data = told(
        *PUBLISHED,
        *("--period", "20min", "--keys", "1000", "--hottest", "5%", "--states", "2"),
        *("--state-size", "1KB", "--emit", "close", "--spread", "1min", "--skew", "2s"),
        *("--burst", "1.5"),
    )
    assert data["reduction"] == {
        "period_s": 1200.0,
        "keys": 1000,
        "hottest": 0.05,
        "states": 2,
        "state_bytes": 1000.0,
        "emission": Emission.AT_CLOSE.value,
        "spread_s": 60.0,
    }
    assert (data["arrivals"]["burst"], data["arrivals"]["skew_s"]) == (1.5, 2.0)
    by_source = told(*PUBLISHED, "--routing", "source")
    assert by_source["layers"][0]["routing"] == Routing.SOURCE.value


def test_notes_say_what_was_assumed_and_what_was_not_planned_for() -> None:
    asked = ("plan", "--sources", "500", "--rate", "0.5/s", "--size", "50kB", "--limit", "1MB/s")
    assert "note: states count as 50.0 kB, as an item does; --state-size" in run(*asked).stdout
    assert "states count" not in run(*asked, "--state-size", "100B").stdout
    assert "note: bursts are not planned for; --loss" in run(*asked, "--burst", "3").stdout
    assert "bursts are not" not in run(*asked, "--burst", "3", "--loss", "0.001").stdout


def test_a_common_tick_needs_more_nodes_for_the_same_loss() -> None:
    poisson = told(*PUBLISHED, "--loss", "0.001")
    tick = told(*PUBLISHED, "--loss", "0.001", "--arrivals", "tick")
    assert tick["arrivals"]["burst"] == 2.0  # every two seconds, all at once
    assert tick["nodes"] > poisson["nodes"]


def test_a_plan_without_a_margin_says_what_its_first_layer_refuses() -> None:
    mean, limit = 250 / 13, 20  # items a second of each node, and what it takes
    chances = [exp(k * log(mean) - mean - lgamma(k + 1)) for k in range(200)]
    refused = sum(chance * max(k - limit, 0) for k, chance in enumerate(chances)) / mean
    result = run("plan", *PUBLISHED)
    assert f"the first layer refuses about {100 * refused:.2g} % of items;" in result.stdout
    assert "on average only" not in run("plan", *PUBLISHED, "--loss", "0.001").stdout
