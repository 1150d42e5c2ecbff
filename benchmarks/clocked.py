"""Single operations of a forest, timed inside compiled code.

A call from Python costs more than what it calls: here the clock of the C library is read by the
compiled code itself, before and after each operation.  A reading takes time too, part of which is
counted: `clock_cost` tells how much.
"""

import ctypes
import time
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.streams import Stream
from windrow.algebra.monoid import Monoid
from windrow.algebra.numeric import VALUE, Dtypes, Numeric
from windrow.compiler.jit import jit
from windrow.kernels.cells import read_int
from windrow.kernels.forest import EVICTED, forest_code, new_forest
from windrow.kernels.operator import Operator, Part, make_operator
from windrow.kernels.steps import Steps, make_steps

__all__ = ["ClockedForest", "clock_cost"]

_CLOCK = time.CLOCK_MONOTONIC


@cache
def _now() -> Any:
    """now(spec) → nanoseconds; `spec` is room for a `struct timespec`."""
    clock_gettime = ctypes.CDLL(None).clock_gettime
    clock_gettime.argtypes = [ctypes.c_int, ctypes.c_void_p]
    clock_gettime.restype = ctypes.c_int

    def now(spec: Any) -> Any:
        clock_gettime(_CLOCK, spec.ctypes)
        return spec[0] * 1_000_000_000 + spec[1]

    return now


def _spec() -> NDArray[np.int64]:
    return np.empty(2, np.int64)


def clock_cost(readings: int = 10_000) -> NDArray[np.int64]:
    """The nanoseconds that are counted where nothing is done."""
    now = _now()

    def idle(spec: Any, spent: Any) -> None:
        for k in range(len(spent)):
            start = now(spec)
            spent[k] = now(spec) - start

    spent = np.empty(readings, np.int64)
    jit(idle)(_spec(), spent)
    return spent


class _Kernels(NamedTuple):
    steps: Steps  # those of CompiledAmta
    advance: Any  # advance(columns, masks, forest, out, spec, spent)
    evict: Any  # evict(columns, masks, forest, count, spec, spent): and insert as many again
    cycle: Any  # cycle(columns, masks, forest, count, rounds): the same without a clock


@cache
def _compiled(monoid: Monoid[Any, Any], dtypes: Dtypes) -> tuple[Numeric, Operator, _Kernels]:
    assert monoid.numeric is not None
    form = monoid.numeric(dtypes)
    assert form is not None
    # As CompiledAmta has it: one mask, so that nulls may come at any time.
    operator = make_operator([Part(form, tuple(range(len(dtypes))), 0)])
    return form, operator, _kernels(operator)


def _kernels(operator: Operator) -> _Kernels:
    functions, now = forest_code(operator), _now()
    insert, evict_to, total = functions.insert, functions.evict_to, functions.total
    lift, lower = operator.lift, operator.lower

    def extend(columns: Any, masks: Any, forest: Any, count: Any) -> None:
        for row in range(count):
            insert(forest, lift(columns, masks, row))

    def advance(columns: Any, masks: Any, forest: Any, out: Any, spec: Any, spent: Any) -> None:
        results, statuses = out
        for row in range(len(spent)):
            start = now(spec)
            insert(forest, lift(columns, masks, row))
            evict_to(forest, read_int(forest, EVICTED) + 1)
            lower(total(forest), results, statuses, row)
            spent[row] = now(spec) - start

    def evict(columns: Any, masks: Any, forest: Any, count: Any, spec: Any, spent: Any) -> None:
        for k in range(len(spent)):
            start = now(spec)
            evict_to(forest, read_int(forest, EVICTED) + count)
            spent[k] = now(spec) - start
            extend(columns, masks, forest, count)

    def cycle(columns: Any, masks: Any, forest: Any, count: Any, rounds: Any) -> None:
        for _ in range(rounds):
            evict_to(forest, read_int(forest, EVICTED) + count)
            extend(columns, masks, forest, count)

    return _Kernels(make_steps(operator, None), jit(advance), jit(evict), jit(cycle))


class ClockedForest:
    """The forest of a `CompiledAmta`, filled with the first updates of a stream.

    What it evicts it replaces by the first updates again.
    """

    def __init__(self, stream: Stream) -> None:
        self._columns = stream.columns
        self._masks = (np.ones(len(self._columns[0]), np.bool_),)
        self._form, operator, self._kernels = _compiled(stream.aggregate.monoid, stream.dtypes)
        self._cells = new_forest(operator, 2 * stream.held)
        self._cells += 0  # all memory is touched, as that of a window is after a while
        self._forest = self._cells.ctypes.data
        self._kernels.steps.reset(self._forest)
        self._kernels.steps.extend(self._columns, self._masks, 0, stream.held, self._forest)

    def advance(self, steps: int) -> NDArray[np.int64]:
        """The nanoseconds of each insert + evict + query."""
        spent, out = np.full(steps, 0), self._room(steps)
        self._kernels.advance(self._columns, self._masks, self._forest, out, _spec(), spent)
        return spent

    def evict(self, count: int, times: int) -> NDArray[np.int64]:
        """The nanoseconds of each eviction of `count` at once; as many are inserted after each."""
        spent = np.empty(times, np.int64)
        self._kernels.evict(self._columns, self._masks, self._forest, count, _spec(), spent)
        return spent

    def cycle(self, count: int, rounds: int) -> None:
        """Evict `count` at once and insert as many, again and again."""
        self._kernels.cycle(self._columns, self._masks, self._forest, count, rounds)

    def query(self) -> Any:
        """The result for the window."""
        out = self._room(1)
        self._kernels.steps.answer(self._forest, out)
        return out[0][0].item()

    def _room(self, rows: int) -> tuple[tuple[NDArray[Any], ...], tuple[NDArray[np.uint8]]]:
        # Filled, so that no step is the first to touch its memory.
        results = tuple(np.full(rows, 0, field.dtype) for field in self._form.result)
        return results, (np.full(rows, VALUE, np.uint8),)
