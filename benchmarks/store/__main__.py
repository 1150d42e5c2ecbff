"""The command line: `python -m benchmarks.store [--quick] [--only latency,memory] [--out DIR]`."""

from benchmarks.runner import Suite
from benchmarks.store.experiments import EXPERIMENTS
from benchmarks.store.plots import PLOTS

__all__ = ["SUITE", "main"]

SUITE = Suite("benchmarks.store", __doc__, EXPERIMENTS, PLOTS, ("rocksdict", "redis"))

main = SUITE.main


if __name__ == "__main__":
    main()
