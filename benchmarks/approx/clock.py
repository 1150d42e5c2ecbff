"""The time of every single update inside compiled loops, by the processor's own counter."""

import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from benchmarks.data import Floats
from windrow.approximate.compiled_approximate_amta import CompiledApproximateAmta
from windrow.approximate.interval import room_for
from windrow.compiler.jit import jit
from windrow.compiler.kernel import Kernel
from windrow.structures import CompiledAmta
from windrow.structures.given import columns_of

__all__ = ["exact_updates", "nanoseconds_per_tick", "rolled_updates"]


@intrinsic
def _ticks(typingctx: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(64), [])
        return builder.call(builder.module.declare_intrinsic("llvm.readcyclecounter", (), kind), [])

    return types.int64(), generate


@cache
def _clocked() -> Callable[..., Any]:
    """Calls a step for each row, and writes down how many ticks it took."""

    @numba.njit(nogil=True)
    def clocked(step: Any, columns: Any, masks: Any, rest: Any, spent: Any) -> None:
        for row in range(len(spent)):
            start: Any = _ticks()  # type: ignore[call-arg]
            step(columns, masks, row, row + 1, *rest)
            spent[row] = _ticks() - start

    return clocked


@cache
def _empty() -> Any:
    @numba.njit
    def empty(columns: Any, masks: Any, row: Any, end: Any) -> Any:
        return end

    return empty


def _step(kernel: Kernel) -> Any:
    """A kernel as compiled code may call it."""
    return jit(kernel._function)


def exact_updates(window: CompiledAmta, readings: Floats) -> NDArray[np.int64]:
    """The ticks of each insert + evict + query of a full window."""
    columns, masks = window._columns([readings])
    out = window._room(len(readings))
    spent = np.empty(len(readings), np.int64)
    _clocked()(_step(window._steps.advance), columns, masks, (window._address, out), spent)
    return spent - _overhead()


def rolled_updates(
    window: CompiledApproximateAmta, readings: Floats, size: int
) -> NDArray[np.int64]:
    """The ticks of each insert + evict + query of a full approximate window.

    There must be room for the buckets that begin: roll as many updates before.
    """
    columns, masks = columns_of([readings], window._dtypes)
    out = room_for(window._results, len(readings))
    addresses = tuple(array.ctypes.data for array in out)
    spent = np.empty(len(readings), np.int64)
    rest = (*window._places, size, addresses)
    _clocked()(_step(window._steps.roll), columns, masks, rest, spent)
    return spent - _overhead()


@cache
def _overhead() -> int:
    """What reading the counter takes by itself."""
    columns = (np.zeros(10_000),)
    spent = np.empty(10_000, np.int64)
    _clocked()(_empty(), columns, (np.ones(10_000, np.bool_),), (), spent)
    return int(np.percentile(spent, 10))


@cache
def nanoseconds_per_tick() -> float:
    """How long a tick is."""

    @numba.njit
    def now() -> Any:
        return _ticks()  # type: ignore[call-arg]

    now()
    first, start = now(), time.perf_counter_ns()
    time.sleep(0.2)
    last, end = now(), time.perf_counter_ns()
    return float((end - start) / (last - first))
