"""A process that slides a window over 0, 1, 2, … in a RocksStore until it is killed.

Every update enters one by one or in batches, and from the 5,000th on the oldest ones leave.
"""

import sys

from windrow import agg
from windrow.paged import PagedAmta
from windrow.paged.stores import RocksStore

PAGE = 16
WIDTH = 5_000
BATCH = 37


def main(folder: str) -> None:
    with RocksStore(folder) as store:
        window = PagedAmta(agg.sum(), store, "w", page=PAGE)
        resumed = window.inserted
        told = False
        while True:
            if not told and window.inserted > resumed + WIDTH:  # all is compiled by now
                print(resumed, flush=True)
                told = True
            first = window.inserted
            window.extend([float(k) for k in range(first, first + BATCH)])
            if len(window) > WIDTH:
                window.evict(len(window) - WIDTH)


if __name__ == "__main__":
    main(sys.argv[1])
