"""Several threads at once: kernels and Arrow let go of the interpreter while they work."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from windrow.errors import InputError

__all__ = ["all_at_once", "stretches", "threads_for"]

# Below this a thread costs more than it saves.
_ROWS_PER_THREAD = 100_000

T = TypeVar("T")


def threads_for(rows: int) -> int:
    """How many threads to use for this many rows; `WINDROW_THREADS` limits them."""
    return max(1, min(_allowed(), rows // _ROWS_PER_THREAD))


def stretches(rows: int) -> list[slice]:
    """The rows, cut into a stretch for each thread."""
    count = threads_for(rows)
    return [slice(rows * k // count, rows * (k + 1) // count) for k in range(count)]


def all_at_once(calls: Sequence[Callable[[], T]]) -> list[T]:
    """The answers to all calls, each made in a thread of its own."""
    if len(calls) == 1:
        return [calls[0]()]
    with ThreadPoolExecutor(max(len(calls), 1)) as pool:
        return [running.result() for running in [pool.submit(call) for call in calls]]


def _allowed() -> int:
    named = os.environ.get("WINDROW_THREADS")
    if named is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    if not named.isdecimal() or int(named) < 1:
        raise InputError(f"WINDROW_THREADS={named!r}; set it to a whole number from 1 on")
    return int(named)
