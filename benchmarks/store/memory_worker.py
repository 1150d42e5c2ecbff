"""A process that fills one window, and tells how much memory it takes, again and again.

Each line it prints has the number of updates in the window, and the bytes that the process holds
more than before the window was made.
"""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from benchmarks.data import Floats
from benchmarks.memory import resident_bytes
from benchmarks.store.places import LOG_MTA, PYTHON, REDIS, ROCKS, new_log_mta, new_window, store_of
from benchmarks.store.warming import warm_up
from windrow import agg
from windrow.structures import Aggregator, CompiledAmta, Recompute

__all__ = ["CHUNK", "KINDS", "OF_OBJECTS", "main"]

_IN_MEMORY = {structure.__name__: structure for structure in (Recompute, *PYTHON)}
OF_OBJECTS = (*_IN_MEMORY, *LOG_MTA.values())  # each update is an object of Python's
KINDS = (*OF_OBJECTS, CompiledAmta.__name__, ROCKS, REDIS)
CHUNK = 1 << 12


def main() -> None:
    """Fill a window, or stop when it takes too much; then slide it once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", choices=KINDS, required=True)
    parser.add_argument("--window", type=int, required=True, help="updates it holds in the end")
    parser.add_argument("--most", type=int, help="bytes that it may take")
    options = parser.parse_args()
    chunk = np.random.default_rng(0).uniform(0.5, 1.5, min(CHUNK, options.window))
    if options.kind not in OF_OBJECTS:
        warm_up(agg.sum())
    before = resident_bytes()
    with _empty(options.kind) as window:
        while len(window) < options.window:
            _extend(window, chunk[: options.window - len(window)])
            taken = resident_bytes() - before
            print(len(window), taken)
            if options.most is not None and taken > options.most:
                return
        _slide(window, chunk)
        print(len(window), resident_bytes() - before)


@contextmanager
def _empty(kind: str) -> Iterator[Any]:
    if kind in _IN_MEMORY:
        yield _IN_MEMORY[kind](agg.sum())
    elif kind == CompiledAmta.__name__:
        yield CompiledAmta(agg.sum())
    elif kind in LOG_MTA:
        with store_of(kind) as store, new_window(store, agg.sum()) as window:
            yield window
    else:
        (place,) = (place for place, name in LOG_MTA.items() if name == kind)
        with store_of(place) as store, new_log_mta(store, agg.sum()) as window:
            yield window


def _extend(window: Any, chunk: Floats) -> None:
    if isinstance(window, Aggregator):
        for update in chunk.tolist():
            window.insert(update)
    else:
        window.extend(chunk)


def _slide(window: Any, chunk: Floats) -> None:
    if isinstance(window, Aggregator):
        for update in chunk.tolist():
            window.evict()
            window.insert(update)
    else:
        window.advance(chunk)


if __name__ == "__main__":
    main()
