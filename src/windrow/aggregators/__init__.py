"""How one window is kept: one protocol, many structures."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from windrow.aggregators.amta import Amta
from windrow.aggregators.base import Aggregator, Snapshot
from windrow.aggregators.choose import Choice, Drift, Eviction, Latency, Needs, choose
from windrow.aggregators.daba import Daba
from windrow.aggregators.flat_fat import FlatFat
from windrow.aggregators.log_mta import LogMta
from windrow.aggregators.recompute import Recompute
from windrow.aggregators.subtract_on_evict import SubtractOnEvict
from windrow.aggregators.two_stacks import TwoStacks

if TYPE_CHECKING:
    from windrow.aggregators.compiled_amta import CompiledAmta
    from windrow.aggregators.paged.courier import Outage
    from windrow.aggregators.paged_amta import PagedAmta

__all__ = [
    "Aggregator",
    "Amta",
    "Choice",
    "CompiledAmta",
    "Daba",
    "Drift",
    "Eviction",
    "FlatFat",
    "Latency",
    "LogMta",
    "Needs",
    "Outage",
    "PagedAmta",
    "Recompute",
    "Snapshot",
    "SubtractOnEvict",
    "TwoStacks",
    "choose",
]


# The compiler takes a while to load: only who keeps compiled windows needs it.
_LATER = {
    "CompiledAmta": "windrow.aggregators.compiled_amta",
    "Outage": "windrow.aggregators.paged.courier",
    "PagedAmta": "windrow.aggregators.paged_amta",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
