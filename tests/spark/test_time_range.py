"""Event times over the whole range of each type, in zones with gaps and with odd offsets."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, DateType, TimestampNTZType, TimestampType

import windrow as wr
from windrow import agg, window
from windrow.spark.analysis.times import bound_from_micros, bound_type, to_micros, value_from_micros
from windrow.windows import Aligned, Emit, Window
from windrow.windows.durations import MAX_US, MIN_US

YEAR_9999, YEAR_1 = 253_402_300_799_999_999, -62_135_596_800_000_000
# Half past two where summer time begins, before 1900 where offsets have seconds, beyond 32 bits of
# minutes, and both ends.
TIMES_US = [
    1_711_852_200_000_000, -3_000_000_000_000_001, 128_849_018_820_000_000, YEAR_9999, YEAR_1,
    MIN_US, MIN_US + 1, MAX_US, 0, -1,
]  # fmt: skip
DAY_US = 86_400_000_000
HOURLY, DAILY = window.tumbling("1 hour"), window.hopping("3 days", every="1 day", offset="5 h")
TYPES = [TimestampType(), TimestampNTZType(), DateType()]


@contextmanager
def session_of(spark: SparkSession, **settings: str) -> Iterator[None]:
    names = {"zone": "spark.sql.session.timeZone", "ansi": "spark.sql.ansi.enabled"}
    before = {names[name]: spark.conf.get(names[name]) or "" for name in settings}
    for name, value in settings.items():
        spark.conf.set(names[name], value)
    try:
        yield
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)


def timed(spark: SparkSession, times: list[int], kind: DataType) -> DataFrame:
    """Rows with a time of this type, counted in microseconds by Spark's own functions."""
    df = spark.createDataFrame([(us,) for us in times], "us long").coalesce(1)
    if isinstance(kind, DateType):
        return df.select("us", F.date_from_unix_date((F.col("us") / DAY_US).cast("int")).alias("t"))
    return df.select("us", bound_from_micros(F.col("us"), kind).alias("t"))


