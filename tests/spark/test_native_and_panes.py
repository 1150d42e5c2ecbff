"""Native and panes against a plain recomputation: odd times, odd values, odd grids."""

import math
import random
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr
from tests.spark.support import runs
from windrow import agg, window
from windrow.algebra.aggregate import Aggregate
from windrow.plan.stages import ExpandSlices, FoldRows, PackSlices, PackValues, Stage
from windrow.testing import fold
from windrow.windows import Aligned, Hopping, Tumbling

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SCHEMA = "us long, k string, x double, i int, j long, d decimal(10,2), b boolean, s string"

# Berlin's clocks go forward and back, before 1970, and a year's edge.
ORIGINS_US = [
    1_711_846_000_000_000, 1_729_990_000_000_000, -3_600_000_001, 1_735_689_599_999_999
]  # fmt: skip

WINDOWS: list[Tumbling | Hopping] = [
    window.tumbling("1 hour", offset="7 min"),
    window.tumbling("365 days"),
    window.tumbling("1 us"),
    window.hopping("1 hour", every="25 min", offset="-3 min"),
    window.hopping("10 min", every="25 min"),
]

AGGREGATES: dict[str, Callable[[], Aggregate[Any]]] = {
    "n": agg.count,
    "nx": lambda: agg.count("x"),
    "sx": lambda: agg.sum("x"),
    "si": lambda: agg.sum("i"),
    "sj": lambda: agg.sum("j"),
    "hj": lambda: agg.max("j"),
    "mi": lambda: agg.mean("i"),
    "lo": lambda: agg.min("x"),
    "hi": lambda: agg.max("x"),
    "rx": lambda: agg.range("x"),
    "any": lambda: agg.any("b"),
    "all": lambda: agg.all("b"),
    "p": lambda: agg.product("x"),
    "g": lambda: agg.geometric_mean("i"),
}
SPREADS: dict[str, Callable[[], Aggregate[Any]]] = {
    "v": lambda: agg.variance("x"),
    "v0": lambda: agg.variance("x", ddof=0),
    "sd": lambda: agg.stddev("i"),
}
OBJECTS: dict[str, Callable[[], Aggregate[Any]]] = {
    "top": lambda: agg.max("s"),
    "sumd": lambda: agg.sum("d"),
    "maxd": lambda: agg.max("d"),
    "rj": lambda: agg.range("j"),
}


def rows() -> list[dict[str, Any]]:
    draw = random.Random(5)
    floats = [1.5, -2.25, 0.0, math.nan, math.inf, None, 3.0, 4.0]
    made = []
    for origin in ORIGINS_US:
        for _ in range(25):
            us = origin + draw.choice([0, 0, 1, 60_000_000, draw.randrange(7_200_000_000)])
            made.append(
                {
                    "us": us,
                    "k": draw.choice(["a", "ü", None]),
                    "x": draw.choice(floats),
                    "i": draw.choice([None, 0, 3, -7, 12]),
                    "j": draw.choice([None, 5, 2**57 + 1, -(2**57)]),
                    "d": draw.choice([None, Decimal("1.10"), Decimal("-99.95")]),
                    "b": draw.choice([None, True, False]),
                    "s": draw.choice([None, "z", "é", "𝄞", "\uffff"]),
                }
            )
    return made


ROWS = rows()


@pytest.fixture(scope="module")
def df(spark: SparkSession) -> DataFrame:
    plain = spark.createDataFrame([tuple(row.values()) for row in ROWS], SCHEMA)
    return plain.select("*", F.timestamp_micros("us").alias("ts")).cache()


def expected(w: Aligned, parts: dict[str, Any]) -> dict[tuple[Any, ...], dict[str, Any]]:
    held: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in ROWS:
        for start, end in w.bounds(row["us"]):
            held[start, end, row["k"]].append(row)
    return {
        place: {name: fold(make(), inside) for name, make in parts.items()}
        for place, inside in held.items()
    }


def micros(moment: datetime) -> int:
    return (moment.astimezone(UTC) - EPOCH) // timedelta(microseconds=1)


def same(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, float) and isinstance(found, float):
        if math.isnan(wanted) or math.isnan(found):
            return math.isnan(wanted) and math.isnan(found)
        return math.isclose(found, wanted, rel_tol=1e-9, abs_tol=1e-9)
    return bool(found == wanted)


