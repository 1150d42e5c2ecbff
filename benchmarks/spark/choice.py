"""What the cost model chooses, beside every method that can be forced, in twelve settings.

The prediction of each method is that of the query that was left to choose: its sample, and the
constants of this machine if `windrow calibrate` has measured them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import windrow as wr
from benchmarks.findings import Experiment, Findings, Table, at_least, at_most, chosen
from benchmarks.measure import Bench, Measured
from benchmarks.spark.contenders import Build, in_turns
from benchmarks.spark.data import cached, readings
from benchmarks.spark.ratios import WINDROW
from windrow import agg, window
from windrow.parallel import Method
from windrow.windows import Window

__all__ = ["CHOICE", "ChoiceSizes", "run"]

_HOUR = window.hopping("1 hour", every="1 minute")
_HALF = window.hopping("12 hours", every="1 minute")
_MINUTE = window.tumbling("1 minute")
_TRAILING = window.trailing("10 minutes")
_ROWS = window.trailing(rows=1_000)
_SESSION = window.session("1 minute")  # never ends before the day does

_EVEN = "sensor"
_HOT = "if(sensor < 60, 0, sensor)"  # of 100 sensors
_PAIR = "sensor % 2"


@dataclass(frozen=True)
class ChoiceSizes:
    """A day of readings; as many rows for aggregates that run interpreted, value by value."""

    rows: int
    interpreted: int


@dataclass(frozen=True)
class _Setting:
    """One query, and how its rows belong together."""

    name: str
    window: Window
    aggregate: Any
    key: str | None = None  # none: all rows together
    interpreted: bool = False

    def build(self, df: DataFrame, method: str = "auto") -> Any:
        keyed = df if self.key is None else df.withColumn("key", F.expr(self.key))
        query = wr.over(keyed, time="ts", by=() if self.key is None else "key")
        return query.parallel(method).window(self.window).aggregate(found=self.aggregate)


_LAST, _MAX = agg.last("value"), agg.max("value")

SETTINGS = (
    _Setting("hopping, one key", _HOUR, _LAST),
    _Setting("hopping, wide, one key", _HALF, _LAST),
    _Setting("hopping, 100 keys", _HOUR, _LAST, _EVEN),
    _Setting("hopping, a key with 60 %", _HOUR, _LAST, _HOT),
    _Setting("hopping, two keys", _HOUR, _LAST, _PAIR),
    _Setting("tumbling, one key", _MINUTE, _LAST),
    _Setting("trailing, one key", _TRAILING, _MAX),
    _Setting("trailing, 100 keys", _TRAILING, _MAX, _EVEN),
    _Setting("trailing, a key with 60 %", _ROWS, _MAX, _HOT),
    _Setting("session, one key", _SESSION, _LAST),
    _Setting("session, 100 keys", _SESSION, _LAST, _EVEN),
    _Setting("sketch, one key", _HOUR, agg.quantile_sketch(0.5, "value"), interpreted=True),
)


def run(sizes: ChoiceSizes, bench: Bench) -> Findings:
    """The seconds of the choice and of every forced method, and those that were predicted."""
    measured: list[Measured] = []
    predictions: dict[tuple[str, str], float] = {}
    picks: dict[str, str] = {}
    for rows in dict.fromkeys((sizes.rows, sizes.interpreted)):
        with cached(readings(rows, 100)) as df:
            for setting in SETTINGS:
                if rows != (sizes.interpreted if setting.interpreted else sizes.rows):
                    continue
                plan = setting.build(df).plan()
                picks[setting.name] = plan.ownership.value
                for estimate in plan.compared.estimates if plan.compared else ():
                    if estimate.seconds is not None:
                        predictions[setting.name, estimate.method.value] = estimate.seconds
                measured += in_turns(bench, {"setting": setting.name}, _queries(setting, df))
    return Findings(measured, [_table(measured, predictions, picks)], _bars(measured, predictions))


def _queries(setting: _Setting, df: DataFrame) -> Mapping[str, Build]:
    aligned = setting.window.grid is not None
    methods = [m for m in Method if m is not Method.AUTO] if aligned else [Method.KEYS, Method.TIME]
    forced = {m.value: partial(setting.build, df, m.value) for m in methods}
    return {WINDROW: partial(setting.build, df), **forced}


def _seconds(measured: Sequence[Measured], setting: str) -> dict[str, float]:
    return {m.contender: m.median / 1e9 for m in chosen(measured, setting=setting)}


def _table(
    measured: Sequence[Measured],
    predictions: Mapping[tuple[str, str], float],
    picks: Mapping[str, str],
) -> Table:
    """Each setting with its choice, the best forced method, and seconds with predictions."""
    lines = []
    for setting, pick in picks.items():
        seconds = _seconds(measured, setting)
        auto = seconds.pop(WINDROW)
        best = min(seconds, key=lambda name: seconds[name])
        shown = [
            f"{name} {value:.2f}" + _beside(predictions.get((setting, name)))
            for name, value in sorted(seconds.items(), key=lambda item: item[1])
        ]
        ratio = f"{auto / seconds[best]:.2f} ×"
        lines.append([setting, f"{pick} {auto:.2f}", ratio, " · ".join(shown)])
    header = ["setting", "auto, s", "of the best", "forced, s (predicted)"]
    return Table("what is chosen", header, lines)


def _beside(predicted: float | None) -> str:
    return "" if predicted is None else f" ({predicted:.2f})"


def _bars(measured: Sequence[Measured], predictions: Mapping[tuple[str, str], float]) -> list[Any]:
    slower, ratios = [], []
    for setting in SETTINGS:
        seconds = _seconds(measured, setting.name)
        auto = seconds.pop(WINDROW)
        slower.append(auto / min(seconds.values()))
        ratios += [
            predictions[setting.name, name] / value
            for name, value in seconds.items()
            if (setting.name, name) in predictions
        ]
    return [
        at_most("auto: as long as the best forced method", 1.15, slower, "x"),
        at_least("predicted seconds, of those measured", 0.6, ratios, "x"),
        at_most("predicted seconds, of those measured", 1.6, ratios, "x"),
    ]


CHOICE = Experiment(
    name="choice",
    question="what the cost model chooses",
    run=run,
    full=ChoiceSizes(rows=4_000_000, interpreted=1_000_000),
    quick=ChoiceSizes(rows=1_000_000, interpreted=600_000),
)
