"""The command line: `python -m benchmarks.approx [--quick] [--only footprints] [--out DIR]`."""

from typing import Any

from benchmarks.approx.footprints import FOOTPRINTS
from benchmarks.approx.plots import PLOTS
from benchmarks.approx.times import TIMES
from benchmarks.findings import Experiment
from benchmarks.runner import Suite

__all__ = ["EXPERIMENTS", "main"]

EXPERIMENTS: tuple[Experiment[Any], ...] = (FOOTPRINTS, TIMES)

main = Suite("benchmarks.approx", __doc__, EXPERIMENTS, PLOTS).main


if __name__ == "__main__":
    main()
