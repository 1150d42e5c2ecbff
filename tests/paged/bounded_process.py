"""A process that fills a window in a slow store until it is killed, and says how far it came.

The number of updates that the window has accepted lies in a file that outlives the process.
"""

import mmap
import struct
import sys
import time
from pathlib import Path
from typing import Any

from windrow import agg
from windrow.approximate import ApproximateAmta, SumLike
from windrow.paged import Outage, PagedAmta
from windrow.paged.stores import Batch, RedisStore, RocksStore, Store, StoredWindow

BATCH = 50
_ACCEPTED = struct.Struct("<q")


def opened_store(place: str) -> Store:
    """A folder of RocksDB, or a server."""
    return RedisStore(place, lease=1.0) if "://" in place else RocksStore(place)


def opened_window(kind: str, store: Store, **settings: Any) -> PagedAmta | ApproximateAmta:
    """A window of small pages."""
    if kind == "buckets":
        return ApproximateAmta(
            agg.sum(), SumLike(absolute=1), store=store, name="w", page=16, **settings
        )
    made = agg.sum() if kind == "numbers" else agg.collect()
    return PagedAmta(made, store, "w", page=16, **settings)


def accepted(file: Path) -> int:
    """How many updates the process has given to its window, by the file that it keeps."""
    (number,) = _ACCEPTED.unpack(file.read_bytes())
    return int(number)


def slow(store: Store, delay_s: float) -> Store:
    """The same store, with every write a little later."""
    open_stored_window = store.open

    def open_slowly(name: str) -> StoredWindow:
        stored_window = open_stored_window(name)
        write = stored_window.write

        def write_slowly(batch: Batch) -> None:
            time.sleep(delay_s)
            write(batch)

        stored_window.write = write_slowly  # type: ignore[method-assign]
        return stored_window

    store.open = open_slowly  # type: ignore[method-assign]
    return store


def main(kind: str, place: str, most: int, delay_s: float, outage: str, file: str) -> None:
    with open(file, "r+b") as opened, mmap.mmap(opened.fileno(), _ACCEPTED.size) as shared:
        store = slow(opened_store(place), delay_s)
        window = opened_window(
            kind, store, max_unwritten_updates=most, outage=Outage(outage), wait_s=60
        )
        while True:
            if kind == "numbers":
                window.extend([1.0] * BATCH)  # type: ignore[union-attr]
            else:
                window.insert(1.0)
            if window.inserted % 7 == 0:
                window.evict(min(BATCH, len(window)))
            shared[:] = _ACCEPTED.pack(window.inserted)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), sys.argv[5], sys.argv[6])
