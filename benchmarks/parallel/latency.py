"""How long results take as units become more, predicted: the published figures 22, 24 and 26."""

from collections.abc import Sequence

from benchmarks.findings import Experiment, Findings, chosen, pivot
from benchmarks.measure import Bench, Case, Measured
from benchmarks.parallel.prediction import seconds
from benchmarks.parallel.published import SETTINGS, UNITS
from benchmarks.parallel.throughput import contenders

__all__ = ["LATENCY", "run"]


def run(units: Sequence[int], bench: Bench) -> Findings:
    """In forwards of a row."""
    measured = []
    for setting in SETTINGS:
        for contender in contenders(setting):
            for number in units:
                took = seconds(contender, setting, number)
                case: Case = {"setting": setting.name, "units": number}
                rows = setting.workload.rows
                measured.append(
                    Measured(contender.name, case, took, took, 1, rows, unit="forwards")
                )
    tables = [
        pivot(
            f"{setting.name}: predicted latency, thousands of forwards",
            chosen(measured, setting=setting.name),
            ["units"],
            cell=lambda one: f"{one.median / 1_000:,.0f}",
        )
        for setting in SETTINGS
    ]
    return Findings(measured, tables)


LATENCY = Experiment(
    "latency",
    "How late are results, in the published settings?",
    run,
    full=UNITS,
    quick=(1, 7, 28, 64),
)
