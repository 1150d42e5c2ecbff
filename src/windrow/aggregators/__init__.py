"""How one window is kept: one protocol, many structures."""

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
    "Recompute",
    "Snapshot",
    "SubtractOnEvict",
    "TwoStacks",
    "choose",
]


def __getattr__(name: str) -> Any:
    # The compiler takes a while to load: only who keeps compiled windows needs it.
    if name == "CompiledAmta":
        from windrow.aggregators.compiled_amta import CompiledAmta

        return CompiledAmta
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
