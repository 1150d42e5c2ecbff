"""The command line: `python -m benchmarks.edge [--quick] [--only fold] [--out DIR]`."""

from typing import Any

from benchmarks.edge.fold import FOLD
from benchmarks.findings import Experiment
from benchmarks.runner import Suite

__all__ = ["EXPERIMENTS", "main"]

EXPERIMENTS: tuple[Experiment[Any], ...] = (FOLD,)

main = Suite("benchmarks.edge", __doc__, EXPERIMENTS, {}).main


if __name__ == "__main__":
    main()
