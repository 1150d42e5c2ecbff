"""The group of commands about whole trees."""

import click

from windrow.cli.tree.ask import ask, drop
from windrow.cli.tree.keys import keys
from windrow.cli.tree.make import make
from windrow.cli.tree.status import status
from windrow.cli.tree.up import up

__all__ = ["tree"]


@click.group()
def tree() -> None:
    """Make, run and look after a tree of nodes, which `windrow node` runs one by one."""


for _command in (make, keys, up, status, ask, drop):
    tree.add_command(_command)
