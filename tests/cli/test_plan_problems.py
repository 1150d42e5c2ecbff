"""`windrow plan`: what cannot be is named, with a way out."""

from pathlib import Path

import pytest

from tests.cli.planning import PUBLISHED, complaint
from tests.cli.running import run


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"--sources": "0"}, "--sources 0: give a whole number of 1 or more, such as 500"),
        ({"--sources": "-5"}, "--sources -5: give a whole number"),
        ({"--sources": "many"}, "--sources many: give a whole number"),
        ({"--sources": None}, "nobody sends: give --sources 500 --rate 0.5/s, a --class"),
        ({"--rate": None}, "give the rate of each, such as --rate 0.5/s"),
        ({"--rate": "0/s"}, "--rate 0/s: give a rate above 0, such as 0.5/s"),
        ({"--rate": "-1/s"}, "--rate -1/s: give a rate above 0"),
        ({"--rate": "nan/s"}, "--rate nan/s: give a rate above 0"),
        ({"--rate": "1/parsec"}, "--rate 1/parsec: 1 parsec has the unknown unit 'parsec'"),
        (
            {"--rate": "1500/min"},
            "--rate 25/s: one of the sources alone sends more than the 20 items a node takes in a "
            "second; give a limit of at least 25 items, or let each send at most 20",
        ),
        ({"--limit": None}, "nodes have no limit: give --limit 20/s or --limit 1MB/s"),
        ({"--limit": "20"}, "--limit 20: give a rate above 0, such as 20/s or 1MB/s"),
        ({"--limit": "0/s"}, "--limit 0/s: give a rate above 0"),
        (
            {"--limit": "1MB/s", "--size": "2MB"},
            "--size 2000000B: a single item of the sources is more than the 1000000 bytes",
        ),
        ({"--size": "0"}, "--size 0: give a number of bytes above 0"),
        ({"--price": "-1"}, "--price -1: give a number of 0 or more, such as 0.015"),
        ({"--delay": "1"}, "--delay 1 has no unit"),
        ({"--period": "0s"}, "--period 0s: give a duration above 0"),
        ({"--keys": "0"}, "--keys 0: give a whole number of 1 or more"),
        ({"--keys": "5", "--hottest": "10%"}, "--hottest 0.1 is less than an even share of 5 keys"),
        ({"--sources": "1e300"}, "--sources 1e+300 is not a whole number above 0, from 1 to 1e+18"),
        ({"--rate": "5e-324/s"}, "--rate 5e-324/s is not a number above 0, from 1e-18 to 1e+18"),
        (
            {"--limit": "3/s", "--loss": "0.001"},
            "let nodes take more, allow for more than --loss 0.001, or give longer periods than "
            "--period 60s",
        ),
        (
            {"--loss": "0.001", "--burst": "1e18"},
            "--loss 0.001: no number of nodes that could be counted loses so little; give a larger "
            "limit, fewer sources or a smaller burst",
        ),
        ({"--spread": "5s"}, "--spread 5s is of states that leave when a period closes; hand them"),
        ({"--spread": "2min"}, "--spread 120s is longer than the "),
        ({"--margin": "100%"}, "--margin 1.0 is not a share from 0 to below 1"),
        ({"--margin": "much"}, "--margin much: give a share to leave free, such as 10%"),
        ({"--loss": "0"}, "--loss 0.0 is not a number above 0; give one, e.g. --loss 0.001"),
        (
            {"--loss": "1%", "--margin": "1%"},
            "--margin 1% and --loss 1%: the chance of a loss says",
        ),
        ({"--burst": "0.5"}, "--burst 0.5 says that the busiest second has fewer items"),
        ({"--burst": "2", "--arrivals": "tick"}, "--arrivals tick and --burst 2: "),
        ({"--time": "ts"}, "--time ts is a column of a trace; say of which, --trace FILE"),
        ({"--class": "count=1,rate=1/s"}, "--sources 500 and --class: write it as a class too"),
        ({"--sources": None, "--rate": None, "--class": "count=1"}, '"count=1": it lacks rate=…;'),
        (
            {"--sources": None, "--rate": None, "--class": "count=1,rate=0/s"},
            '--class "count=1,rate=0/s": rate 0/s: give a rate above 0',
        ),
        ({"--node": "items=5/s"}, "--limit 20/s and --node: write it into each node, --node "),
        (
            {"--limit": None, "--node": "price=1"},
            '--node "price=1": it has no limit; write "items=',
        ),
        ({"--limit": None, "--node": "items=1MB/s"}, "items=1MB/s is a limit of bytes; say so"),
        ({"--limit": None, "--node": "preset=kinisis"}, "did you mean 'kinesis'?"),
        ({"--limit": "1e19/s"}, "--limit 1e+19/s is not a number above 0, from 1e-18 to 1e+18"),
        ({"--limit": "0.5/s", "--loss": "0.1"}, "--limit 0.5/s with --loss 0.1: a node that takes"),
        ({"--price": "1e30"}, "--price 1e+30 is not a number of 0 or more, from 1e-18"),
        (
            {"--limit": None, "--node": "items=1e30/s"},
            '--node "items=1e30/s": items=1e+30 is not a number above 0',
        ),
        (
            {"--sources": None, "--rate": None, "--class": "count=1e300,rate=1/s"},
            '--class "count=1e300,rate=1/s": count',
        ),
        (
            {"--sources": None, "--rate": None, "--class": "count=1,rate=1/s,size=1e30B"},
            '--class "count=1,rate=1/s,size=1e30B": size=1e+30 is not a number of 0 or more',
        ),
        ({"--new-sources": "9"}, "--new-sources 9: name the plan that changes"),
        ({"--out": "nowhere/plan.json"}, "--out nowhere/plan.json: there is no folder nowhere"),
        ({"--draw": "tree.txt"}, "--draw tree.txt: give a file that ends with .png, .svg, .pdf"),
        ({"--trace": "items.csv"}, "--trace items.csv and --sources 500: the trace says"),
    ],
)
def test_what_cannot_be_is_named_with_a_way_out(changed: dict[str, str | None], said: str) -> None:
    options = {"--sources": "500", "--rate": "0.5/s", "--limit": "20/s"} | changed
    given = [text for name, value in options.items() if value is not None for text in (name, value)]
    assert said in complaint(*given)


