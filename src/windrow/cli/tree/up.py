"""`windrow tree up tree.yaml`: all nodes on this machine, until Ctrl-C."""

import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from windrow.cli.options import PATH, plain_command

if TYPE_CHECKING:
    from windrow.cli.tree.figures import Figures
    from windrow.cli.tree.supervisor import Supervisor

__all__ = ["up"]

_LOOK_S = 0.2
_SHOW_S = 2.0
_LINE_S = 10.0  # in a pipe


@click.command()
@plain_command
@click.argument("tree_file", metavar="TREE", type=PATH)
@click.option("--only", metavar="NAME", multiple=True, help="This node; again for others.  [all]")
@click.option("--json", "is_json", is_flag=True, help="A JSON object a line.")
def up(tree_file: Path, only: Sequence[str], *, is_json: bool) -> None:
    """Run all nodes of a TREE file on this machine, and show how they fare.

    A node that dies is started again; each writes a node.log in its folder. Nodes that the file
    gets meanwhile are started too: that is how `windrow tree adapt` has them. Ctrl-C ends all.
    """
    from windrow.cli.tree.supervisor import Supervisor

    done = threading.Event()
    with _ended_by_signals(done), _shown(is_json=is_json) as screen:
        supervisor = Supervisor(tree_file, only, screen.tell)
        try:
            _keep(supervisor, screen, done)
        finally:
            supervisor.stop()


def _keep(supervisor: "Supervisor", screen: "_Screen", done: threading.Event) -> None:
    from windrow.cli.tree.figures import figures_of, measured, planned_rates

    screen.tell(f"starting {len(supervisor.tree.nodes)} nodes")
    before: Sequence[Figures] = ()
    looks = 0
    while not done.wait(_LOOK_S):
        supervisor.look()
        if supervisor.is_done:
            screen.tell("all nodes have ended")
            return
        looks += 1
        if looks * _LOOK_S >= screen.every_s:
            looks = 0
            after = figures_of(supervisor.tree, seconds=0.5)
            screen.show(measured(before, after), planned_rates(supervisor.tree))
            before = after


class _Screen:
    """Where all is said: lines, as they are for a pipe."""

    every_s = _LINE_S

    def tell(self, text: str) -> None:
        click.echo(text)

    def show(self, found: "Sequence[Figures]", planned: dict[str, float]) -> None:
        from windrow.cli.tree.text import summary

        click.echo(summary(found))


class _Lines(_Screen):
    """JSON."""

    every_s = _SHOW_S

    def tell(self, text: str) -> None:
        click.echo(json.dumps({"event": text}))

    def show(self, found: "Sequence[Figures]", planned: dict[str, float]) -> None:
        from windrow.cli.tree.status import as_json

        click.echo(as_json(found, planned))


class _Terminal(_Screen):
    """A table that changes, under what has happened."""

    every_s = _SHOW_S

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def show(self, found: "Sequence[Figures]", planned: dict[str, float]) -> None:
        from windrow.cli.tree.text import as_table

        self._write("\n".join(as_table(found, planned)))


@contextmanager
def _shown(*, is_json: bool) -> Iterator[_Screen]:
    if is_json:
        yield _Lines()
    elif sys.stdout.isatty():
        from rich.live import Live
        from rich.text import Text

        with Live(Text(""), auto_refresh=False, redirect_stdout=True) as live:
            yield _Terminal(lambda text: live.update(Text(text, no_wrap=True), refresh=True))
    else:
        yield _Screen()


@contextmanager
def _ended_by_signals(done: threading.Event) -> Iterator[None]:
    def end(*_: object) -> None:
        done.set()

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, end) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
