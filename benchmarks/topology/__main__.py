"""The command line: `python -m benchmarks.topology [--quick] [--only drops] [--out DIR]`."""

from typing import Any

from benchmarks.findings import Experiment
from benchmarks.runner import Suite
from benchmarks.topology.drops import DROPS
from benchmarks.topology.plots import PLOTS
from benchmarks.topology.retransmission import RETRANSMISSION
from benchmarks.topology.scale import SCALE
from benchmarks.topology.sizes import SIZES

__all__ = ["EXPERIMENTS", "main"]

EXPERIMENTS: tuple[Experiment[Any], ...] = (DROPS, RETRANSMISSION, SIZES, SCALE)

main = Suite("benchmarks.topology", __doc__, EXPERIMENTS, PLOTS).main


if __name__ == "__main__":
    main()
