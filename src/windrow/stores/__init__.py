"""Where windows larger than memory keep their pages: in memory, on disk, on a server.

    with RocksStore("pages") as store, store.open("turbine 7") as shelf:
        shelf.put_many({Key("leaves", 0): page})

`MemoryStore` needs nothing, `RocksStore` a disk and `windrow[rocksdb]`, `RedisStore` a server and
`windrow[redis]`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from windrow.arguments import unknown_name
from windrow.stores.base import Batch, Key, Shelf, Span, Store
from windrow.stores.memory import MemoryStore

if TYPE_CHECKING:
    from windrow.stores.remote import RedisStore
    from windrow.stores.rocks import RocksStore

__all__ = [
    "Batch",
    "Key",
    "MemoryStore",
    "RedisStore",
    "RocksStore",
    "Shelf",
    "Span",
    "Store",
]

# Their packages are extras: only who uses a store needs what is behind it.
_LATER = {
    "RedisStore": "windrow.stores.remote",
    "RocksStore": "windrow.stores.rocks",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise unknown_name(__name__, name, __all__, None)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
