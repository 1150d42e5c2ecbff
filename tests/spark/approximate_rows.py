"""Rows for queries whose results are intervals, the exact results, and the queries."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache
from random import Random
from statistics import fmean, variance
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import windrow as wr
from windrow import agg, window
from windrow.algebra.aggregate import Aggregate
from windrow.testing.closeness import close
from windrow.windows import Window

Row = dict[str, Any]

SCHEMA = "k string, t timestamp, number bigint, v double, i int, d decimal(10,2)"
START = datetime(2024, 7, 1, 12, tzinfo=UTC)
LATENESS = timedelta(seconds=30)

BOUNDED: dict[str, Aggregate[Any]] = {
    "sum": agg.sum("v").within(relative=0.05),
    "mean": agg.mean("v").within(relative=0.05, confidence=0.9),
    "n": agg.count("v").within(absolute=4),
    "max": agg.max("i").within(),
    "min": agg.min("i").within(confidence=0.99),
    "variance": agg.variance("v").within(absolute=5),
    "decimals": agg.sum("d").within(absolute=30),
}


def rows_of(length: int, seed: int = 7) -> list[Row]:
    """A row a second or so, some of them with nulls; no two at the same time."""
    random, now, rows = Random(seed), START, []
    for number in range(length):
        # Once everybody is silent for so long that nothing is left in any window of time.
        now += timedelta(seconds=random.choice((0.5, 1, 2)) if number != length // 2 else 500)
        known = number % 13 != 5
        rows.append(
            {
                "k": random.choice(("a", "a", "b", None)),
                "t": now,
                "number": number,
                "v": random.gauss(50, 5) if known else None,
                "i": random.randint(-(10**6), 10**6) if known else None,
                "d": Decimal(random.randint(0, 1000)).scaleb(-2) if known else None,
            }
        )
    return rows


ROWS = rows_of(600)

WINDOWS: dict[str, Window] = {
    "rows": window.trailing(rows=90),
    "time": window.trailing("100 seconds"),
    "policy": window.policy(
        keep=lambda window: window.weight <= 4000, using={"weight": agg.sum("v")}
    ),
}

# The same windows in plain Python: which of the newest rows stay.
HELD: dict[str, Callable[[list[Row]], list[Row]]] = {
    "rows": lambda rows: rows[-90:],
    "time": lambda rows: [row for row in rows if rows[-1]["t"] - row["t"] < timedelta(seconds=100)],
    "policy": lambda rows: next(
        rows[start:] for start in range(len(rows) + 1) if sum(known(rows[start:], "v")) <= 4000
    ),
}


def known(rows: Sequence[Row], column: str) -> list[Any]:
    return [row[column] for row in rows if row[column] is not None]


def exact(kind: str) -> dict[int, Row]:
    """What an exact window gives for each row, recomputed from scratch."""
    held: dict[Any, list[Row]] = {}
    results = {}
    for row in ROWS:
        mine = held[row["k"]] = HELD[kind]([*held.get(row["k"], []), row])
        v, i, d = (known(mine, column) for column in ("v", "i", "d"))
        results[row["number"]] = {
            "sum": sum(v) if v else None,
            "mean": fmean(v) if v else None,
            "n": len(v),
            "max": max(i, default=None),
            "min": min(i, default=None),
            "variance": variance(v) if len(v) > 1 else None,
            "decimals": sum(d) if d else None,
        }
    return results


def check(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Require of a row's intervals that they hold its exact results."""
    for name, result in wanted.items():
        interval, said = found[name], f"{name}: {found[name]}, and {result} is exact"
        if interval["exact"]:
            assert close(interval["value"], result, scale=1000.0), said
        elif interval["low"] is not None:
            assert interval["low"] <= interval["value"] <= interval["high"], said
            assert interval["low"] <= result <= interval["high"], said


def frame(spark: SparkSession, rows: Sequence[Row] = ROWS) -> DataFrame:
    return spark.createDataFrame([tuple(row.values()) for row in rows], SCHEMA)


def asked(rows: DataFrame, kind: str, **options: Any) -> Any:
    query = wr.over(rows, time="t", by="k", **options).window(WINDOWS[kind]).keep("number")
    return query.aggregate(**BOUNDED)


def by_number(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: int(row["number"]))


def same(found: Sequence[Row], wanted: Sequence[Row]) -> None:
    """Require the same results to the last digit."""
    assert len(found) == len(wanted)
    for row, right in zip(by_number(found), wanted, strict=True):
        assert repr(row) == repr(right)  # one by one: of all, pytest would take minutes to tell


@cache
def answered(spark: SparkSession, kind: str) -> list[Row]:
    """What a batch answers, asked once."""
    return by_number(asked(frame(spark), kind).toArrow().to_pylist())
