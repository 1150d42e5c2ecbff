"""Approximate windows (A²MTA): buckets of consecutive updates, with bounds on every result.

    from windrow.approximate import ApproximateAmta, SumLike

A window keeps the aggregate of each bucket in place of its updates.  Only the oldest bucket can be
partly outside the window; a few extra values in each bucket bound the error that this can cause.
So every result is an interval that contains the exact one.

Inside this package, in the order in which an update passes through it:

    chosen          which methods an aggregate's bound asks for, and what makes no sense
    layout          a bucket: one monoid of the aggregates, their traces and what a policy watches
    method          what a method is: sum_like, max_like, hop or footprint decides which updates
                    share a bucket; prediction tells what the next ones will be like
    families        how results are bounded: additive, growing, spread, sketched, made of bounds
    interval        results
    approximate_amta            all of this as a window: ApproximateAmta
    in_store, paged_buckets     its buckets in a store, and what happens when that is out of reach
    packed          windows as bytes

What happens in a window is written once, for windows of Python's objects and for compiled ones:

    forest_window   what happens when updates come and go
    method_code     what methods decide and learn
    sliding         where a slide policy cuts the line of buckets

`object_window` has counters, buckets and cells as Python's objects, and `buckets` is the forest of
whole buckets.  `compiled` has them as 64-bit numbers.  Bounds and predictions are plain functions,
which both forms share:

    sum_code        sums of 64 bits; growing and spread have the codes of their own families
    compiled.operator, .watched         a bucket as a tuple of numbers
    compiled.window                     the forest and the window on cells
    compiled.steps                      the kernels
    adopted                             how a window of objects goes on compiled
    compiled_approximate_amta           all of this as a window: CompiledApproximateAmta

`tuning` tries settings on a sample.
"""

from typing import TYPE_CHECKING

from windrow.approximate.approximate_amta import ApproximateAmta
from windrow.approximate.footprint import Footprint
from windrow.approximate.hop import Hop
from windrow.approximate.interval import Interval
from windrow.approximate.max_like import MaxLike
from windrow.approximate.sum_like import SumLike
from windrow.arguments import loaded_later

if TYPE_CHECKING:
    from windrow.approximate.compiled_approximate_amta import CompiledApproximateAmta

__all__ = [
    "ApproximateAmta",
    "CompiledApproximateAmta",
    "Footprint",
    "Hop",
    "Interval",
    "MaxLike",
    "SumLike",
]

# The compiler takes a while to load: only who keeps compiled windows needs it.
__getattr__, __dir__ = loaded_later(
    __name__, __all__, {"CompiledApproximateAmta": "windrow.approximate.compiled_approximate_amta"}
)
