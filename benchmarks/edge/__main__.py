"""The command line: `python -m benchmarks.edge [--quick] [--only leaf] [--out DIR]`."""

from typing import Any

from benchmarks.edge.delays import LATENCY
from benchmarks.edge.fold import FOLD
from benchmarks.edge.leaves import LEAF
from benchmarks.edge.plots import PLOTS
from benchmarks.edge.roots import ROOT
from benchmarks.edge.scaling import KEYS, SCALING, WINDOWS
from benchmarks.edge.traffic import TRAFFIC
from benchmarks.findings import Experiment
from benchmarks.runner import Suite

__all__ = ["EXPERIMENTS", "main"]

EXPERIMENTS: tuple[Experiment[Any], ...] = (
    FOLD,
    LEAF,
    SCALING,
    TRAFFIC,
    WINDOWS,
    KEYS,
    LATENCY,
    ROOT,
)

main = Suite("benchmarks.edge", __doc__, EXPERIMENTS, PLOTS).main


if __name__ == "__main__":
    main()
