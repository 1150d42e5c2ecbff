"""What the document on disjoint parallelisation ran: three settings, and what it saw in words.

Its curves have no numbers beside them.  Rows have the times 0, 1, 2, …, and keys at random.
"""

from dataclasses import dataclass

from windrow.parallel.methods import Method
from windrow.parallel.workload import Workload

__all__ = ["QUEUE", "SETTINGS", "UNITS", "Contender", "Setting"]

#: It had 14 cores for 28 threads; we go on to 64 units.
UNITS = (1, 2, 4, 7, 10, 14, 20, 28, 40, 52, 64)

#: As many items wait before a unit at most.
QUEUE = 1024


@dataclass(frozen=True)
class Contender:
    """A method as published: rings take rows to every unit; queues may hold a pane, or may not."""

    method: Method
    holds_panes: bool = True

    @property
    def name(self) -> str:
        acronym = self.method.acronym
        own = self.method.value if acronym is None else f"{acronym} ({self.method.value})"
        return own if self.holds_panes else f"{own}, small queues"


@dataclass(frozen=True)
class Setting:
    """A workload, and what it costs to prepare a row, in forwards of a row."""

    name: str
    workload: Workload
    preparing: float
    seen: str


SETTINGS = (
    Setting(
        "hash",
        Workload(rows=25_600_000, spacing=1, size=10_000, every=10_000, keys=1_000),
        preparing=100,
        seen="hashing nearly linear to 7, in turn flat, panes linear if queues hold a pane",
    ),
    Setting(
        "panes",
        Workload(rows=10_000_000, spacing=1, size=10_000, every=100, keys=10),
        preparing=100,
        seen="panes 70 to 120 times the others, all of them linear",
    ),
    Setting(
        "in turn",
        Workload(rows=1_000_000, spacing=1, size=1_000, every=1),
        preparing=0,
        seen="in turn linear to 28, panes linear but lower, HOA falls after 14, HSA flat",
    ),
)
