"""The command line: `python -m benchmarks [--quick] [--only roll,bulk] [--out DIR]`."""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import machine, report
from benchmarks.experiments import EXPERIMENTS
from benchmarks.findings import Bar, Experiment, Findings
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
    options = _parser().parse_args(arguments)
    bench = Bench(3 if options.quick else 5, Progress(sys.stderr))
    run = {"machine": machine.facts(), "quick": options.quick}
    done: dict[str, dict[str, Any]] = {}
    bars: list[Bar] = []
    for experiment in _asked_for(options.only):
        bench.progress.enter(experiment.name)
        start = time.monotonic()
        sizes = experiment.quick if options.quick else experiment.full
        findings = experiment.run(sizes, bench)
        seconds = round(time.monotonic() - start, 1)
        _show(experiment, findings, seconds)
        bars += findings.bars
        facts = {"question": experiment.question, "seconds": seconds}
        done[experiment.name] = facts | report.as_data(findings)
        report.write_json(options.out / "bench.json", run, done)
        if experiment.name in PLOTS:
            PLOTS[experiment.name](findings.measured, options.out / f"{experiment.name}.png")
    if bars:
        print(report.render(report.summary_table(bars)))
    print(_REFERENCES)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m benchmarks", description=__doc__)
    names = ", ".join(experiment.name for experiment in EXPERIMENTS)
    parser.add_argument("--quick", action="store_true", help="small sizes, about a minute")
    parser.add_argument("--only", metavar="NAME[,NAME]", help=f"some of: {names}")
    parser.add_argument("--out", metavar="DIR", type=Path, default=_RESULTS, help="for the results")
    return parser


def _asked_for(only: str | None) -> Sequence[Experiment[Any]]:
    if only is None:
        return EXPERIMENTS
    known = {experiment.name: experiment for experiment in EXPERIMENTS}
    asked = [name.strip() for name in only.split(",")]
    if unknown := [name for name in asked if name not in known]:
        sys.exit(f"--only {only}: no experiment {', '.join(unknown)}; there are {', '.join(known)}")
    return [known[name] for name in asked]


def _show(experiment: Experiment[Any], findings: Findings, seconds: float) -> None:
    print(f"━━ {experiment.name}: {experiment.question} ({seconds:.0f} s)\n")
    for table in findings.tables:
        print(report.render(table))
    for note in findings.notes:
        print(f"  {note}")
    print(flush=True)


if __name__ == "__main__":
    main()
