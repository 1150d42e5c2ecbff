"""The aggregates: `agg.max("temp")` reads a column, `agg.max()` the inserted value itself.

`agg.max(agg.TIME)` reads the event time of each row, whatever its column is called.

>>> max(TIME), mean("temp")
(max(TIME), mean('temp'))
"""

from typing import NoReturn

from windrow.algebra.aggregate import TIME, several
from windrow.algebra.catalogue import (
    all,
    any,
    argmax,
    argmin,
    bloom,
    collect,
    concat,
    count,
    distinct,
    distinct_sketch,
    first,
    geometric_mean,
    histogram,
    last,
    longest_increasing_run,
    max,
    max_count,
    mean,
    median,
    min,
    min_count,
    of,
    product,
    quantile,
    quantile_sketch,
    range,
    stddev,
    sum,
    top_k,
    variance,
)
from windrow.algebra.catalogue.filters import BloomFilter
from windrow.algebra.catalogue.runs import IncreasingRun
from windrow.algebra.other_names import OTHER_NAMES
from windrow.arguments import unknown_name

__all__ = [
    "TIME",
    "BloomFilter",
    "IncreasingRun",
    "all",
    "any",
    "argmax",
    "argmin",
    "bloom",
    "collect",
    "concat",
    "count",
    "distinct",
    "distinct_sketch",
    "first",
    "geometric_mean",
    "histogram",
    "last",
    "longest_increasing_run",
    "max",
    "max_count",
    "mean",
    "median",
    "min",
    "min_count",
    "of",
    "product",
    "quantile",
    "quantile_sketch",
    "range",
    "several",
    "stddev",
    "sum",
    "top_k",
    "variance",
]

_HINTS = {
    "monoid": "make one with windrow.monoid(...), and let it read columns by agg.of(monoid, ...)",
    "mode": "there is none: take agg.collect, or write it yourself with windrow.monoid",
    "collect_set": "take agg.distinct for their number, or agg.collect for all values",
    "stddev_pop": "say agg.stddev(..., ddof=0)",
    "var_pop": "say agg.variance(..., ddof=0)",
}


def __getattr__(name: str) -> NoReturn:
    other = OTHER_NAMES.get(name.lower())
    hint = _HINTS.get(name.lower()) or (f"here it is agg.{other}" if other else None)
    raise unknown_name(__name__, name, __all__, hint)
