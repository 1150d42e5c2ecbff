"""The command: read the options, or a plan; print, write and draw the outcome."""

from pathlib import Path
from shutil import get_terminal_size
from typing import Any

import click

from windrow.cli.drawing import check_picture
from windrow.cli.options import PATH, check_writable, plain_command
from windrow.cli.plan.arguments import planned, shown
from windrow.cli.plan.text import as_json, as_text
from windrow.cli.traces import Given, trace_options
from windrow.errors import InputError
from windrow.topology import PRESETS, write_plan

__all__ = ["plan"]


@click.command()
@plain_command
@click.argument("plan_file", metavar="[PLAN]", required=False, type=PATH)
@click.option("--sources", metavar="N", help="How many there are.")
@click.option("--rate", metavar="RATE", help="What each sends: 0.5/s, 30/min, 1/10s.")
@click.option("--size", metavar="SIZE", help="How large an item is: 50kB.")
@click.option(
    "--class",
    "classes",
    metavar="ENTRIES",
    multiple=True,
    help='For unequal sources, one for each kind: "count=100,rate=2/s,size=1kB,name=meters".',
)
@click.option(
    "--limit",
    "limits",
    metavar="RATE",
    multiple=True,
    help="What a node accepts: 20/s, 1MB/s, or both, given twice.",
)
@click.option("--price", metavar="NUMBER", help="What a node costs in an hour.")
@click.option("--delay", metavar="TIME", help="From a node to the next layer: 200ms.")
@click.option("--preset", type=click.Choice(list(PRESETS)), help="Nodes with documented limits.")
@click.option(
    "--node",
    "nodes",
    metavar="ENTRIES",
    multiple=True,
    help='One for each layer, the last for all further ones: "items=20/s,bytes=1MB/s,'
    'price=0.015,delay=200ms,name=shard" or "preset=kinesis,price=0.02".',
)
@click.option("--period", metavar="TIME", help="The length of a period: 20min.  [60s]")
@click.option("--keys", metavar="N", help="How many keys.  [1]")
@click.option("--hottest", metavar="SHARE", help="The largest key's share of all items: 10%.")
@click.option("--states", metavar="N", help="States per key and period that a node sends on.  [1]")
@click.option("--state-size", metavar="SIZE", help="How large a state is: 100B.  [as an item]")
@click.option(
    "--emit",
    type=click.Choice(["change", "close"]),
    help="Nodes send on when an item of another period arrives, or by the clock.  "
    "[change; with --loss: close]",
)
@click.option("--spread", metavar="TIME", help="With --emit close, over how long.  [a period]")
@click.option("--margin", metavar="SHARE", help="The share of each limit to leave free: 10%.")
@click.option("--loss", metavar="SHARE", help="The chance of any loss in an hour: 0.001.")
@click.option(
    "--arrivals",
    type=click.Choice(["poisson", "tick"]),
    help="Sources send independently, or all at once.  [poisson]",
)
@click.option("--burst", metavar="NUMBER", help="Rate of the busiest seconds over the mean.")
@click.option(
    "--skew", metavar="TIME", help="How inaccurate clocks are, as a standard deviation: 2s."
)
@click.option(
    "--routing",
    type=click.Choice(["item", "source"]),
    help="What is hashed to a node of the first layer.  [item]",
)
@trace_options("Measure sources and arrivals here.")
@click.option("--new-sources", metavar="N", help="Change the plan for this many sources.")
@click.option("--out", type=PATH, help="Write the plan to this file.")
@click.option("--draw", type=PATH, help="Draw it: tree.png, .svg or .pdf.")
@click.option("--json", "as_data", is_flag=True, help="As JSON, for programs.")
def plan(
    plan_file: Path | None,
    new_sources: str | None,
    out: Path | None,
    draw: Path | None,
    *,
    as_data: bool,
    **options: Any,
) -> None:
    """Plan the fewest nodes, in layers, that collect from many sources.

    Each node accepts a limited rate. Layer by layer, nodes combine the items of a period and send
    the partial result on, down to the last one, which has the result.

    With --loss 0.001 the chance that anything is lost in an hour is at most one in a thousand.
    Without it the plan is the published one, which is right on average, although some seconds have
    more items than nodes accept. `windrow simulate` shows how much that loses.

    \b
      windrow plan --sources 500 --rate 0.5/s --limit 20/s --loss 0.001 --out plan.json
      windrow plan --sources 500 --rate 0.5/s --limit 20/s
      windrow plan --sources 1e6 --rate 1/min --size 2kB --preset kinesis --price 0.015
      windrow plan --trace items.parquet --preset gateway --loss 0.001
      windrow plan plan.json --new-sources 950

    With a PLAN file, that plan is shown. With --new-sources (or a --class for each kind of source)
    it is adapted, and the nodes to start and to stop are listed.
    """
    if out is not None:
        check_writable(out, "--out")
    check_picture(draw, "--draw")
    given = Given(**options)
    if plan_file is None and new_sources is not None:
        raise InputError(
            f"--new-sources {new_sources}: name the plan that changes, windrow plan plan.json"
        )
    outcome = planned(given) if plan_file is None else shown(plan_file, new_sources, given)
    click.echo(as_json(outcome) if as_data else as_text(outcome, get_terminal_size().columns))
    if out is not None:
        write_plan(outcome.plan, out)
        click.echo(f"written: {out}", err=True)
    if draw is not None:
        from windrow.cli.plan.picture import draw as draw_tree

        draw_tree(outcome.plan, draw)
        click.echo(f"drawn: {draw}", err=True)
