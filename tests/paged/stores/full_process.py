"""A process whose files may have 1 MB: a disk that is soon full, without one."""

import resource
import signal
import sys
from collections.abc import Callable
from random import Random

from windrow import agg
from windrow.errors import StoreError
from windrow.paged import PagedAmta
from windrow.paged.stores import RocksStore


def main(folder: str) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # an error in place of the process's end
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    random = Random(1)
    store = RocksStore(folder)
    window = PagedAmta(agg.collect(), store, "w", page=8, max_unwritten_updates=16)
    told: list[str] = []
    while not told:
        try:
            window.insert(random.randbytes(20_000))
        except StoreError as error:
            told.append(str(error))
    print(window.inserted)
    endings: list[Callable[[], None]] = [
        lambda: window.insert(b""),
        window.flush,
        window.close,
        store.close,
    ]
    for end in endings:
        try:
            end()
        except StoreError as error:
            told.append(str(error))
    for message in told:
        print(message)


if __name__ == "__main__":
    main(sys.argv[1])
