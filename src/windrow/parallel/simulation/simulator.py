"""The entry: rows, windows, a method and a number of units; what comes out, and what it took."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from windrow.algebra.aggregate import Aggregation, as_monoid
from windrow.arguments import shown, whole
from windrow.errors import InputError
from windrow.parallel.counts import Delivery, Load
from windrow.parallel.methods import Method
from windrow.parallel.simulation.blocks import in_blocks
from windrow.parallel.simulation.lines import along_lines
from windrow.parallel.simulation.panes import by_panes
from windrow.parallel.simulation.unit import Key, Row, Task, stable_hash
from windrow.parallel.workload import Travel, require_whole
from windrow.windows import Aligned

__all__ = ["Simulated", "simulate"]


@dataclass(frozen=True)
class Simulated:
    """Results by key and start of window, and what each unit did."""

    results: Mapping[tuple[Key, int], Any]
    closed_at: Mapping[tuple[Key, int], int | None]
    """The time of the row that closed a window; None for those that only the end of data closed."""

    units: tuple[Load, ...]
    memory: int
    """The most states that all units held together."""

    @property
    def total(self) -> Load:
        """What all units did together."""
        sums = {part.name: sum(getattr(u, part.name) for u in self.units) for part in fields(Load)}
        return Load(**sums | {"memory": self.memory})

    @property
    def busiest(self) -> Load:
        """The most that any unit did, part by part."""
        most = {part.name: max(getattr(u, part.name) for u in self.units) for part in fields(Load)}
        return Load(**most)


def simulate(
    rows: Iterable[Row],
    window: Aligned,
    method: Method,
    units: int,
    *,
    aggregate: Aggregation,
    block: int | None = None,
    delivery: Delivery = Delivery.OWNERS,
    travel: Travel = Travel.SLICES,
    hashed: Callable[[Any], int] = stable_hash,
) -> Simulated:
    """Let units compute the windows of rows (time, key, value), step by step.

    >>> from windrow import agg
    >>> rows = [(time, "a", 1) for time in range(6)]
    >>> found = simulate(rows, Aligned(4, 2), Method.ROUND_ROBIN, 3, aggregate=agg.sum())
    >>> found.results
    {('a', -2): 2, ('a', 0): 4, ('a', 2): 4, ('a', 4): 2}
    >>> [unit.lifts for unit in found.units]
    [4, 4, 4]
    """
    require_whole(units, "units")
    if method is Method.TIME and (whole(block) is None or (block or 0) < 1):
        raise InputError(
            f"block={shown(block)}: time blocks need a number of windows that stay together; "
            "windrow.parallel.counts.best_block(...) proposes one"
        )
    task = Task(window, as_monoid(aggregate, "aggregate"), units, cache(hashed))
    ordered = sorted(rows, key=lambda row: row[0])
    if method is Method.AUTO:
        raise InputError("method=Method.AUTO cannot be simulated; name one of the others")
    if method in (Method.KEYS, Method.TIME):
        own = block if method is Method.TIME else None
        done, answers, memory = in_blocks(task, ordered, own, travel)
    elif method is Method.PANES:
        done, answers, memory = by_panes(task, ordered)
    else:
        done, answers, memory = along_lines(task, ordered, method, delivery)
    answers.sort(key=lambda answer: answer.number)
    named = {(answer.key, task.start(answer.number)): answer for answer in answers}
    return Simulated(
        {name: task.monoid.lower(answer.state) for name, answer in named.items()},
        {name: answer.closed_at for name, answer in named.items()},
        tuple(unit.load for unit in done),
        memory,
    )
