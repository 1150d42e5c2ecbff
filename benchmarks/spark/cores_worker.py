"""A Spark with so many cores that runs a global trailing window for each line it reads."""

import argparse
import os
import sys
from functools import partial

from benchmarks.processes import cpu_seconds
from benchmarks.spark.contenders import write
from benchmarks.spark.data import DAY_US, cached, readings
from benchmarks.spark.session import session
from benchmarks.spark.trailing import by_rows, by_time

__all__ = ["main"]


def main() -> None:
    """Answer every line when its work is done: by itself, and the seconds that kept cores busy."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--cores", "--rows", "--frame"):
        parser.add_argument(name, type=int, required=True)
    parser.add_argument("--bound", action="store_true", help="all processes share one core")
    options = parser.parse_args()
    if options.bound:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with session(options.cores), cached(readings(options.rows, keys=1)) as df:
        width = DAY_US // options.rows * options.frame
        queries = {
            "rows": partial(by_rows, df, options.frame, None),
            "time": partial(by_time, df, width, None),
        }
        for line in sys.stdin:
            before = cpu_seconds(os.getpid())
            write(queries[line.strip()]())
            print(line.strip(), cpu_seconds(os.getpid()) - before, flush=True)


if __name__ == "__main__":
    main()
