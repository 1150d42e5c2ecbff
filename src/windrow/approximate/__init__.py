"""Windows of buckets: consecutive updates aggregated together, with bounds on every result (A²MTA).

    from windrow.approximate import ApproximateAmta, SumLike

Updates come in, one by one or in columns; intervals go out, which hold the exact results.  A window
that keeps buckets in place of updates knows its own start only up to a bucket: the oldest one may
be partly outside.  In the order of an update's way:

    chosen          which methods an aggregate's bound asks for, and what makes no sense
    layout          a bucket: one monoid of the aggregates, their traces and what a policy watches
    method          what a method is: sum_like, max_like, hop or footprint decides which updates
                    share a bucket; prediction tells what the next ones will be like
    forest_window   what happens in a window when updates come and go, written once
    object_window   its counters and buckets as Python's objects
    buckets         the forest of whole buckets; line: where a slide policy cuts it
    families        how results are bounded: additive, growing, spread, sketched, made of bounds
    interval        results
    approximate_amta            all of this as a window: ApproximateAmta
    in_store, paged_buckets     its buckets in a store, and what happens when that is out of reach
    packed          windows as bytes

`compiled` is the same on numbers of 64 bits.  Bounds, predictions and steps are plain functions,
which both forms share; what differs is where things are kept:

    sum_code        sums of 64 bits; growing and spread have the codes of their own families
    compiled.operator, .watched         a bucket as a tuple of numbers
    compiled.method_cells, .methods     the methods on cells
    compiled.window, .sliding           the forest, the window and its cuts on cells
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
