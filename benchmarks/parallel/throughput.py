"""Rows a second as units become more, predicted from counts, in the published settings.

`throughput` has the published methods, as their figures 21, 23 and 25; `methods` ours beside them.
"""

from collections.abc import Sequence

from benchmarks.findings import Bar, Experiment, Findings, chosen, pivot
from benchmarks.measure import Bench, Case, Measured
from benchmarks.parallel.prediction import work
from benchmarks.parallel.published import SETTINGS, UNITS, Contender, Setting
from windrow.parallel.methods import Method

__all__ = ["METHODS", "PUBLISHED", "THROUGHPUT", "contenders"]

PUBLISHED = (
    Contender(Method.HANDSHAKE),
    Contender(Method.ROUND_ROBIN),
    Contender(Method.HASH_ONCE),
    Contender(Method.ROUND_ROBIN_CYCLIC),
    Contender(Method.PANES),
)
_OURS = (Contender(Method.KEYS), Contender(Method.TIME))


def contenders(setting: Setting) -> Sequence[Contender]:
    """The published ones; panes also with small queues where a pane does not fit into them."""
    small = Contender(Method.PANES, holds_panes=False)
    return (*PUBLISHED, small) if setting.name == "hash" else PUBLISHED


def throughput(units: Sequence[int], bench: Bench) -> Findings:
    """The published methods."""
    measured = [
        _speed(setting, contender, number)
        for setting in SETTINGS
        for contender in contenders(setting)
        for number in units
    ]
    return _findings(measured, _bars(measured))


def methods(units: Sequence[int], bench: Bench) -> Findings:
    """Time blocks, and all windows of a key on one unit, beside the published methods."""
    measured = [
        _speed(setting, contender, number)
        for setting in SETTINGS
        for contender in (*_OURS, *PUBLISHED)
        for number in units
    ]
    return _findings(measured, [])


def _speed(setting: Setting, contender: Contender, units: int) -> Measured:
    """Relative to round robin on one unit."""
    one = work(Contender(Method.ROUND_ROBIN), setting, 1)
    speed = one / work(contender, setting, units)
    case: Case = {"setting": setting.name, "units": units}
    return Measured(contender.name, case, speed, speed, 1, setting.workload.rows, unit="×")


def _findings(measured: Sequence[Measured], bars: Sequence[Bar]) -> Findings:
    return Findings(
        measured,
        [
            pivot(
                f"{setting.name}: predicted speed, × round robin on one unit",
                chosen(measured, setting=setting.name),
                ["units"],
                cell=lambda one: f"{one.median:.1f}",
            )
            for setting in SETTINGS
        ],
        bars,
        [f"Published, {setting.name}: {setting.seen}." for setting in SETTINGS],
    )


def _bars(measured: Sequence[Measured]) -> list[Bar]:
    """The published shapes, at 28 units where nothing else is said; ratios within a quarter."""

    def speed(setting: str, method: Method, units: int) -> float:
        name = Contender(method).name
        return chosen(measured, setting=setting, contender=name, units=units)[0].median

    def grows(setting: str, method: Method, units: int) -> float:
        return speed(setting, method, units) / speed(setting, method, 1)

    panes = speed("panes", Method.PANES, 28)
    rises = [
        ("hash: HSA, 1 to 7 units", grows("hash", Method.HANDSHAKE, 7), 5.5, 7.0),
        ("hash: RRA, 1 to 28 units", grows("hash", Method.ROUND_ROBIN, 28), 0.9, 1.1),
        ("hash: RRCPA, 1 to 28 units", grows("hash", Method.PANES, 28), 25.0, 28.1),
        ("panes: RRCPA beside RRA", panes / speed("panes", Method.ROUND_ROBIN, 28), 56.0, 150.0),
        ("panes: RRCPA beside HSA", panes / speed("panes", Method.HANDSHAKE, 28), 56.0, 150.0),
        ("in turn: RRA, 1 to 28 units", grows("in turn", Method.ROUND_ROBIN, 28), 25.0, 28.1),
        ("in turn: HSA, 1 to 28 units", grows("in turn", Method.HANDSHAKE, 28), 1.0, 3.0),
        (
            "in turn: HOA, 14 to 28 units",
            grows("in turn", Method.HASH_ONCE, 28) / grows("in turn", Method.HASH_ONCE, 14),
            0.3,
            0.95,
        ),
        (
            "in turn: RRCPA beside RRA",
            speed("in turn", Method.PANES, 28) / speed("in turn", Method.ROUND_ROBIN, 28),
            0.4,
            0.9,
        ),
    ]
    return [
        Bar(what, f"{least:g} to {most:g} ×", found, least <= found <= most, "×")
        for what, found, least, most in rises
    ]


THROUGHPUT = Experiment(
    "throughput",
    "How much faster are more units, in the published settings?",
    throughput,
    full=UNITS,
    quick=(1, 7, 14, 28, 64),
)
METHODS = Experiment(
    "methods",
    "How do time blocks compare, and keys on one unit each?",
    methods,
    full=UNITS,
    quick=(1, 7, 14, 28, 64),
)
