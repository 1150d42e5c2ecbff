"""The command line: `python -m benchmarks [--quick] [--only roll,bulk] [--out DIR]`."""

import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import machine, runner
from benchmarks.experiments import EXPERIMENTS
from benchmarks.measure import Bench
from benchmarks.plots import PLOTS
from benchmarks.progress import Progress

__all__ = ["main"]

_RESULTS = Path(__file__).parent / "results"

# C++ on a similar machine, by others: a place to look up to, not measured here.
_REFERENCES = """\
For comparison, C++ (-O3) on a similar machine, per insert + evict + query: two-stacks 5.1–6.4 ns,
DABA-lite 9–13 ns, FlatFAT 150–480 ns, AMTA 246 ns one by one; AMTA evicts 512K of 2^22 in 7.6 µs.
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write."""
    parser = runner.parser("python -m benchmarks", __doc__, EXPERIMENTS, _RESULTS)
    options = parser.parse_args(arguments)
    experiments = runner.asked_for(options.only, EXPERIMENTS) if options.only else EXPERIMENTS
    bench = Bench(3 if options.quick else 5, Progress(sys.stderr))
    run = runner.Run(options.out / "bench.json", machine.facts(), options.quick)
    for experiment, findings in run.through(experiments, bench):
        if experiment.name in PLOTS:
            PLOTS[experiment.name](findings.measured, options.out / f"{experiment.name}.png")
    print(_REFERENCES)
    run.conclude()


if __name__ == "__main__":
    main()
