"""A process that fills one window, and tells how much memory it takes, again and again.

Each line it prints has the number of updates in the window, and the bytes that the process holds
more than before the window was made.
"""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.data import Floats
from benchmarks.memory import resident_bytes
from benchmarks.store.places import ROCKS, new_window
from benchmarks.store.warming import warm_up
from windrow import agg
from windrow.aggregators import Amta, CompiledAmta
from windrow.stores import RocksStore

__all__ = ["CHUNK", "KINDS", "main"]

KINDS = (Amta.__name__, CompiledAmta.__name__, ROCKS)
CHUNK = 1 << 12


def main() -> None:
    """Fill a window, or stop when it takes too much; then slide it once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", choices=KINDS, required=True)
    parser.add_argument("--window", type=int, required=True, help="updates it holds in the end")
    parser.add_argument("--most", type=int, help="bytes that it may take")
    options = parser.parse_args()
    chunk = np.random.default_rng(0).uniform(0.5, 1.5, min(CHUNK, options.window))
    if options.kind != Amta.__name__:
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
    if kind == ROCKS:
        with (
            TemporaryDirectory() as folder,
            RocksStore(folder) as store,
            new_window(store, agg.sum()) as window,
        ):
            yield window
    else:
        yield Amta(agg.sum()) if kind == Amta.__name__ else CompiledAmta(agg.sum())


def _extend(window: Any, chunk: Floats) -> None:
    if isinstance(window, Amta):
        for update in chunk.tolist():
            window.insert(update)
    else:
        window.extend(chunk)


def _slide(window: Any, chunk: Floats) -> None:
    if isinstance(window, Amta):
        for update in chunk.tolist():
            window.evict()
            window.insert(update)
    else:
        window.advance(chunk)


if __name__ == "__main__":
    main()