@pytest.mark.parametrize("ansi", ["true", "false"])
@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/St_Johns", "GMT+8"])
def test_times_are_counted_and_given_back_over_all_their_range(
    spark: SparkSession, zone: str, ansi: str
) -> None:
    draw = random.Random(zone)
    times = [*TIMES_US, *(draw.randint(MIN_US, MAX_US) for _ in range(200))]
    with session_of(spark, zone=zone, ansi=ansi):
        for kind in TYPES[:2]:
            df = timed(spark, times, kind)
            us = to_micros(F.col("t"), kind)
            same = value_from_micros(us, kind) == F.col("t")
            found = df.select("us", us.alias("counted"), same.alias("same")).collect()
            assert [(row["us"], True) for row in found] == [(r[1], r[2]) for r in found]
        days = spark.createDataFrame([(d // DAY_US,) for d in times[10:]], "d int")
        df = days.select(F.date_from_unix_date("d").alias("t"))
        again = value_from_micros(to_micros(F.col("t"), DateType()), DateType())
        assert df.where(again != F.col("t")).count() == 0


def bounds_of(found: DataFrame, kind: DataType) -> Any:
    sides = (to_micros(F.col(f"window.{side}"), bound_type(kind)) for side in ("start", "end"))
    named = [name for name in found.columns if name == "name"]
    return sorted(tuple(row) for row in found.select(*named, *sides, "n").collect())


@pytest.mark.parametrize(
    ("strategy", "ansi", "kind"),
    [
        ("native", "true", TYPES[1]),
        ("native", "false", TYPES[0]),
        ("panes", "true", TYPES[0]),
        ("panes", "false", TYPES[1]),
        ("kernel", "true", TYPES[1]),
    ],
    ids=str,
)
def test_aligned_windows_are_right_from_the_first_year_to_the_last(
    spark: SparkSession, strategy: str, ansi: str, kind: DataType
) -> None:
    windows: dict[str, Aligned] = {"hourly": HOURLY, "daily": DAILY}
    lowest, highest = DAILY.time_limits
    times = [YEAR_9999, YEAR_1, YEAR_9999 - 5 * DAY_US, *TIMES_US[:3], lowest, highest]
    with session_of(spark, ansi=ansi):
        query = wr.over(timed(spark, times, kind), time="t", strategy=strategy)
        found = bounds_of(query.windows(**windows).aggregate(n=agg.count()), kind)
    places = [(name, *b) for name, one in windows.items() for us in times for b in one.bounds(us)]
    assert found == sorted((*place, places.count(place)) for place in set(places))


@pytest.mark.parametrize("strategy", ["native", "kernel"])
def test_sessions_are_right_from_the_first_year_to_the_last(
    spark: SparkSession, strategy: str
) -> None:
    session = window.session("1 day")
    lowest, highest = session.time_limits
    times = [lowest, YEAR_1, YEAR_9999 - DAY_US, YEAR_9999, highest]
    query = wr.over(timed(spark, times, TYPES[1]), time="t", strategy=strategy)
    found = bounds_of(query.window(session).aggregate(n=agg.count()), TYPES[1])
    spans = [(lowest, lowest, 1), (YEAR_1, YEAR_1, 1), (YEAR_9999 - DAY_US, YEAR_9999, 2)]
    spans.append((highest, highest, 1))
    assert found == [(start, end + DAY_US, n) for start, end, n in spans]


def test_trailing_windows_reach_back_from_the_last_year_to_the_first(spark: SparkSession) -> None:
    times = [MIN_US + 1, YEAR_1, -1, YEAR_9999 - 1, YEAR_9999, MAX_US - 1]
    df = timed(spark, times, TYPES[1])
    counts = []
    for back in ("2 us", "106751991 days"):
        query = wr.over(df, time="t").window(window.trailing(back)).aggregate(n=agg.count())
        found = query.select(to_micros(F.col("t"), TYPES[1]).alias("us"), "n").collect()
        counts.append([row["n"] for row in sorted(found)])
    assert counts == [[1, 1, 1, 1, 2, 1], [1, 2, 2, 3, 4, 3]]


@pytest.mark.parametrize("ansi", ["true", "false"])
@pytest.mark.parametrize(
    ("strategy", "one", "kind", "us"),
    [
        ("native", DAILY, TYPES[0], MAX_US),
        ("native", HOURLY, TYPES[1], MIN_US),
        ("panes", DAILY, TYPES[1], MAX_US),
        ("kernel", window.session("1 day"), TYPES[0], MAX_US),
        ("kernel", HOURLY, TYPES[2], 2_000_000_000 * DAY_US),
    ],
    ids=str,
)
def test_a_time_whose_windows_have_no_bounds_is_refused(
    spark: SparkSession, strategy: str, one: Window, kind: DataType, us: int, ansi: str
) -> None:
    with session_of(spark, ansi=ansi):
        if isinstance(kind, DateType):
            df = spark.range(1).select(
                F.date_from_unix_date(F.lit(us // DAY_US).cast("int")).alias("t")
            )
        else:
            df = timed(spark, [0, us], kind)
        query = wr.over(df, time="t", strategy=strategy).window(one).aggregate(n=agg.count())
        with pytest.raises(PySparkException, match=r"the time [-+]\d{6,}-.* (drop|give) "):
            query.collect()


def test_a_stream_takes_the_year_9999_and_moves_on_to_it(
    spark: SparkSession, tmp_path: Path
) -> None:
    """All that came before is over then: Spark's watermark is the largest time it has seen."""
    (tmp_path / "rows.json").write_text(f'{{"us": 0}}\n{{"us": {YEAR_9999}}}\n')
    stream = spark.readStream.schema("us long").json(str(tmp_path))
    clock = bound_from_micros(F.col("us"), TYPES[1]).alias("clock")
    query = wr.over(stream.select(clock), time="clock", lateness="1 hour", emit=Emit.ON_CHANGE)
    counted = query.window(window.hopping("2 days", every="1 day")).aggregate(n=agg.count())
    sides = (to_micros(F.col(f"window.{side}"), TYPES[1]).alias(side) for side in ("start", "end"))
    writer = counted.select(*sides, "n").writeStream.format("memory").queryName("year_9999")
    writer.outputMode("update").trigger(availableNow=True).start().awaitTermination()
    rows = spark.table("year_9999").collect()
    found = sorted((row["start"], row["end"], row["n"]) for row in rows)
    days = [-DAY_US, 0, YEAR_9999 + 1 - 2 * DAY_US, YEAR_9999 + 1 - DAY_US]
    assert found == [(day, day + 2 * DAY_US, 1) for day in days]
