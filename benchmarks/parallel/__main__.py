"""The command line: `python -m benchmarks.parallel [--quick] [--only blocks] [--out DIR]`."""

from typing import Any

from benchmarks.findings import Experiment
from benchmarks.parallel.blocks import BLOCKS
from benchmarks.parallel.latency import LATENCY
from benchmarks.parallel.plots import PLOTS
from benchmarks.parallel.throughput import METHODS, THROUGHPUT
from benchmarks.runner import Suite

__all__ = ["EXPERIMENTS", "main"]

EXPERIMENTS: tuple[Experiment[Any], ...] = (THROUGHPUT, LATENCY, METHODS, BLOCKS)

main = Suite("benchmarks.parallel", __doc__, EXPERIMENTS, PLOTS).main


if __name__ == "__main__":
    main()