def check(df: DataFrame, strategy: str, parts: dict[str, Any], *windows: Aligned) -> Any:
    """All windows in one query: few jobs, and they must not get into each other's way."""
    named = {f"w{i}": w for i, w in enumerate(windows)}
    made = {name: make() for name, make in parts.items()}
    query = wr.over(df, time="ts", by="k", strategy=strategy).windows(**named).aggregate(**made)
    bounds = [F.unix_micros(f"window.{side}").alias(side) for side in ("start", "end")]
    rows = query.select("name", *bounds, *query.columns[2:]).collect()
    found = {(row["name"], row["start"], row["end"], row["k"]): row for row in rows}
    assert len(found) == len(rows)
    wanted = {
        (n, *place): got for n, w in named.items() for place, got in expected(w, parts).items()
    }
    assert found.keys() == wanted.keys()
    wrong = [
        (place, name, found[place][name], value)
        for place, results in wanted.items()
        for name, value in results.items()
        if not same(found[place][name], value)
    ]
    assert wrong == []
    return query.plan()


def test_native_agrees_with_recomputation(df: DataFrame) -> None:
    check(df, "native", {**AGGREGATES, **SPREADS}, *WINDOWS[2:])


def test_native_agrees_on_text_decimals_and_whole_ranges(df: DataFrame) -> None:
    check(df, "native", OBJECTS, *WINDOWS[:2])


def test_panes_that_expand_agree_with_recomputation(df: DataFrame) -> None:
    plan = check(df, "panes", {**AGGREGATES, **OBJECTS}, *WINDOWS)
    assert runs(plan, ExpandSlices)


def test_panes_that_roll_agree_with_recomputation(df: DataFrame) -> None:
    plan = check(df, "panes", {**AGGREGATES, **SPREADS}, *WINDOWS)
    assert runs(plan, PackSlices)


def test_panes_that_merge_agree_with_recomputation(df: DataFrame) -> None:
    often = window.hopping("70 min", every="1 min")
    plan = check(df, "panes", {**AGGREGATES, **OBJECTS}, often, WINDOWS[3])
    assert runs(plan, PackValues)


def test_sums_that_are_too_large_for_a_slice_are_merged_all_the_same(spark: SparkSession) -> None:
    """Spark's own would be null there, which is what an empty slice says."""
    large = "cast('90000000000000000000000000000000000000' as decimal(38, 0))"
    values = f"if(i < 2, {large}, -{large})"
    wide = spark.sql(f"select timestamp_seconds(i div 2) ts, {values} d from range(4) r(i)")
    often = window.hopping("70 s", every="1 s")
    query = wr.over(wide, time="ts").window(often).aggregate(sum=agg.sum("d"))
    assert runs(query.plan(), PackValues)
    both = query.where("window.start = timestamp_seconds(-10)")
    assert [row["sum"] for row in both.collect()] == [0]


