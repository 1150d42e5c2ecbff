"""Where windows larger than memory keep their pages: in memory, on disk, on a server.

    with RocksStore("pages") as store, store.open("turbine 7") as stored_window:
        stored_window.put_many({Key("leaves", 0): page})

`MemoryStore` needs nothing, `RocksStore` a disk and `windrow[rocksdb]`, `RedisStore` a server and
`windrow[redis]`.
"""

from typing import TYPE_CHECKING

from windrow.arguments import loaded_later
from windrow.paged.stores.base import Batch, Key, Span, Store, StoredWindow
from windrow.paged.stores.memory import MemoryStore

if TYPE_CHECKING:
    from windrow.paged.stores.redis import RedisStore
    from windrow.paged.stores.rocksdb import RocksStore

__all__ = [
    "Batch",
    "Key",
    "MemoryStore",
    "RedisStore",
    "RocksStore",
    "Span",
    "Store",
    "StoredWindow",
]

# Their packages are extras: only who uses a store needs what is behind it.
__getattr__, __dir__ = loaded_later(
    __name__,
    __all__,
    {
        "RedisStore": "windrow.paged.stores.redis",
        "RocksStore": "windrow.paged.stores.rocksdb",
    },
)
