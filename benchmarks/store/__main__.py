"""The command line: `python -m benchmarks.store [--quick] [--only latency,memory] [--out DIR]`."""

import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from benchmarks import machine, runner
from benchmarks.measure import Bench
from benchmarks.progress import Progress
from benchmarks.store.experiments import EXPERIMENTS
from benchmarks.store.plots import PLOTS

__all__ = ["main"]

_RESULTS = Path(__file__).parent.parent / "results"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write."""
    parser = runner.parser("python -m benchmarks.store", __doc__, EXPERIMENTS, _RESULTS)
    options = parser.parse_args(arguments)
    experiments = runner.asked_for(options.only, EXPERIMENTS) if options.only else EXPERIMENTS
    bench = Bench(3 if options.quick else 5, Progress(sys.stderr))
    facts = machine.facts() | {package: version(package) for package in ("rocksdict", "redis")}
    run = runner.Run(options.out / "bench-store.json", facts, options.quick)
    for experiment, findings in run.through(experiments, bench):
        path = options.out / f"store-{experiment.name}.png"
        PLOTS[experiment.name](findings.measured, path)
    run.conclude()


if __name__ == "__main__":
    main()
