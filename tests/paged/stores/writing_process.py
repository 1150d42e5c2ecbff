"""A process that writes batch after batch into a RocksStore, and says which are done.

Batch n holds the number n, ten times: in two spaces, over and over, and under the keys
(log, 10 n ...).  It deletes all that batch n - 3 left in the log.
"""

import sys

from windrow.paged.stores import Batch, Key, RocksStore, Span

COPIES = 10
KEPT = 3


def batch(number: int) -> Batch:
    value = b"%d" % number + b"." * 5_000
    puts = {Key("a", copy): value for copy in range(COPIES)}
    puts |= {Key("b", copy): value for copy in range(COPIES)}
    puts |= {Key("log", number * COPIES + copy): value for copy in range(COPIES)}
    gone = max(number - KEPT, 0) * COPIES
    return Batch(puts, [Span("a", 0, COPIES), Span("log", gone, gone + COPIES)])


if __name__ == "__main__":
    with RocksStore(sys.argv[1]) as store, store.open("w") as stored_window:
        print("open", flush=True)
        for number in range(KEPT, 1_000_000):
            stored_window.write(batch(number))
            print(number, flush=True)
