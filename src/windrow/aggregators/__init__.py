"""How one window is kept: one protocol, many structures."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from windrow.aggregators.amta import Amta
from windrow.aggregators.approximate.footprint import Footprint
from windrow.aggregators.approximate.hop import Hop
from windrow.aggregators.approximate.interval import Interval
from windrow.aggregators.approximate.max_like import MaxLike
from windrow.aggregators.approximate.sum_like import SumLike
from windrow.aggregators.approximate_amta import ApproximateAmta
from windrow.aggregators.base import Aggregator, Snapshot
from windrow.aggregators.choose import Choice, Drift, Eviction, Latency, Needs, choose
from windrow.aggregators.daba import Daba
from windrow.aggregators.flat_fat import FlatFat
from windrow.aggregators.log_mta import LogMta
from windrow.aggregators.recompute import Recompute
from windrow.aggregators.subtract_on_evict import SubtractOnEvict
from windrow.aggregators.two_stacks import TwoStacks
from windrow.arguments import unknown_name

if TYPE_CHECKING:
    from windrow.aggregators.compiled_amta import CompiledAmta
    from windrow.aggregators.compiled_approximate_amta import CompiledApproximateAmta
    from windrow.aggregators.paged.courier import Outage
    from windrow.aggregators.paged_amta import PagedAmta

__all__ = [
    "Aggregator",
    "Amta",
    "ApproximateAmta",
    "Choice",
    "CompiledAmta",
    "CompiledApproximateAmta",
    "Daba",
    "Drift",
    "Eviction",
    "FlatFat",
    "Footprint",
    "Hop",
    "Interval",
    "Latency",
    "LogMta",
    "MaxLike",
    "Needs",
    "Outage",
    "PagedAmta",
    "Recompute",
    "Snapshot",
    "SubtractOnEvict",
    "SumLike",
    "TwoStacks",
    "choose",
]


# The compiler takes a while to load: only who keeps compiled windows needs it.
_LATER = {
    "CompiledAmta": "windrow.aggregators.compiled_amta",
    "CompiledApproximateAmta": "windrow.aggregators.compiled_approximate_amta",
    "Outage": "windrow.aggregators.paged.courier",
    "PagedAmta": "windrow.aggregators.paged_amta",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise unknown_name(__name__, name, __all__, None)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
