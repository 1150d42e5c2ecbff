"""Count windows and wide trailing windows of one key cut into blocks: the same rows as one task."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pyspark.sql import SparkSession

import windrow as wr
from tests.spark.support import AGGREGATES, Asked, Row, frame_of
from tests.spark.test_plans import named, shown
from windrow import agg, window
from windrow.errors import InputError
from windrow.parallel import Method
from windrow.plan.stages import DealBlocks
from windrow.spark.batch import cutting, hot_keys
from windrow.testing import check_rows, expected
from windrow.testing.comparison import rows_of
from windrow.windows import Window

UNITS = [1, 2, 3, 7, 64]
COUNTED = {name: AGGREGATES[name] for name in ("free", "last", "median")}
IN_ANY_ORDER = {name: AGGREGATES[name] for name in ("sum_of_integers", "mean_of_integers", "count")}
IN_ORDER = {name: AGGREGATES[name] for name in ("free", "last", "last_time")}
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def row(at_s: float, key: str | None, number: int | None) -> Row:
    blank: dict[str, Any] = dict.fromkeys(("w", "b", "s", "d", "s1", "e1"))
    value = None if number is None else number / 4
    return {"k": key, "t": EPOCH + timedelta(seconds=at_s), **blank, "i": number, "v": value}


# Times before and after 1970, three rows of one time, an hour without rows, a key that comes once,
# and one that comes late; rows arrive in no order.
ROWS = [
    *(row(n // 3 - 10, "ab"[n % 5 == 0], n) for n in range(90)),
    *(row(3600 + n % 7, None, n) for n in range(30)),
    *(row(3605, "late", n) for n in range(5)),
    row(-10, "once", 1),
    row(2, "a", None),
]
ROWS = [ROWS[n * 37 % len(ROWS)] for n in range(len(ROWS))]

COUNTS: list[Window] = [
    window.count(1),
    window.count(4),
    window.count(9, every=2),
    window.count(2, every=5),
    window.count(1000),
]
WIDE: list[Window] = [
    window.trailing("12 s"),
    window.trailing("1 hour", closed="both", ties="together"),
    window.trailing("50 minutes", closed="left"),
    window.trailing("18 s", closed="neither"),
    window.trailing(rows=40),
]


@pytest.fixture(autouse=True)
def every_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows are looked at, few as they are: there are as many blocks as asked for."""
    monkeypatch.setattr(hot_keys, "_ONE_IN", 1)


@pytest.mark.parametrize("by", ["k", None])
@pytest.mark.parametrize(("over", "units"), list(zip(COUNTS, UNITS, strict=True)), ids=str)
def test_count_windows_of_blocks_are_those_of_one_task(
    spark: SparkSession, over: Window, units: int, by: str | None
) -> None:
    asked = Asked(over, COUNTED, by, parallel=("time", units))
    found = asked.of(frame_of(spark, ROWS))
    asked.check(found, ROWS)
    assert shown(spark, found) == named(found)


@pytest.mark.parametrize("by", ["k", None])
@pytest.mark.parametrize("aggregates", [IN_ANY_ORDER, IN_ORDER], ids=["any order", "in order"])
def test_wide_trailing_windows_of_blocks_are_those_of_one_task(
    spark: SparkSession, aggregates: dict[str, Any], by: str | None
) -> None:
    frame, folded = frame_of(spark, ROWS), []
    for over, units in zip(WIDE, [7, 64, 7, 2, 3], strict=True):
        asked = Asked(over, aggregates, by, parallel=("time", units))
        found: Any = asked.of(frame)
        asked.check(found, ROWS)
        assert shown(spark, found) == named(found)
        folded.append("states" in found.plan().sampled[0])
        # Where order matters, rows are put in order before others are sent states of them.
        dealt = any(isinstance(stage, DealBlocks) for stage in found.plan().stages)
        assert dealt == (folded[-1] and aggregates is IN_ORDER)
    assert any(folded)


def test_several_wide_windows_are_cut_together_and_keep_columns(spark: SparkSession) -> None:
    given = [row for row in ROWS if row["k"] != "late"]
    windows = {"half": window.trailing("15 s"), "last": window.trailing(rows=30), "two": WIDE[2]}
    query = wr.over(frame_of(spark, given), time="t").parallel("time", units=7).windows(**windows)
    found = query.keep("s").aggregate(**IN_ANY_ORDER)
    assert "states" in found.plan().explain()
    check_rows(found.drop("s"), expected(given, time="t", windows=windows, aggregates=IN_ANY_ORDER))


@pytest.mark.parametrize("rows", [0, 1, 3])
@pytest.mark.parametrize("over", [window.count(2), window.trailing("1 day")], ids=repr)
def test_there_may_be_more_blocks_than_rows(spark: SparkSession, rows: int, over: Window) -> None:
    asked = Asked(over, IN_ANY_ORDER, parallel=("time", 7))
    asked.check(asked.of(frame_of(spark, ROWS[:rows])), ROWS[:rows])


def test_rows_of_a_key_are_found_however_far_back_other_keys_have_theirs(
    spark: SparkSession,
) -> None:
    rare = [row(n, "b" if n % 30 == 0 else "a", n) for n in range(300)]
    for over in (window.trailing(rows=4), window.count(4)):
        asked = Asked(over, COUNTED, "k", parallel=("time", 7))
        asked.check(asked.of(frame_of(spark, rare)), rare)


def test_the_latest_row_of_a_key_need_not_be_in_the_sample(spark: SparkSession) -> None:
    """The first 8,192 rows are, and of later ones some."""
    frame = spark.range(0, 8_400, 1, 1).selectExpr(
        "timestamp_seconds(id) AS t",
        "CASE WHEN id BETWEEN 8000 AND 8384 THEN 15 ELSE id % 15 END AS k",
        "id AS i",
    )
    given = rows_of(frame)
    aggregates = {"n": agg.count(), "sum": agg.sum("i")}
    several: list[dict[str, Window]] = [
        {"pair": window.trailing(rows=2), "hour": window.trailing("1 hour")},
        {"count": window.count(100, every=50)},
    ]
    for windows in several:
        query = wr.over(frame, time="t", by="k").windows(**windows).parallel("time", units=4)
        found: Any = query.aggregate(**aggregates)
        assert ("states" in found.plan().sampled[0]) == ("pair" in windows)
        wanted = expected(given, time="t", by="k", windows=windows, aggregates=aggregates)
        check_rows(found, wanted)


def test_wide_windows_of_a_hot_key_are_cut_beside_other_keys(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hot_keys, "_FEW_ROWS", 100)
    monkeypatch.setattr(cutting, "_WORTH_STATES", 0.9)  # two tasks gain too little
    given = [row(n * 7 % 600, None if n % 50 else "other", n) for n in range(600)]
    frame = frame_of(spark, given)
    for over in (window.trailing("5 minutes"), window.trailing(rows=300)):
        query = wr.over(frame, time="t", by="k", sample="always").window(over)
        found = query.aggregate(**IN_ANY_ORDER)
        assert found.plan().ownership is Method.TIME
        assert "states" in found.plan().sampled[0]
        check_rows(found, expected(given, time="t", by="k", window=over, aggregates=IN_ANY_ORDER))


def test_unfinished_count_windows_are_not_cut(spark: SparkSession) -> None:
    frame = frame_of(spark, ROWS)
    query = wr.over(frame, time="t", emit="on_change").window(window.count(4))
    assert "say what is unfinished" in " ".join(query.plan(n=agg.count()).reasons)
    with pytest.raises(InputError, match=r"emit=.on_change.*use .keys."):
        query.parallel("time").aggregate(n=agg.count())
