"""Running experiments one after the other: what each prints and leaves behind, and the bars."""

import argparse
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks import machine, report
from benchmarks.findings import Bar, Experiment, Findings
from benchmarks.measure import Bench, Measured
from benchmarks.progress import Progress

__all__ = ["RESULTS", "Run", "Suite", "asked_for", "parser"]

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Suite:
    """Experiments with a command line of their own: `python -m` their package."""

    package: str
    about: str | None
    experiments: Sequence[Experiment[Any]]
    plots: Mapping[str, Callable[[Sequence[Measured], Path], None]]
    packages: Sequence[str] = ()  # whose versions matter, besides the usual
    closing: str = ""

    def main(self, arguments: Sequence[str] | None = None) -> None:
        """Measure, print, write."""
        options = parser(
            f"python -m {self.package}", self.about, self.experiments, RESULTS
        ).parse_args(arguments)
        asked = asked_for(options.only, self.experiments) if options.only else self.experiments
        kind = self.package.removeprefix("benchmarks").replace(".", "")
        facts = machine.facts() | {package: version(package) for package in self.packages}
        run = Run(options.out / f"bench{kind and '-'}{kind}.json", facts, options.quick)
        for experiment, findings in run.through(
            asked, Bench(3 if options.quick else 5, Progress(sys.stderr))
        ):
            if experiment.name in self.plots:
                path = options.out / f"{kind}{kind and '-'}{experiment.name}.png"
                self.plots[experiment.name](findings.measured, path)
        if self.closing:
            print(self.closing)
        run.conclude()


def parser(
    program: str, about: str | None, experiments: Sequence[Experiment[Any]], out: Path
) -> argparse.ArgumentParser:
    """The arguments that every set of experiments takes."""
    arguments = argparse.ArgumentParser(program, description=about)
    names = ", ".join(experiment.name for experiment in experiments)
    arguments.add_argument("--quick", action="store_true", help="small sizes, a minute or two")
    arguments.add_argument("--only", metavar="NAME[,NAME]", help=f"some of: {names}")
    arguments.add_argument("--out", metavar="DIR", type=Path, default=out, help="for the results")
    return arguments


def asked_for(only: str, experiments: Sequence[Experiment[Any]]) -> Sequence[Experiment[Any]]:
    """The experiments with these names."""
    known = {experiment.name: experiment for experiment in experiments}
    asked = [name.strip() for name in only.split(",")]
    if unknown := [name for name in asked if name not in known]:
        sys.exit(f"--only {only}: no experiment {', '.join(unknown)}; there are {', '.join(known)}")
    return [known[name] for name in asked]


@dataclass
class Run:
    """One run: what was found so far, and which experiments failed."""

    path: Path  # of the JSON file
    facts: Mapping[str, Any]
    quick: bool
    done: dict[str, dict[str, Any]] = field(default_factory=dict)
    bars: list[Bar] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def through(
        self, experiments: Sequence[Experiment[Any]], bench: Bench
    ) -> Iterator[tuple[Experiment[Any], Findings]]:
        """Measure, print and write; one that fails takes nothing away from the others."""
        for experiment in experiments:
            bench.progress.enter(experiment.name)
            start = time.monotonic()
            try:
                findings = experiment.run(
                    experiment.quick if self.quick else experiment.full, bench
                )
            except Exception:  # of whatever kind: the others still have their turn
                print(f"━━ {experiment.name}: FAILED\n\n{traceback.format_exc()}", flush=True)
                self.failed.append(experiment.name)
                continue
            self._add(experiment, findings, round(time.monotonic() - start, 1))
            yield experiment, findings

    def conclude(self) -> None:
        """Print the bars; failures make the exit code."""
        if self.bars:
            print(report.render(report.summary_table(self.bars)))
        if self.failed:
            sys.exit(f"failed: {', '.join(self.failed)}")

    def _add(self, experiment: Experiment[Any], findings: Findings, seconds: float) -> None:
        _show(experiment, findings, seconds)
        self.bars += findings.bars
        facts = {"question": experiment.question, "seconds": seconds}
        self.done[experiment.name] = facts | report.as_data(findings)
        report.write_json(self.path, {"machine": self.facts, "quick": self.quick}, self.done)


def _show(experiment: Experiment[Any], findings: Findings, seconds: float) -> None:
    print(f"━━ {experiment.name}: {experiment.question} ({seconds:.0f} s)\n")
    for table in findings.tables:
        print(report.render(table))
    for note in findings.notes:
        print(f"  {note}")
    print(flush=True)
