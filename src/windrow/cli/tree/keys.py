"""`windrow tree keys tree.yaml`: keys for all nodes."""

from pathlib import Path

import click

from windrow.cli.options import PATH, plain_command

__all__ = ["keys"]


@click.command()
@plain_command
@click.argument("tree_file", metavar="TREE", type=PATH)
def keys(tree_file: Path) -> None:
    """Make keys for the nodes of a TREE file that have none.

    A node needs its own secret key and the public ones of all: copy NAME.secret to the machine of
    that node alone.
    """
    from windrow.edge.keys import make_keys
    from windrow.edge.tree_file import read_tree
    from windrow.errors import InputError

    read = read_tree(tree_file)
    if read.keys is None:
        raise InputError(f"{tree_file} names no folder for keys; write keys: keys")
    made = make_keys(read.keys, read.nodes)
    click.echo(f"{len(made)} pairs of keys made in {read.keys}")
