"""A window and an aggregate from outside the package, added as ARCHITECTURE.md says.

The window is one that `windrow.window` refuses to have, as its length is not fixed: the calendar
month.  The aggregate depends on the order of rows: how far a value has moved, up and down.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import windrow as wr
from tests.spark.conftest import spark
from windrow import agg
from windrow.columnar.keyed import Keyed, numbers, together
from windrow.columnar.states import Summary
from windrow.engines.definition import Definition
from windrow.engines.engine import FRESH, Engine, Kept, Step
from windrow.testing import Feed, check_monoid_laws, check_rows, expected
from windrow.testing.membership import Found, windows_at_rows, windows_over_rows
from windrow.windows import Emit, Window

__all__ = ["spark"]

pytestmark = pytest.mark.xdist_group("spark")

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY_US = 86_400_000_000
COLUMNS = "car string, at timestamp, level double"
Row = dict[str, Any]

# "an aggregate": `windrow.monoid(lift=…, combine=…, identity=…)`, used as `agg.of(…)`.
# A state is how many values there were, the first, the last, and the way between them.
TRAVELLED = wr.monoid(
    name="travelled",
    lift=lambda level: (1, level, level, 0.0),
    combine=lambda older, newer: (
        newer
        if older[0] == 0
        else older
        if newer[0] == 0
        else (
            older[0] + newer[0],
            older[1],
            newer[2],
            older[3] + newer[3] + abs(newer[1] - older[2]),
        )
    ),
    lower=lambda state: state[3],
    identity=(0, 0.0, 0.0, 0.0),
)
AGGREGATES = {"n": agg.count(), "way": agg.of(TRAVELLED, "level")}


def month_of(time_us: int) -> tuple[int, int]:
    """The first microsecond of a time's month, and that of the next month."""
    first = (EPOCH + timedelta(microseconds=time_us)).replace(
        day=1, hour=0, minute=0, second=0, microsecond=0
    )
    after = (first + timedelta(days=31)).replace(day=1)
    start, end = ((moment - EPOCH) // timedelta(microseconds=1) for moment in (first, after))
    return start, end


class MonthsOfKeys(Engine):
    """ "an engine": a subclass of `Engine`, made from a `Definition`.

    What it keeps of a key are the rows of months that are not over.
    """

    def __init__(self, definition: Definition) -> None:
        self.kept = {"months": definition.schema}
        self._keys = list(definition.keys)
        self._summaries = [
            Summary(part, name, definition.schema, result)
            for (name, part), result in zip(definition.aggregates, definition.results, strict=True)
        ]
        keys = [definition.schema.field(name) for name in self._keys]
        bounds = [pa.field(name, pa.int64()) for name in ("start", "end")]
        self.schema = pa.schema([*keys, *bounds, *definition.result_fields()])

    def advance(self, kept: Kept, rows: pa.Table, until: int | None) -> Step:
        held = pa.concat_tables([kept["months"], rows])
        ends = [month_of(time)[1] for time in held["t"].to_pylist()]
        over = pa.array([until is None or end <= until for end in ends], pa.bool_())
        is_open = pa.array([until is not None and end > until for end in ends], pa.bool_())
        return Step([self._results(held.filter(over))], {"months": held.filter(is_open)})

    def preview(self, kept: Kept, rows: pa.Table) -> pa.Table:
        plain = pa.concat_tables([kept["months"], rows.drop_columns([FRESH])])
        fresh = self._results(rows.filter(rows[FRESH]).drop_columns([FRESH]))
        places = [*self._keys, "start"]
        touched = fresh.select(places).to_pylist()
        results = self._results(plain)
        is_touched = [place in touched for place in results.select(places).to_pylist()]
        return results.filter(pa.array(is_touched, pa.bool_()))

    def due(self, kept: Kept) -> int | None:
        return min((month_of(time)[1] for time in kept["months"]["t"].to_pylist()), default=None)

    def _results(self, rows: pa.Table) -> pa.Table:
        """Rows of a key come by their times: those of one month stand together."""
        if not rows.num_rows:
            return self.schema.empty_table()
        keyed = together(rows)
        months = np.array([month_of(time) for time in numbers(keyed.table["t"]).tolist()])
        begins = np.append(True, months[1:, 0] != months[:-1, 0])
        begins[keyed.borders[:-1]] = True
        firsts = np.flatnonzero(begins)
        borders = np.append(firsts, len(begins))
        keys = keyed.table.select(self._keys).take(pa.array(firsts))
        folded = [summary.lower(summary.fold(keyed.table, borders)) for summary in self._summaries]
        bounds = [pa.array(months[firsts, side]) for side in (0, 1)]
        return pa.table([*keys.columns, *bounds, *folded], schema=self.schema)


class DaysOfKeys(Engine):
    """An engine with a result for each row: it keeps the rows of the newest day of each key."""

    heard: Mapping[str, str] = {"days": "t"}

    def __init__(self, definition: Definition) -> None:
        self.kept = {"days": definition.schema}
        self._definition = definition
        self._summaries = [
            Summary(part, name, definition.schema, result)
            for (name, part), result in zip(definition.aggregates, definition.results, strict=True)
        ]
        self.schema = pa.schema([*definition.row_fields(), *definition.result_fields()])

    def advance(self, kept: Kept, rows: pa.Table, until: int | None) -> Step:
        keyed = together(pa.concat_tables([kept["days"], rows]))
        if not keyed.table.num_rows:
            return Step([self.schema.empty_table()], kept)
        days = numbers(keyed.table["t"]) // DAY_US
        begins = np.append(True, days[1:] != days[:-1])
        begins[keyed.borders[:-1]] = True
        firsts = np.flatnonzero(begins)
        own = np.repeat(firsts, np.diff(np.append(firsts, len(days))))  # the first row of the day
        places = np.flatnonzero(keyed.origins >= kept["days"].num_rows)
        return Step([self._results(keyed.table, own, places)], self._left(keyed, days, until))

    def preview(self, kept: Kept, rows: pa.Table) -> pa.Table:
        return pa.concat_tables(self.advance(kept, rows.drop_columns([FRESH]), None).results)

    def due(self, kept: Kept) -> int | None:
        times = numbers(kept["days"]["t"])
        return int(times.min() // DAY_US + 1) * DAY_US if len(times) else None

    def _results(self, table: pa.Table, firsts: Any, places: Any) -> pa.Table:
        names = [field.name for field in self._definition.row_fields()]
        held = [np.arange(firsts[place], place + 1) for place in places]
        borders = np.append(0, np.cumsum([len(one) for one in held], dtype=np.int64))
        windows = table.take(pa.array(np.concatenate([np.zeros(0, np.int64), *held])))
        folded = [summary.lower(summary.fold(windows, borders)) for summary in self._summaries]
        shown = table.select(names).take(pa.array(places))
        return pa.table([*shown.columns, *folded], schema=self.schema)

    def _left(self, keyed: Keyed, days: Any, until: int | None) -> Kept:
        newest = np.repeat(days[keyed.borders[1:] - 1], np.diff(keyed.borders))
        goes_on = (days == newest) & ((days + 1) * DAY_US > (until or 0)) & (until is not None)
        return {"days": keyed.table.filter(pa.array(goes_on))}


@dataclass(frozen=True, slots=True)
class SinceMidnight(Window):
    """A window at each row: the rows of its day so far."""

    engine = DaysOfKeys
    per_row: ClassVar[bool] = True
    ends_by_time: ClassVar[bool] = True


@windows_at_rows.register
def _(window: SinceMidnight, times: Sequence[int], rows: Sequence[Row]) -> Iterator[Sequence[int]]:
    for place, time in enumerate(times):
        yield [p for p in range(place + 1) if times[p] // DAY_US == time // DAY_US]


@dataclass(frozen=True, slots=True)
class Months(Window):
    """ "a window": a frozen dataclass derived from `Window`, which says `engine = …`."""

    engine = MonthsOfKeys
    ends_by_time: ClassVar[bool] = True


@windows_over_rows.register
def _(window: Months, times: Sequence[int], rows: Sequence[Row]) -> Iterator[Found]:
    for start, end in sorted({month_of(time) for time in times}):
        yield Found(start, end, [p for p, time in enumerate(times) if start <= time < end])


# Two cars over a leap year's February and both ends of a year, some rows of a month out of order.
DAYS = ("2023-12-31", "2024-01-01", "2024-02-29", "2024-02-01", "2024-03-01", "2024-12-31")
ROWS: list[Row] = [
    {"car": car, "at": datetime.fromisoformat(f"{day}T{hour:02}:30+00:00"), "level": level * hour}
    for day in DAYS
    for car, hour, level in (("a", 0, 2.0), ("b", 13, -1.0), ("a", 23, 1.0), ("a", 7, 8.0))
]


def by_hand() -> list[Row]:
    """The oracle: lists of numbers, by the year and the month."""
    levels: dict[tuple[str, int, int], list[tuple[datetime, float]]] = defaultdict(list)
    for row in ROWS:
        at = row["at"]
        levels[row["car"], at.year, at.month].append((at, row["level"]))
    return [
        {
            "window": {
                "start": datetime(year, month, 1, tzinfo=UTC),
                "end": datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC),
            },
            "car": car,
            "n": len(found),
            "way": sum(abs(b - a) for (_, a), (_, b) in pairwise(sorted(found))),
        }
        for (car, year, month), found in levels.items()
    ]


def asked_of(frame: Any, **options: Any) -> Any:
    return wr.over(frame, time="at", by="car", **options).window(Months()).aggregate(**AGGREGATES)


@pytest.mark.parametrize(
    "line",
    [
        "| an aggregate | `windrow.monoid(lift=…, combine=…, identity=…)`, used as `agg.of(",
        "| a window | a frozen dataclass derived from `Window` (",
        "and sets `engine = …` | register which rows are in it for the oracle with "
        "`windows_over_rows.register` or `windows_at_rows.register`",
        "| an engine | a subclass of `Engine` (",
        "made from a `Definition` | batch and stream run it as it is",
    ],
)
def test_what_is_done_here_is_what_the_architecture_says(line: str) -> None:
    text = Path(__file__).parents[1].joinpath("ARCHITECTURE.md").read_text(encoding="utf-8")
    assert line in text


def test_the_aggregate_obeys_the_laws() -> None:
    check_monoid_laws(TRAVELLED, st.integers(-100, 100).map(float))


def test_the_oracle_of_queries_agrees_with_lists_of_numbers() -> None:
    found = expected(ROWS, time="at", by="car", window=Months(), aggregates=AGGREGATES)
    check_rows(found, by_hand())


def test_both_run_in_a_batch(spark: SparkSession) -> None:
    batch = spark.createDataFrame([tuple(row.values()) for row in ROWS], COLUMNS)
    found = asked_of(batch.repartition(3))
    assert "Spark has no windows like Months()" in found.plan().explain()
    check_rows(found, by_hand())


@pytest.mark.parametrize("emit", Emit)
def test_both_run_on_a_stream_across_a_restart(spark: SparkSession, emit: Emit) -> None:
    with Feed(spark, COLUMNS, time="at", lateness="40 days") as feed:
        mode = "append" if emit is Emit.ON_CLOSE else "update"
        run = feed.start(asked_of(feed.frame, emit=emit), mode=mode)
        run.add(ROWS[:10])
        run.restart()
        run.add(ROWS[10:])
        run.watermark(datetime(2025, 2, 1, tzinfo=UTC))
        # Of what is told on every change, the last counts.
        last = {(row["window"]["start"], row["car"]): row for row in run.rows}
        assert emit is Emit.ON_CHANGE or len(last) == len(run.rows)
        check_rows(last.values(), by_hand())


def since_midnight() -> list[Row]:
    """The same for windows that begin with their day: what has been until each row."""
    return [
        {
            **row,
            "n": len(levels),
            "way": sum(abs(b - a) for (_, a), (_, b) in pairwise(sorted(levels))),
        }
        for row in ROWS
        for levels in [
            [
                (other["at"], other["level"])
                for other in ROWS
                if other["car"] == row["car"]
                and other["at"].date() == row["at"].date()
                and other["at"] <= row["at"]
            ]
        ]
    ]


def test_a_window_at_each_row_runs_in_a_batch(spark: SparkSession) -> None:
    batch = spark.createDataFrame([tuple(row.values()) for row in ROWS], COLUMNS)
    query = wr.over(batch.repartition(3), time="at", by="car").window(SinceMidnight())
    check_rows(query.keep("level").aggregate(**AGGREGATES), since_midnight())
    options: dict[str, Any] = {"time": "at", "by": "car", "keep": "level"}
    found = expected(ROWS, window=SinceMidnight(), aggregates=AGGREGATES, **options)
    check_rows(found, since_midnight())


def test_a_window_at_each_row_runs_on_a_stream_across_a_restart(spark: SparkSession) -> None:
    with Feed(spark, COLUMNS, time="at", lateness="40 days") as feed:
        query = wr.over(feed.frame, time="at", by="car").window(SinceMidnight()).keep("level")
        answer: Any = query.aggregate(**AGGREGATES)
        assert "state: rows" in answer.plan().explain()
        run = feed.start(answer)
        run.add(ROWS[:10])
        run.restart()
        run.add(ROWS[10:])
        run.watermark(datetime(2025, 2, 1, tzinfo=UTC))
        check_rows(run.rows, since_midnight())
