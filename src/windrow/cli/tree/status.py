"""`windrow tree status tree.yaml`: how all nodes fare."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from windrow.cli.options import PATH, plain_command

if TYPE_CHECKING:
    from windrow.cli.tree.figures import Figures
    from windrow.edge.tree_file import Tree

__all__ = ["as_json", "status"]


@click.command()
@plain_command
@click.argument("tree_file", metavar="TREE", type=PATH)
@click.option("--watch", is_flag=True, help="Go on until Ctrl-C.")
@click.option(
    "--json", "is_json", is_flag=True, help="One JSON object, or with --watch one a line."
)
@click.option(
    "--over",
    "seconds",
    metavar="SECONDS",
    type=click.FloatRange(min=0.1),
    default=2.0,
    help="How long rates are measured.  [2]",
)
def status(tree_file: Path, seconds: float, *, watch: bool, is_json: bool) -> None:
    """Show how the nodes of a TREE file fare.

    Asked is the landing, on whose machine this runs; nodes on the same machine are seen without
    it too. A tree made from a plan shows what the plan offers each node: rows to leaves, frames to
    others. Exit code: 1 if a node does not answer.
    """
    from windrow.cli.tree.figures import figures_of, measured, planned_rates
    from windrow.edge.tree_file import read_tree

    tree = read_tree(tree_file)
    planned = planned_rates(tree)
    before = figures_of(tree)
    while True:
        time.sleep(seconds)
        after = figures_of(tree)
        found = measured(before, after)
        _show(tree, found, planned, is_json=is_json, clear=watch)
        if not watch:
            break
        before = after
    if not all(one.answers for one in found):
        raise click.exceptions.Exit(1)


def as_json(found: "Sequence[Figures]", planned: Mapping[str, float]) -> str:
    """One object: the nodes, and all of them together."""
    from windrow.cli.tree.figures import totals

    nodes = [replace(one, planned_per_s=planned.get(one.name)).as_plain() for one in found]
    return json.dumps({"total": totals(found), "nodes": nodes})


def _show(
    tree: "Tree",
    found: "Sequence[Figures]",
    planned: Mapping[str, float],
    *,
    is_json: bool,
    clear: bool,
) -> None:
    from windrow.cli.tree.text import as_table

    if is_json:
        click.echo(as_json(found, planned))
        return
    if clear:
        click.clear()  # on a terminal only
    click.echo("\n".join(as_table(found, planned)))
