"""What a plan can be made for, as options."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

import click

from windrow.planning.topology import PRESETS

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
    _option("--state-size", metavar="SIZE", help="How large a state is: 100B."),
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
    _option("--trace", type=click.Path(path_type=Path), help="Measure sources and arrivals here."),
    _option("--time", metavar="COLUMN", help="Of the trace: when an item came."),
    _option("--device", metavar="COLUMN", help="Of the trace: who sent it."),
    _option("--bytes", metavar="COLUMN", help="Of the trace: how large it is."),
    _option("--period-column", metavar="COLUMN", help="Of the trace: which period it is of."),
)


@dataclass(frozen=True)
class Given:
    """The options, as they were written."""

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
    trace: Path | None
    time: str | None
    device: str | None
    bytes: str | None
    period_column: str | None

    def present(self, *names: str) -> list[str]:
        """Those of these options that were given, as they are written; of all, if none is named."""
        found = []
        for name in names or [field.name for field in fields(self)]:
            value = getattr(self, name)
            values = value if isinstance(value, tuple) else (value,)
            found += [f"{_written(name)} {text}" for text in values if text is not None]
        return found


def _written(name: str) -> str:
    named = {"classes": "class", "limits": "limit", "nodes": "node"}.get(name, name)
    return f"--{named.replace('_', '-')}"


def planning_options(command: F) -> F:
    """Give a command all that a plan can be made for."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
