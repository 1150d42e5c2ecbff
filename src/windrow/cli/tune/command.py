"""The command: read the sample, try all settings, print the outcome."""

from pathlib import Path

import click

from windrow.algebra.within import CONFIDENCE, require_confidence
from windrow.cli.drawing import check_picture
from windrow.cli.options import PATH, plain_command
from windrow.cli.progress import shown
from windrow.cli.tune.arguments import read_asked, read_target, read_window
from windrow.cli.tune.findings import Asked, find
from windrow.cli.tune.text import as_json, as_text
from windrow.files.tables import require_table

__all__ = ["tune"]


@click.command()
@plain_command
@click.argument("sample", type=PATH)
@click.option("--aggregate", required=True, help="mean, sum, max, …; or stddev(temp, ddof=0).")
@click.option("--column", help="The column of numbers it reads.")
@click.option("--window", "size", required=True, help="How many rows, or how long: 1 hour.")
@click.option("--target-error", metavar="SHARE", help="The largest error allowed: 0.1%.")
@click.option("--target-bytes", metavar="SIZE", help="The most memory a window may take: 1MB.")
@click.option("--by", multiple=True, metavar="COLUMN", help="The key; each has its own window.")
@click.option("--time", metavar="COLUMN", help="Sort rows by this column; else they are in order.")
@click.option(
    "--confidence", default=CONFIDENCE, show_default=True, help="Of what methods predict."
)
@click.option("--plot", type=PATH, help="Draw footprint against error.")
@click.option(
    "--all", "everything", is_flag=True, help="Also show settings that are beaten by others."
)
@click.option("--json", "as_data", is_flag=True, help="As JSON, for programs.")
def tune(
    sample: Path,
    aggregate: str,
    column: str | None,
    size: str,
    target_error: str | None,
    target_bytes: str | None,
    by: tuple[str, ...],
    time: str | None,
    confidence: float,
    plot: Path | None,
    *,
    everything: bool,
    as_data: bool,
) -> None:
    """Try approximate windows on a SAMPLE, and report their memory and their errors.

    SAMPLE is a file of CSV, Parquet or JSON lines. Sums, means, counts and variances are tried with
    bounds on their error (SumLike), extrema with candidates (MaxLike), all of them with limits on
    the number of buckets (Footprint). Hop is not tried: it learns from evictions of many rows at
    once, which a sample does not show.

    The frontier consists of the settings that no other setting beats in both average footprint and
    largest error. `exact` is the share of results that are known to be exact, `bounded` the share
    with an interval, `held` the share of intervals that contain the exact result. With a target,
    the best setting that meets it is recommended; without one, the knee of the frontier.
    """
    require_confidence(confidence)
    require_table(sample)
    check_picture(plot, "--plot")
    target, window = read_target(target_error, target_bytes), read_window(size, time)
    with shown("windrow tune", "starting") as doing:
        asked = Asked(sample, read_asked(aggregate, column), window, target, by, time, confidence)
        findings = find(asked, doing.now)
    click.echo(as_json(findings) if as_data else as_text(findings, everything=everything))
    if plot is not None:
        from windrow.cli.tune.plot import draw

        draw(findings, plot)
        click.echo(f"drawn: {plot}", err=True)
