"""Structures that keep one window over one stream: one protocol, several algorithms.

Inside this package: `base.py` is the protocol.  `Recompute` is the oracle; `SubtractOnEvict`,
`TwoStacks`, `Daba`, `FlatFat`, `LogMta` and `Amta` are the published structures; `CompiledAmta`
runs AMTA on batches of numbers.  `choose` picks one.  `windrow.paged` and `windrow.approximate`
build on these.
"""

from typing import TYPE_CHECKING

from windrow.arguments import loaded_later
from windrow.structures.amta import Amta
from windrow.structures.base import Aggregator, Snapshot
from windrow.structures.choose import Choice, Drift, Eviction, Latency, Needs, choose
from windrow.structures.daba import Daba
from windrow.structures.flat_fat import FlatFat
from windrow.structures.log_mta import LogMta
from windrow.structures.recompute import Recompute
from windrow.structures.subtract_on_evict import SubtractOnEvict
from windrow.structures.two_stacks import TwoStacks

if TYPE_CHECKING:
    from windrow.structures.compiled_amta import CompiledAmta

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


# The compiler takes a while to load: only who keeps compiled windows needs it.
__getattr__, __dir__ = loaded_later(
    __name__, __all__, {"CompiledAmta": "windrow.structures.compiled_amta"}
)