def test_two_limits_of_one_kind_are_refused() -> None:
    said = complaint(*PUBLISHED, "--limit", "10/s")
    assert "--limit 10/s is the second limit of items; give one of items and one of bytes" in said


def test_files_that_are_no_plans_are_named(tmp_path: Path) -> None:
    assert "nowhere.json cannot be read" in complaint("nowhere.json")
    other = tmp_path / "other.json"
    other.write_text("{}")
    assert "other.json is not a plan of windrow; write one with windrow plan --out" in (
        complaint(other)
    )
    good = tmp_path / "plan.json"
    run("plan", *PUBLISHED, "--out", good)
    assert "the file says what its plan is for" in complaint(good, "--loss", "0.1")
    assert "--new-sources 0: give a whole number" in complaint(good, "--new-sources", "0")
    assert "all but the sources stays as" in complaint(good, "--new-sources", "9", "--loss", "0.1")


def test_limits_that_leave_chance_no_room_are_told() -> None:
    none = run("plan", "--sources", "5", "--rate", "0.1/s", "--limit", "0.5/s")
    assert none.exit_code == 0  # as published there is a plan: it fills every limit to the last
    assert "no plan has a chance of loss as small as 0.001 in an hour" in none.stdout
    many = run("plan", "--sources", "500", "--rate", "1/s", "--limit", "4/s")
    assert "such limits leave no room; let nodes take more" in many.stdout
