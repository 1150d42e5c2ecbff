"""What a plan can be made for, as options."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import click

from windrow.cli.options import with_options
from windrow.cli.traces import OfTrace, trace_options
from windrow.topology import PRESETS

__all__ = ["Given", "planning_options"]

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
        help="What a node takes: 20/s, 1MB/s, or both, given twice.",
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
    _option("--period", metavar="TIME", help="There is a result for each: 20min.  [60s]"),
    _option("--keys", metavar="N", help="There is a result for each.  [1]"),
    _option("--hottest", metavar="SHARE", help="Of all items, those of the largest key: 10%."),
    _option("--states", metavar="N", help="Of a key that a node hands on a period.  [1]"),
    _option("--state-size", metavar="SIZE", help="How large a state is: 100B.  [as an item]"),
    _option(
        "--emit",
        type=click.Choice(["change", "close"]),
        help="Nodes hand on when an item of another period comes, or by the clock.  "
        "[change; with --loss: close]",
    ),
    _option("--spread", metavar="TIME", help="With --emit close, over how long.  [a period]"),
    _option("--margin", metavar="SHARE", help="Of each limit, left free: 10%."),
    _option("--loss", metavar="SHARE", help="The chance of any loss in an hour: 0.001."),
    _option(
        "--arrivals",
        type=click.Choice(["poisson", "tick"]),
        help="Sources send independently, or all at once.  [poisson]",
    ),
    _option("--burst", metavar="NUMBER", help="Busiest seconds have so many times the mean."),
    _option("--skew", metavar="TIME", help="How wrong clocks are, as a deviation: 2s."),
    _option(
        "--routing",
        type=click.Choice(["item", "source"]),
        help="What is hashed to a node of the first layer.  [item]",
    ),
)


@dataclass(frozen=True)
class Given(OfTrace):
    """The options, as they were written."""

    repeated: ClassVar[dict[str, str]] = {"classes": "class", "limits": "limit", "nodes": "node"}

    sources: str | None
    rate: str | None
    size: str | None
    classes: tuple[str, ...]
    limits: tuple[str, ...]
    price: str | None
    delay: str | None
    preset: str | None
    nodes: tuple[str, ...]
    period: str | None
    keys: str | None
    hottest: str | None
    states: str | None
    state_size: str | None
    emit: str | None
    spread: str | None
    margin: str | None
    loss: str | None
    arrivals: str | None
    burst: str | None
    skew: str | None
    routing: str | None


def planning_options(command: F) -> F:
    """Give a command all that a plan can be made for."""
    return with_options(trace_options("Measure sources and arrivals here.")(command), _OPTIONS)
