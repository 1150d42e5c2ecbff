"""What Spark takes for stages, rows and results: solved from the seconds of four small queries.

All have one key, whose windows are on one task.  `few` has hardly any rows; of the others each does
one thing more than the one before: fold rows where they are read, send them, give a result for
each.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from windrow.algebra.lookup import registered
from windrow.plan.constants import Constants
from windrow.windows import Aligned, TrailingRows, Window

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["measured"]

_FEW, _MANY = 1_000, 2_000_000
_TIMES = 5
# Rows of the one are folded where they are read; those of the other are put in order first.
_FOLDED, _IN_ORDER = "max", "longest_increasing_run"
_STAGES = 2
_MINUTE_US = 60_000_000
_COMBINES = 3  # for each row of a trailing window, as the formulas count them


def measured(spark: "SparkSession", known: Constants, doing: Callable[[str], None]) -> Constants:
    """Constants with the seconds of Spark's own work; `known` has the prices of aggregates."""
    from windrow.spark.transport.transit import tasks_of

    seconds = _seconds(spark, doing)
    tasks = tasks_of(spark)
    maximum, rising = (known.price(name, compiled=True) for name in (_FOLDED, _IN_ORDER))
    stage = seconds["few"] / _STAGES
    read = (seconds["folded"] - seconds["few"]) / _MANY * tasks - maximum.lift
    # All tasks pack rows, and one unpacks them.
    moved = (seconds["sent"] - seconds["few"]) / _MANY - read / tasks - rising.lift
    sent = moved / (1 + 1 / tasks)
    trailing = maximum.lift + _COMBINES * maximum.combine
    result = (seconds["answered"] - seconds["few"]) / _MANY - read / tasks - moved - trailing
    # What is lost in the noise of a busy machine costs next to nothing.
    return replace(
        known,
        stage=max(stage, 0.0),
        read=max(read, 0.0),
        sent=max(sent, 0.0),
        result=max(result, 0.0),
    )


def _seconds(spark: "SparkSession", doing: Callable[[str], None]) -> Mapping[str, float]:
    """The fewest seconds of each query, taken in turns: what disturbs the machine only adds."""
    few, many = _rows(spark, _FEW), _rows(spark, _MANY)
    minutes = Aligned(size_us=_MINUTE_US, every_us=_MINUTE_US)
    queries: Mapping[str, tuple[DataFrame, Window, str]] = {
        "few": (few, minutes, _IN_ORDER),
        "folded": (many, minutes, _FOLDED),
        "sent": (many, minutes, _IN_ORDER),
        "answered": (many, TrailingRows(rows=100), _FOLDED),
    }
    spent: dict[str, list[float]] = {name: [] for name in queries}
    for turn in range(_TIMES + 1):
        for name, query in queries.items():
            doing(f"Spark: rows that are {name}" if name != "few" else "Spark: few rows")
            begin = perf_counter()
            _of_one_key(*query).write.format("noop").mode("overwrite").save()
            if turn:  # the first one starts workers, and compiles
                spent[name].append(perf_counter() - begin)
    return {name: min(own) for name, own in spent.items()}


def _rows(spark: "SparkSession", rows: int) -> "DataFrame":
    from windrow.spark.transport.transit import tasks_of

    numbers = spark.range(0, rows, 1, tasks_of(spark))
    return numbers.selectExpr("timestamp_millis(id) AS t", "pmod(id * 389, 1009) / 8.0D AS x")


def _of_one_key(df: "DataFrame", window: Window, aggregate: str) -> Any:
    from windrow.spark.over import over

    query = over(df, time="t").parallel("keys").window(window)
    return query.aggregate(found=registered()[aggregate].factory("x"))
