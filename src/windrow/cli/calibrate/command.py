"""The command: measure, keep, tell; or forget."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from statistics import median
from time import monotonic

import click

from windrow.algebra.lookup import registered
from windrow.cli.figures import aligned, duration, rounded
from windrow.cli.options import spark_command
from windrow.cli.progress import Doing, shown
from windrow.cli.session import opened
from windrow.errors import AggregateError, InputError
from windrow.plan.calibrated import constants, forget, keep
from windrow.plan.constants import OTHER, Constants, Price

__all__ = ["calibrate"]

_NS = 1e9


@click.command()
@click.option(
    "--only",
    metavar="NAME",
    multiple=True,
    help="Measure this aggregate and nothing of Spark's; may be given several times.",
)
@click.option(
    "--seconds",
    type=click.IntRange(min=1),
    default=60,
    show_default=True,
    help="Begin with no further aggregate after this time.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the constants as JSON.")
@click.option("--forget", "forgets", is_flag=True, help="Remove what was measured.")
@spark_command
def calibrate(
    only: tuple[str, ...],
    seconds: int,
    master: str | None,
    *,
    as_json: bool,
    forgets: bool,
    debug: bool,
) -> None:
    """Measure what work costs on this machine, for the choice between methods.

    Later queries on this machine predict by these constants which way of spreading windows over
    tasks is the fastest.  They are kept with the compiled code, for this release of windrow.
    """
    if forgets:
        if only or as_json:
            raise InputError("--forget removes all constants; leave --only and --json out")
        click.echo("forgotten" if forget() else "there was nothing to forget: none were measured")
        return
    _require_known(only)
    with shown("calibrate", "starting", lines_in_pipes=True) as doing:
        measured = _measured(only, monotonic() + seconds, master, doing, debug=debug)
    if not keep(measured):
        click.echo("windrow: the constants could not be kept: WINDROW_CACHE_DIR can name a folder "
                   "that can be written to", err=True)  # fmt: skip
    click.echo(json.dumps(measured.as_dict()) if as_json else _text(measured))


def _require_known(only: Sequence[str]) -> None:
    for name in only:
        if name not in registered():
            raise AggregateError(
                f"--only {name!r} is no aggregate of the catalogue; the aggregates are "
                f"{', '.join(registered())}"
            )


def _measured(
    only: Sequence[str], until: float, master: str | None, doing: Doing, *, debug: bool
) -> Constants:
    before = constants()
    prices = _prices(only, until, doing)
    source = f"measured on this machine on {date.today().isoformat()}"
    found = replace(
        before,
        compiled=_with(before.compiled, prices["compiled"], others=not only),
        interpreted=_with(before.interpreted, prices["interpreted"], others=not only),
        source=source,
    )
    if only:
        return found
    from windrow.cli.calibrate.pipeline import measured

    doing.now("starting Spark")
    with opened("windrow calibrate", master, debug=debug) as spark:
        return measured(spark, found, doing.now)


def _prices(only: Sequence[str], until: float, doing: Doing) -> dict[str, dict[str, Price]]:
    """The prices of the catalogue, as many as there is time for."""
    from windrow.cli.calibrate.aggregates import kinds_of, measured

    prices: dict[str, dict[str, Price]] = {"compiled": {}, "interpreted": {}}
    for name, entry in registered().items():
        if (only and name not in only) or monotonic() > until:
            continue
        with suppress(ModuleNotFoundError):  # a sketch, say, whose library is not installed
            for kind, rows in kinds_of(entry).items():
                doing.now(f"{name}, {kind}")
                prices[kind][name] = measured(entry, kind, rows)
    return prices


def _with(
    before: Mapping[str, Price], prices: Mapping[str, Price], *, others: bool
) -> dict[str, Price]:
    """Prices with those that were measured, whose median stands for all that have none."""
    known = {**before, **prices}
    if others and prices:
        lifts, combines = zip(*((p.lift, p.combine) for p in prices.values()), strict=True)
        known[OTHER] = Price(median(lifts), median(combines))
    return known


def _text(constants: Constants) -> str:
    """All constants, as people read them: a line for Spark, and a table of aggregates."""
    spark = ", ".join(
        (
            f"a stage takes {duration(constants.stage)}",
            f"a row to Python {_ns(constants.read)}",
            f"a row or state packed or unpacked {_ns(constants.sent)}",
            f"a result {_ns(constants.result)}",
        )
    )
    names = sorted({*constants.compiled, *constants.interpreted}, key=lambda n: (n == OTHER, n))
    header = ("ns", "lift", "combine", "interpreted lift", "combine")
    lines = [
        (
            "all others" if name == OTHER else name,
            *_cells(constants.compiled.get(name)),
            *_cells(constants.interpreted.get(name)),
        )
        for name in names
    ]
    table = aligned([header, *lines], texts=("ns",))
    return "\n".join([f"constants {constants.source}", spark, *table])


def _ns(seconds: float) -> str:
    return f"{rounded(seconds * _NS)} ns"


def _cells(price: Price | None) -> tuple[str, str]:
    if price is None:
        return ("–", "–")
    return f"{price.lift * _NS:,.1f}", f"{price.combine * _NS:,.1f}"
