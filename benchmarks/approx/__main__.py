"""The command line: `python -m benchmarks.approx [--quick] [--only footprints] [--out DIR]`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import machine, runner
from benchmarks.approx.footprints import FOOTPRINTS
from benchmarks.approx.plots import PLOTS
from benchmarks.approx.times import TIMES
from benchmarks.findings import Experiment
from benchmarks.measure import Bench
from benchmarks.progress import Progress

__all__ = ["EXPERIMENTS", "main"]

EXPERIMENTS: tuple[Experiment[Any], ...] = (FOOTPRINTS, TIMES)

_RESULTS = Path(__file__).parent.parent / "results"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write."""
    parser = runner.parser("python -m benchmarks.approx", __doc__, EXPERIMENTS, _RESULTS)
    options = parser.parse_args(arguments)
    experiments = runner.asked_for(options.only, EXPERIMENTS) if options.only else EXPERIMENTS
    bench = Bench(3 if options.quick else 5, Progress(sys.stderr))
    run = runner.Run(options.out / "bench-approx.json", machine.facts(), options.quick)
    for experiment, findings in run.through(experiments, bench):
        PLOTS[experiment.name](findings.measured, options.out / f"approx-{experiment.name}.png")
    run.conclude()


if __name__ == "__main__":
    main()