@pytest.mark.parametrize(
    ("minutes", "stage"), [(5, ExpandSlices), (70, PackValues)], ids=["few", "many"]
)
def test_means_of_decimals_are_rounded_once(
    spark: SparkSession, minutes: int, stage: type[Stage]
) -> None:
    draw = random.Random(3)
    values = [Decimal(draw.randrange(-(10**14), 10**14)).scaleb(-3) for _ in range(120)]
    seconds = [draw.randrange(4_000) for _ in values]
    rows = [(EPOCH + timedelta(seconds=s), v) for s, v in zip(seconds, values, strict=True)]
    df = spark.createDataFrame(rows, "ts timestamp, d decimal(14,3)")
    often = window.hopping(f"{minutes} min", every="1 min")
    query = wr.over(df, time="ts").window(often).aggregate(mean=agg.mean("d"))
    assert runs(query.plan(), stage)
    assert query.schema["mean"].dataType.simpleString() == "decimal(18,7)"
    held: dict[int, list[Decimal]] = defaultdict(list)
    for second, value in zip(seconds, values, strict=True):
        for start in range(second // 60 - minutes + 1, second // 60 + 1):
            held[start * 60_000_000].append(value)
    with localcontext(prec=60, rounding=ROUND_HALF_UP):
        step = Decimal("1e-7")
        wanted = {
            start: (sum(own, Decimal(0)) / len(own)).quantize(step) for start, own in held.items()
        }
    found = query.select(F.unix_micros("window.start").alias("start"), "mean").collect()
    assert {row["start"]: row["mean"] for row in found} == wanted


def test_panes_that_fold_agree_with_recomputation(df: DataFrame) -> None:
    plan = check(df, "panes", {"n": agg.count, "m": lambda: agg.median("i")}, *WINDOWS[2:])
    assert runs(plan, FoldRows)


def test_a_sum_may_leave_64_bits_on_its_way_but_not_at_its_end(spark: SparkSession) -> None:
    wide = spark.sql(
        """select timestamp_seconds(i div 3) ts, array(9223372036854775807L, 9223372036854775807L,
        if(i < 3, -9223372036854775807L, 1L))[i % 3] x from range(6) r(i)"""
    )
    for strategy in ("native", "panes"):
        query = wr.over(wide.where("ts < timestamp_seconds(1)"), time="ts", strategy=strategy)
        found = query.window(window.tumbling("1 s")).aggregate(s=agg.sum("x"), r=agg.count())
        assert [row["s"] for row in found.collect()] == [2**63 - 1]
        over = wr.over(wide, time="ts", strategy=strategy).window(window.tumbling("1 s"))
        with pytest.raises(Exception, match="does not fit 64 bits"):
            over.aggregate(s=agg.sum("x")).collect()


def test_native_agrees_with_sparks_own_window(df: DataFrame) -> None:
    ours = wr.over(df, time="ts", by="k").window(window.tumbling("1 day")).aggregate(n=agg.count())
    own = df.groupBy(F.window("ts", "1 day"), "k").agg(F.count(F.lit(1)).alias("n"))
    assert sorted(map(str, ours.collect())) == sorted(map(str, own.collect()))


def test_ntz_and_dates_have_bounds_of_their_own_type(spark: SparkSession) -> None:
    times = spark.sql("select timestamp_ntz'1965-03-28 02:30:00' n, date'2024-03-31' d")
    by_ntz = wr.over(times, time="n").window(window.tumbling("1 h")).aggregate(m=agg.max(agg.TIME))
    by_date = wr.over(times, time="d").window(window.tumbling("1 h")).aggregate(n=agg.count())
    (one,) = by_ntz.collect()
    assert one["window"]["start"] == datetime(1965, 3, 28, 2)
    assert one["m"] == datetime(1965, 3, 28, 2, 30)
    assert (
        by_date.schema["window"].dataType.simpleString() == "struct<start:timestamp,end:timestamp>"
    )
    (row,) = by_date.select(F.unix_micros("window.start")).collect()
    assert row[0] == micros(datetime(2024, 3, 30, 23, tzinfo=UTC))


@pytest.fixture
def berlin(spark: SparkSession) -> SparkSession:
    """A session where clocks jump from 2 to 3 on 2024-03-31."""
    session = spark.newSession()
    session.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    return session


@pytest.mark.parametrize("strategy", ["native", "panes", "kernel"])
def test_a_range_of_times_is_what_has_passed_over_summer_time_too(
    berlin: SparkSession, strategy: str
) -> None:
    night = berlin.sql("select timestamp_seconds(1711845000 + 3600 * id) t from range(2)")
    query = wr.over(night, time="t", strategy=strategy).window(window.tumbling("1 day"))
    (row,) = query.aggregate(range=agg.range("t")).collect()
    assert row["range"] == timedelta(hours=1)


@pytest.mark.parametrize("strategy", ["native", "panes", "kernel"])
def test_a_clock_without_a_zone_knows_no_summer_time(berlin: SparkSession, strategy: str) -> None:
    gap = datetime(2024, 3, 31, 2, 30, 0, 123_456)
    clocks = berlin.sql(f"select timestamp_ntz'{gap}' n union select timestamp_ntz'1900-01-01'")
    query = wr.over(clocks, time="n", strategy=strategy).window(window.tumbling("1 h"))
    rows = query.aggregate(m=agg.max("n"), r=agg.range("n")).sort("m").collect()
    assert [row["m"] for row in rows] == [datetime(1900, 1, 1), gap]
    assert [row["window"]["start"] for row in rows] == [
        datetime(1900, 1, 1),
        datetime(2024, 3, 31, 2),
    ]


def test_empty_input_gives_no_windows(df: DataFrame) -> None:
    none = df.where("false")
    for strategy in ("native", "panes"):
        query = wr.over(none, time="ts", strategy=strategy).window(WINDOWS[3])
        assert query.aggregate(n=agg.count()).collect() == []
