"""`windrow tree make plan.json --query job.yaml`: a plan in, `tree.yaml` out."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from windrow.cli.options import PATH, check_writable, plain_command
from windrow.errors import InputError

if TYPE_CHECKING:
    from windrow.cli.tree.layout import Hosts

__all__ = ["make"]


@click.command()
@plain_command
@click.argument("plan_file", metavar="PLAN", type=PATH)
@click.option(
    "--query", "queries", metavar="JOB", multiple=True, type=PATH, required=True, help="A job file."
)
@click.option(
    "--hosts",
    metavar="HOSTS",
    multiple=True,
    help="A machine's name, again for others; or a YAML file with a list of names, or with root:, "
    "mergers: and leaves:.  [this machine]",
)
@click.option(
    "--port", type=click.IntRange(1, 65_535), default=7000, help="The first port.  [7000]"
)
@click.option(
    "--source-port",
    type=click.IntRange(1, 65_535),
    default=8080,
    help="Where the first leaf takes rows by HTTP.  [8080]",
)
@click.option("--out", "-o", metavar="FILE", type=PATH, default=Path("tree.yaml"))
@click.option("--force", is_flag=True, help="Replace the file, if there is one.")
def make(
    plan_file: Path,
    queries: Sequence[Path],
    hosts: Sequence[str],
    port: int,
    source_port: int,
    out: Path,
    *,
    force: bool,
) -> None:
    """Write the tree file of a PLAN, which `windrow plan --out` has written.

    The last layer becomes the root, the first one the leaves; leaves take rows by HTTP until the
    file says otherwise. Nodes on several machines need keys: `windrow tree keys`.
    """
    from windrow.cli.tree.layout import laid_out
    from windrow.edge.query import read_node_query
    from windrow.edge.tree_file import read_tree
    from windrow.jobs.document import text_of
    from windrow.topology.files import read_plan

    check_writable(out, "--out")
    if out.exists() and not force:
        raise InputError(f"--out {out} is there already; give another name, or --force")
    plan = read_plan(plan_file)
    for job in queries:
        read_node_query(text_of(job), str(job))
    machines = _hosts(hosts)
    nodes = laid_out(plan.widths, machines, port=port, source_port=source_port)
    folder = out.resolve().parent
    head: dict[str, Any] = {
        "queries": [_relative(job, folder) for job in queries],
        "plan": _relative(plan_file, folder),
        "folder": "state",
    }
    if not machines.are_one:
        head["keys"] = "keys"
    out.write_text(_text(head, nodes), "utf-8")
    read_tree(out)
    click.echo(f"{out}: {_counted(plan.widths)}")
    if not machines.are_one:
        click.echo(f"  next: windrow tree keys {out}")


def _hosts(given: Sequence[str]) -> "Hosts":
    from windrow.cli.tree.layout import LOOPBACK, Hosts

    if not given:
        return Hosts.among([LOOPBACK])
    if len(given) == 1 and Path(given[0]).suffix in (".yaml", ".yml"):
        return _hosts_of(Path(given[0]))
    return Hosts.among(given)


def _hosts_of(path: Path) -> "Hosts":
    import yaml

    from windrow.cli.tree.layout import Hosts
    from windrow.files.small_files import read_small

    try:
        found = yaml.safe_load(read_small(path, 1 << 20))
    except (InputError, yaml.YAMLError) as error:
        raise InputError(f"--hosts {path}: {error}; give a list of names") from None
    if _are_names(found):
        return Hosts.among(found)
    if isinstance(found, dict) and found.keys() == {"root", "mergers", "leaves"}:
        root, mergers, leaves = found["root"], found["mergers"], found["leaves"]
        if isinstance(root, str) and _are_names(mergers) and _are_names(leaves):
            return Hosts(root, mergers, leaves)
    raise InputError(
        f"--hosts {path} is no list of names (e.g. [hq, hall-1]) and has not all of root, mergers, "
        "leaves (e.g. {root: hq, mergers: [hall-1], leaves: [till-1, till-2]})"
    )


def _are_names(found: object) -> bool:
    return isinstance(found, list) and bool(found) and all(isinstance(one, str) for one in found)


def _relative(path: Path, folder: Path) -> str:
    return os.path.relpath(path.resolve(), folder)


def _text(head: dict[str, Any], nodes: dict[str, dict[str, Any]]) -> str:
    import yaml

    def line(value: object) -> str:
        text: str = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=10**6)
        return text.strip().removesuffix("\n...")

    lines = ["# Made by windrow tree make; paths are relative to this file."]
    lines += [f"{name}: {line(value)}" for name, value in head.items()]
    lines += ["nodes:", *(f"  {name}: {line(node)}" for name, node in nodes.items())]
    return "\n".join(lines) + "\n"


def _counted(widths: Sequence[int]) -> str:
    *mergers, _ = widths[1:] or (1,)
    parts = [f"{widths[0]:,} leaves" if widths[0] != 1 else "1 leaf"]
    if mergers:
        parts.append(f"{sum(mergers):,} mergers in {len(mergers)} layers")
    return ", ".join([*parts, "1 root"])
