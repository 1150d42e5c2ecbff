"""`windrow node tree.yaml --id leaf-07`: runs one node of a tree until it is stopped."""

import logging
import signal
import sys
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

import click

from windrow.cli.options import PATH, plain_command

__all__ = ["node"]


class _NoPandas(MetaPathFinder):
    """Arrow imports pandas where it is installed: a second and 60 MB that a node has no use for."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError("a node does without pandas", name="pandas")


@click.command()
@plain_command
@click.argument("tree_file", metavar="TREE", type=PATH)
@click.option("--id", "name", metavar="NAME", required=True, help="Which node of the tree.")
@click.option("--check", is_flag=True, help="Check the file, and what the node needs, only.")
@click.option("--quiet", is_flag=True, help="Log warnings only.")
def node(tree_file: Path, name: str, *, check: bool, quiet: bool) -> None:
    """Run one node of the tree in a TREE file, which describes all of them.

    It runs until Ctrl-C or SIGTERM, and goes on where it was when it is run again, also after a
    crash. A leaf whose sources have all ended ends when its rows are safe. Exit codes: 0 done, 1
    the node failed, 2 the file is wrong.
    """
    from windrow.edge.processes.starting import process_of, require_ready
    from windrow.edge.tree_file import read_tree

    sys.meta_path.insert(0, _NoPandas())
    tree = read_tree(tree_file)
    require_ready(tree, name)
    if check:
        return
    logging.basicConfig(
        level=logging.WARNING if quiet else logging.INFO,
        stream=sys.stderr,
        format="%(asctime)s %(levelname)s %(message)s",
    )
    process = process_of(tree, name)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: process.stop())
    process.run()
