"""The command: read a plan, simulate it, print and draw the outcome."""

from pathlib import Path
from typing import Any

import click

from windrow.cli.drawing import check_picture
from windrow.cli.options import PATH, plain_command
from windrow.cli.progress import shown
from windrow.cli.simulate.arguments import read_asked
from windrow.cli.simulate.runs import run
from windrow.cli.simulate.text import as_json, as_text, loss_of
from windrow.cli.traces import Given, trace_options
from windrow.topology.simulation import Sending

__all__ = ["simulate"]

_LOSES = 1


@click.command()
@plain_command
@click.argument("plan_file", metavar="PLAN", type=PATH)
@click.option(
    "--sending",
    type=click.Choice([way.value for way in Sending]),
    help="When sources send; without it, as planned for.",
)
@trace_options("Replay these items.")
@click.option("--duration", metavar="TIME", help="How long.  [1h, or as long as the trace]")
@click.option("--seed", default="0", show_default=True, help="Chance begins here.")
@click.option("--seeds", metavar="N", default="1", show_default=True, help="How many runs.")
@click.option("--retry", is_flag=True, help="Refused tuples are sent again, not dropped.")
@click.option("--back-off", metavar="TIME", help="With --retry: after about how long.  [1s]")
@click.option(
    "--routing",
    type=click.Choice(["item", "source"]),
    help="What is hashed to a node of the first layer.  [as planned]",
)
@click.option("--skew", metavar="TIME", help="How inaccurate clocks are: 2s.  [as planned]")
@click.option(
    "--burst", metavar="NUMBER", help="With bursty sending: rate of a burst over the mean.  [4]"
)
@click.option(
    "--burst-share", metavar="SHARE", help="With bursty sending: share of time in bursts.  [10%]"
)
@click.option("--burst-length", metavar="TIME", help="How long a burst is on average.  [10s]")
@click.option("--jitter", metavar="TIME", help="With tick sending: how far from the tick.  [0s]")
@click.option("--assert-no-loss", is_flag=True, help="Exit with 1 if anything is lost.")
@click.option("--json", "as_data", is_flag=True, help="As JSON, for programs.")
@click.option("--plot", type=PATH, help="Draw the run that lost most.")
def simulate(
    plan_file: Path, plot: Path | None, *, assert_no_loss: bool, as_data: bool, **options: Any
) -> None:
    """Simulate a PLAN before it is paid for: what is refused, lost and late.

    Every node accepts items and bytes up to its limit in each second and refuses the rest. Sources
    send independently (poisson), each at its own pace (periodic), all at once (tick), in bursts
    (bursty), or as recorded (trace).

    \b
      windrow simulate plan.json
      windrow simulate plan.json --sending tick --seeds 10 --assert-no-loss
      windrow simulate plan.json --retry --back-off 1s --plot simulated.png

    For each layer, `offered` counts tuples: items, or states that stand for many items. `peak` and
    `mean` are the shares of the limit that were used, `held` is the most states that one node kept
    at once, and `items lost` is the number of items that the dropped tuples stood for.
    """
    check_picture(plot, "--plot")
    asked = read_asked(plan_file, Given(**options))
    with shown("windrow simulate", "starting") as doing:
        runs = run(asked, doing.now)
    click.echo(as_json(runs) if as_data else as_text(runs))
    if plot is not None:
        from windrow.cli.simulate.picture import draw

        draw(runs.worst, plot, title=f"{plan_file.name}: {asked.sending.value} sending")
        click.echo(f"drawn: {plot}", err=True)
    if assert_no_loss and not runs.lossless:
        click.echo(
            f"windrow: {plan_file} loses {loss_of(runs.worst)} (seed {runs.worst.seed}); plan "
            "with a smaller --loss, or for arrivals like these",
            err=True,
        )
        raise click.exceptions.Exit(_LOSES)
