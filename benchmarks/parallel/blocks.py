"""What blocks of windows cost, simulated and by formula: copies of slices, and the busiest unit."""

from dataclasses import dataclass

from benchmarks.findings import Experiment, Findings, Table, at_most
from benchmarks.measure import Bench, Case, Measured
from windrow import agg
from windrow.parallel.counts import best_block, counts
from windrow.parallel.methods import Method
from windrow.parallel.simulation import simulate, simulate_trailing
from windrow.parallel.trailing import trailing_counts
from windrow.parallel.workload import Workload
from windrow.windows import Aligned

__all__ = ["BLOCKS", "BlockSizes", "run"]

_SLICES = 60  # of a window
_UNITS = 64


@dataclass(frozen=True)
class BlockSizes:
    """Blocks in slices of a window, rows of each unit, and numbers of units."""

    blocks: tuple[float, ...]
    rows: int
    units: tuple[int, ...]


def run(sizes: BlockSizes, bench: Bench) -> Findings:
    """One key, three questions."""
    measured = [*_copies(sizes), *_balance(sizes), *_trailing(sizes)]
    tables = []
    for question, header in (
        ("copies", "slices sent, × their number"),
        ("balance", "busiest unit, × the mean"),
        ("trailing", "rows of the busiest unit, × rows / units"),
    ):
        own = [one for one in measured if one.case["question"] == question]
        rows = [
            [one.contender, str(one.case["at"]), f"{one.median:.3f}", f"{one.best:.3f}"]
            for one in own
        ]
        tables.append(Table(header, ["", "at", "simulated", "by formula"], rows))

    def found(contender: str, **case: str | int) -> list[float]:
        return [
            max(one.median, one.best)
            for one in measured
            if one.contender == contender and case.items() <= one.case.items()
        ]

    return Findings(
        measured,
        tables,
        [
            at_most("slices sent, blocks of four windows", 1.3, found("time", at="4"), "×"),
            at_most("busiest of 64 units, one key", 1.2, found("one key", at=str(_UNITS)), "×"),
            at_most("trailing over half of all rows", 3.3, found("half of all rows"), "×"),
        ],
    )


def _copies(sizes: BlockSizes) -> list[Measured]:
    """How often a slice is sent, by the length of blocks."""
    workload = Workload(rows=40 * _SLICES, spacing=1, size=_SLICES, every=1)
    rows = [(n, None, 1) for n in range(workload.rows)]
    found = []
    for length in sizes.blocks:
        block = max(round(length * _SLICES), 1)
        units = simulate(
            rows, Aligned(_SLICES, 1), Method.TIME, _UNITS, aggregate=agg.count(), block=block
        )
        told = counts(Method.TIME, workload, _UNITS, block=block)
        case = {"question": "copies", "at": f"{length:g}"}
        found.append(
            _measured("time", case, units.total.copies, told.total.copies, workload.slices)
        )
    return found


def _balance(sizes: BlockSizes) -> list[Measured]:
    """What the busiest unit combines, beside the mean, with one key."""
    found = []
    for number in sizes.units:
        workload = Workload(rows=number * sizes.rows, spacing=1, size=12, every=1)
        block = best_block(workload, number)
        rows = [(n, None, 1) for n in range(workload.rows)]
        units = simulate(
            rows, Aligned(12, 1), Method.TIME, number, aggregate=agg.count(), block=block
        )
        told = counts(Method.TIME, workload, number, block=block)
        case = {"question": "balance", "at": str(number)}
        simulated = units.busiest.combines * number / units.total.combines
        formula = told.busiest.combines * number / told.total.combines
        found.append(_measured("one key", case, simulated, formula, 1))
    return found


def _trailing(sizes: BlockSizes) -> list[Measured]:
    """What the busiest unit is sent where trailing windows are wide."""
    found = []
    for name, share in (("half of all rows", 0.5), ("0.37 of all rows", 0.37)):
        for number in sizes.units:
            rows = number * sizes.rows
            reach = round(rows * share)
            firsts = [max(place - reach, 0) for place in range(rows)]
            units = simulate_trailing(range(rows), firsts, number, aggregate=agg.sum())
            told = trailing_counts(rows, reach, number)
            case = {"question": "trailing", "at": str(number)}
            most = max(units.rows)
            found.append(_measured(name, case, most, told.busiest.lifts, sizes.rows))
    return found


def _measured(name: str, case: Case, simulated: float, formula: float, unit: float) -> Measured:
    """The simulated figure is the median, that of the formula the best."""
    return Measured(name, case, formula / unit, simulated / unit, 1, 1, unit="×")


BLOCKS = Experiment(
    "blocks",
    "How often do slices and rows travel, and how even is the work?",
    run,
    full=BlockSizes((0.25, 0.5, 1, 2, 3, 4, 6, 8), 150, (1, 2, 4, 8, 12, 16, 24, 32, 48, 64)),
    quick=BlockSizes((0.5, 1, 4), 100, (2, 8, 64)),
)
