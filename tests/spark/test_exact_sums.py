"""Sums and means near the limits of their types: one rule for every strategy, ANSI mode or not."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr
from tests.spark.support import runs
from windrow import agg, window
from windrow.plan.stages import AggregateWindows, ExpandSlices, FoldRows, PackValues, Stage
from windrow.testing import Feed
from windrow.windows import Hopping, Tumbling

pytestmark = pytest.mark.usefixtures("one_partition")

HOUR_US = 3_600_000_000
WIDE = Context(prec=200)
# By column: digits and scale.  Wide ones are summed by halves, others by Spark itself; of the last
# two Spark's own mean would be rounded twice.
DECIMALS = {"a": (38, 10), "b": (38, 38), "c": (31, 0), "d": (12, 2), "e": (28, 28), "f": (28, 4)}
KINDS = ", ".join(f"{name} decimal({p},{s})" for name, (p, s) in DECIMALS.items())
SCHEMA = f"k int, us long, {KINDS}, x long, i long"
SUMS = {name: agg.sum(name) for name in (*DECIMALS, "x", "i")}
MEANS = {f"mean_{name}": agg.mean(name) for name in DECIMALS}


@contextmanager
def ansi(spark: SparkSession, setting: str) -> Iterator[None]:
    spark.conf.set("spark.sql.ansi.enabled", setting)
    try:
        yield
    finally:
        spark.conf.unset("spark.sql.ansi.enabled")


def drawn() -> list[dict[str, Any]]:
    """Values in units of the last digit: the sums of each hour fit, those on the way do not."""
    draw, rows = random.Random(4), []
    limits = {**{name: 10**p - 1 for name, (p, _) in DECIMALS.items()}, "x": 2**63 - 1}
    limits["i"] = limits["x"]
    for key in range(40):
        for hour in range(draw.randint(1, 3)):
            columns = {name: _taken_back(draw, most) for name, most in limits.items()}
            for place in range(4):
                values = {name: column[place] for name, column in columns.items()}
                rows.append({"k": key, "us": hour * HOUR_US + place, **values})
    return rows


def _taken_back(draw: random.Random, most: int) -> list[int | None]:
    """Four values of which two take the others back, but for so much that a few hours fit."""
    one, other = (draw.choice([most, -most, draw.randint(-most, most), 7]) for _ in range(2))
    left = draw.choice([0, 1, most // 40_000])  # a mean has fewer digits before the point
    values = [one, other, -one, (left if other > 0 else -left) - other]
    draw.shuffle(values)
    return [None if draw.random() < 0.02 and abs(value) < 10 else value for value in values]


ROWS = drawn()


@pytest.fixture(scope="module")
def df(spark: SparkSession) -> DataFrame:
    def value(name: str, units: int | None) -> Any:
        if units is None or name not in DECIMALS:
            return units
        return Decimal(units).scaleb(-DECIMALS[name][1], WIDE)

    rows = [tuple(value(name, units) for name, units in row.items()) for row in ROWS]
    micro = F.expr("INTERVAL '0 00:00:00.000001' DAY TO SECOND")
    plain = spark.createDataFrame(rows, SCHEMA).repartition(2)
    return (
        plain.withColumn("t", F.timestamp_micros("us")).withColumn("i", micro * F.col("i")).cache()
    )


def half_up(number: Fraction) -> int:
    whole = (2 * abs(number).numerator + number.denominator) // (2 * number.denominator)
    return whole if number >= 0 else -whole


def exact(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Results in units of their last digit, by Python's whole numbers."""
    results: dict[str, Any] = {}
    for name in SUMS:
        values = [row[name] for row in rows if row[name] is not None]
        results[name] = sum(values) if values else None
        if name in DECIMALS:
            more = min(4, 38 - DECIMALS[name][1])
            mean = Fraction(sum(values) * 10**more, len(values)) if values else None
            results[f"mean_{name}"] = None if mean is None else half_up(mean)
    return results


