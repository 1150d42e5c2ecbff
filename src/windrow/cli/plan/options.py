"""The options that describe what to plan for."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from windrow.cli.options import with_options
from windrow.cli.traces import trace_options
from windrow.topology import PRESETS

__all__ = ["planning_options"]

F = TypeVar("F", bound=Callable[..., Any])

_option = click.option

_OPTIONS = (
    _option("--sources", metavar="N", help="How many there are."),
    _option("--rate", metavar="RATE", help="What each sends: 0.5/s, 30/min, 1/10s."),
    _option("--size", metavar="SIZE", help="How large an item is: 50kB."),
    _option(
        "--class",
        "classes",
        metavar="ENTRIES",
        multiple=True,
        help='For unequal sources, one for each kind: "count=100,rate=2/s,size=1kB,name=meters".',
    ),
    _option(
        "--limit",
        "limits",
        metavar="RATE",
        multiple=True,
        help="What a node accepts: 20/s, 1MB/s, or both, given twice.",
    ),
    _option("--price", metavar="NUMBER", help="What a node costs in an hour."),
    _option("--delay", metavar="TIME", help="From a node to the next layer: 200ms."),
    _option("--preset", type=click.Choice(list(PRESETS)), help="Nodes with documented limits."),
    _option(
        "--node",
        "nodes",
        metavar="ENTRIES",
        multiple=True,
        help='One for each layer, the last for all further ones: "items=20/s,bytes=1MB/s,'
        'price=0.015,delay=200ms,name=shard" or "preset=kinesis,price=0.02".',
    ),
    _option("--period", metavar="TIME", help="The length of a period: 20min.  [60s]"),
    _option("--keys", metavar="N", help="How many keys.  [1]"),
    _option("--hottest", metavar="SHARE", help="The largest key's share of all items: 10%."),
    _option("--states", metavar="N", help="States per key and period that a node sends on.  [1]"),
    _option("--state-size", metavar="SIZE", help="How large a state is: 100B.  [as an item]"),
    _option(
        "--emit",
        type=click.Choice(["change", "close"]),
        help="Nodes send on when an item of another period arrives, or by the clock.  "
        "[change; with --loss: close]",
    ),
    _option("--spread", metavar="TIME", help="With --emit close, over how long.  [a period]"),
    _option("--margin", metavar="SHARE", help="The share of each limit to leave free: 10%."),
    _option("--loss", metavar="SHARE", help="The chance of any loss in an hour: 0.001."),
    _option(
        "--arrivals",
        type=click.Choice(["poisson", "tick"]),
        help="Sources send independently, or all at once.  [poisson]",
    ),
    _option("--burst", metavar="NUMBER", help="Rate of the busiest seconds over the mean."),
    _option(
        "--skew", metavar="TIME", help="How inaccurate clocks are, as a standard deviation: 2s."
    ),
    _option(
        "--routing",
        type=click.Choice(["item", "source"]),
        help="What is hashed to a node of the first layer.  [item]",
    ),
)


def planning_options(command: F) -> F:
    """Give a command all that a plan can be made for."""
    return with_options(trace_options("Measure sources and arrivals here.")(command), _OPTIONS)
