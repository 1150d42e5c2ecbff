"""The catalogue: one module for each family of aggregates, all entered into the register."""

from windrow.algebra.aggregate import of
from windrow.algebra.catalogue.counting import count
from windrow.algebra.catalogue.ends import first, last
from windrow.algebra.catalogue.extrema import max, min, range
from windrow.algebra.catalogue.filters import bloom
from windrow.algebra.catalogue.histograms import histogram
from windrow.algebra.catalogue.located import argmax, argmin
from windrow.algebra.catalogue.logic import all, any
from windrow.algebra.catalogue.moments import stddev, variance
from windrow.algebra.catalogue.occurrences import max_count, min_count
from windrow.algebra.catalogue.order_statistics import median, quantile, top_k
from windrow.algebra.catalogue.runs import longest_increasing_run
from windrow.algebra.catalogue.sequences import collect, concat
from windrow.algebra.catalogue.sets import distinct
from windrow.algebra.catalogue.sketches import distinct_sketch, quantile_sketch
from windrow.algebra.catalogue.sums import geometric_mean, mean, product, sum

__all__ = [
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
    "stddev",
    "sum",
    "top_k",
    "variance",
]