def units_of(row: Any) -> dict[str, Any]:
    scales = {name: scale for name, (_, scale) in DECIMALS.items()}
    scales |= {f"mean_{name}": min(scale + 4, 38) for name, scale in scales.items()}

    def units(name: str) -> Any:
        value = row[name]
        return int(value.scaleb(scales[name], WIDE)) if isinstance(value, Decimal) else value

    return {name: units(name) for name in (*SUMS, *MEANS)}


def in_python(query: DataFrame) -> DataFrame:
    """With intervals as numbers: Python's have fewer days than Spark's."""
    seconds = F.col("i").cast("interval second").cast("decimal(19,6)")
    return query.withColumn("i", (seconds * 1_000_000).cast("long"))


@pytest.mark.parametrize(
    ("strategy", "one", "stage", "setting"),
    [
        ("native", window.tumbling("1 day"), AggregateWindows, "true"),
        ("native", window.hopping("4 h", every="2 h"), AggregateWindows, "false"),
        ("panes", window.hopping("4 h", every="2 h"), ExpandSlices, "true"),
        ("panes", window.hopping("70 h", every="1 h"), PackValues, "false"),
        ("kernel", window.tumbling("1 day"), FoldRows, "false"),
    ],
    ids=str,
)
def test_sums_and_means_are_exact_in_whatever_order_rows_are_added(
    spark: SparkSession,
    df: DataFrame,
    strategy: str,
    one: Tumbling | Hopping,
    stage: type[Stage],
    setting: str,
) -> None:
    keys = 4 if stage is PackValues else 40  # Python merges one by one, in many windows
    with ansi(spark, setting):
        some = df.where(F.col("k") < keys)
        query = wr.over(some, time="t", by="k", strategy=strategy).window(one)
        windows = query.aggregate(**SUMS, **MEANS)
        assert runs(windows.plan(), stage)
        start = F.unix_micros("window.start").alias("start")
        found = in_python(windows).select("k", start, *SUMS, *MEANS).collect()
    held: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for row in [row for row in ROWS if row["k"] < keys]:
        for begin, _ in one.bounds(row["us"]):
            held.setdefault((row["k"], begin), []).append(row)
    wanted = {place: exact(own) for place, own in held.items()}
    assert {(row["k"], row["start"]): units_of(row) for row in found} == wanted


@pytest.mark.parametrize("part", [agg.sum("a"), agg.mean("a"), agg.sum("i")], ids=repr)
@pytest.mark.parametrize(
    ("strategy", "setting"),
    [("native", "true"), ("native", "false"), ("panes", "false"), ("kernel", "false")],
)
def test_a_result_that_does_not_fit_is_an_error(
    spark: SparkSession, strategy: str, part: Any, setting: str
) -> None:
    large = "cast(repeat('9', 28) as decimal(38,10)) a, interval '106751991' day i"
    df = spark.sql(f"select timestamp_seconds(id) t, {large} from range(2)")
    with ansi(spark, setting):
        query = wr.over(df, time="t", strategy=strategy).window(window.tumbling("1 day"))
        with pytest.raises(PySparkException, match="not fit"):
            query.aggregate(r=part).collect()


def test_streams_add_up_exactly(spark: SparkSession) -> None:
    most = Decimal(10**38 - 1).scaleb(-10, WIDE)
    least = most.copy_negate()  # a minus sign would round
    with Feed(spark, "t timestamp, a decimal(38,10)", time="t") as feed:
        query = wr.over(feed.frame, time="t", strategy="stateful")
        hourly = query.window(window.tumbling("1 h")).aggregate(s=agg.sum("a"), m=agg.mean("a"))
        run = feed.start(hourly)
        hour = datetime(2024, 7, 1, 12, tzinfo=UTC)
        run.add([{"t": hour, "a": least}, {"t": hour, "a": Decimal(1).scaleb(-10)}])
        run.add([{"t": hour, "a": most}, {"t": hour, "a": most}, {"t": hour, "a": least}])
        (last,) = run.watermark(hour + timedelta(hours=2))
    assert last["s"] == Decimal("0.0000000001")
    assert last["m"] == Decimal("0.00000000002")
