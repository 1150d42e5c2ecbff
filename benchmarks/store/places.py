"""Where windows are kept: a RocksDB in a new folder, and a Redis server of its own."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.redis_server import RedisServer
from benchmarks.store.log_mta import LogMtaInStore
from windrow.algebra.aggregate import Aggregation
from windrow.paged import PagedAmta
from windrow.paged.stores import RedisStore, RocksStore, Store
from windrow.structures import Amta, Daba, FlatFat, LogMta, TwoStacks
from windrow.windows import Policy

__all__ = [
    "LOG_MTA",
    "PYTHON",
    "REDIS",
    "ROCKS",
    "SETTINGS",
    "new_log_mta",
    "new_window",
    "store_of",
    "stores",
]

PYTHON = (FlatFat, Daba, TwoStacks, LogMta, Amta)  # structures of Python's objects, but the naive

ROCKS, REDIS = "PagedAmta on RocksDB", "PagedAmta on Redis"
LOG_MTA = {ROCKS: "LogMta on RocksDB", REDIS: "LogMta on Redis"}  # beside each of them
SETTINGS = ("--appendonly", "no")  # in the server's memory only: its disk is not measured

_number = count()


@contextmanager
def stores() -> Iterator[Mapping[str, Store]]:
    """A store of each kind, by the name of the contender that keeps windows there."""
    with store_of(ROCKS) as rocks, store_of(REDIS) as redis:
        yield {ROCKS: rocks, REDIS: redis}


@contextmanager
def store_of(contender: str) -> Iterator[Store]:
    """A store of the kind that a contender keeps windows in, empty."""
    with TemporaryDirectory() as folder:
        if contender == ROCKS:
            with RocksStore(Path(folder) / "pages") as rocks:
                yield rocks
        else:
            with (
                RedisServer(Path(folder), *SETTINGS) as server,
                RedisStore(server.url) as redis,
            ):
                yield redis


@contextmanager
def new_window(
    store: Store,
    aggregation: Aggregation,
    policy: Policy | None = None,
    dtypes: tuple[Any, ...] | None = None,
) -> Iterator[PagedAmta]:
    """An empty window that is gone from the store after the block."""
    name = f"window {next(_number)}"
    try:
        with PagedAmta(aggregation, store, name, policy, dtypes=dtypes) as window:
            yield window
    finally:
        store.delete(name)


@contextmanager
def new_log_mta(
    store: Store, aggregation: Aggregation, policy: Policy | None = None
) -> Iterator[LogMtaInStore]:
    """The same of a LogMta in pages."""
    name = f"window {next(_number)}"
    try:
        with store.open(name) as stored_window:
            yield LogMtaInStore(aggregation, stored_window, policy)
    finally:
        store.delete(name)
