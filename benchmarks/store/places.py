"""Where windows are kept: a RocksDB in a new folder, and a Redis server of its own."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.redis_server import RedisServer
from benchmarks.store.log_mta import LogMtaInStore
from windrow.aggregators import PagedAmta
from windrow.algebra.aggregate import Aggregation
from windrow.stores import RedisStore, RocksStore, Store
from windrow.windows import Policy

__all__ = ["LOG_MTA", "REDIS", "ROCKS", "SETTINGS", "new_log_mta", "new_window", "stores"]

ROCKS, REDIS = "PagedAmta on RocksDB", "PagedAmta on Redis"
LOG_MTA = {ROCKS: "LogMta on RocksDB", REDIS: "LogMta on Redis"}  # beside each of them
SETTINGS = ("--appendonly", "no")  # in the server's memory only: its disk is not measured

_number = count()


@contextmanager
def stores() -> Iterator[Mapping[str, Store]]:
    """A store of each kind, by the name of the contender that keeps windows there."""
    with (
        TemporaryDirectory() as folder,
        RedisServer(Path(folder), *SETTINGS) as server,
        RocksStore(Path(folder) / "pages") as rocks,
        RedisStore(server.url) as redis,
    ):
        yield {ROCKS: rocks, REDIS: redis}


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
def new_log_mta(store: Store, aggregation: Aggregation) -> Iterator[LogMtaInStore]:
    """The same of a LogMta in pages."""
    name = f"window {next(_number)}"
    try:
        with store.open(name) as shelf:
            yield LogMtaInStore(aggregation, shelf)
    finally:
        store.delete(name)
