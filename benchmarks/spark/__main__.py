"""The command line: `python -m benchmarks.spark [--quick | --full] [--only NAME] [--out DIR]`."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import Any

from benchmarks import machine, runner
from benchmarks.findings import Experiment, Findings
from benchmarks.measure import Bench
from benchmarks.memory import watched
from benchmarks.progress import Progress
from benchmarks.spark import markdown
from benchmarks.spark.experiments import EXPERIMENTS, LONG
from benchmarks.spark.session import session

__all__ = ["main"]

_REPETITIONS = 3


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write."""
    known: Sequence[Experiment[Any]] = [*EXPERIMENTS, *LONG]
    parser = runner.parser("python -m benchmarks.spark", __doc__, known, runner.RESULTS)
    parser.add_argument("--full", action="store_true", help="also what takes Spark many minutes")
    options = parser.parse_args(arguments)
    asked = known if options.full else EXPERIMENTS
    asked = runner.asked_for(options.only, known) if options.only else asked
    facts = machine.facts() | {"pyspark": version("pyspark")}
    run = runner.Run(options.out / "bench-spark.json", facts, options.quick)
    done: list[tuple[Experiment[Any], Findings]] = []
    with session():
        measured = map(_with_memory, asked)
        for found in run.through(list(measured), Bench(_REPETITIONS, Progress(sys.stderr))):
            done.append(found)
            page = markdown.page(facts, run.bars, done)
            (options.out / "bench-spark.md").write_text(page, encoding="utf-8")
    run.conclude()


def _with_memory(experiment: Experiment[Any]) -> Experiment[Any]:
    """The same, with a note on the memory that it took."""

    def measure(sizes: Any, bench: Bench) -> Findings:
        with watched() as peak:
            findings = experiment.run(sizes, bench)
        note = f"Memory of Spark and its Python workers: at most {peak}."
        return replace(findings, notes=[*findings.notes, note])

    return replace(experiment, run=measure)


if __name__ == "__main__":
    main()
