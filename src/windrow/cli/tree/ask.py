"""`windrow tree ask` and `drop`: queries of a running tree come and go."""

from pathlib import Path

import click

from windrow.cli.options import PATH, plain_command

__all__ = ["ask", "drop"]


@click.command()
@plain_command
@click.argument("tree_file", metavar="TREE", type=PATH)
@click.argument("job_file", metavar="JOB", type=PATH)
def ask(tree_file: Path, job_file: Path) -> None:
    """Let a running tree compute the query of a JOB file too, from now on.

    To have it after a new start of the landing in a new folder, list it in the TREE file as well.
    """
    from windrow.cli.tree.figures import landing_of
    from windrow.edge.processes.control import ordered
    from windrow.edge.query import read_node_query
    from windrow.edge.tree_file import read_tree
    from windrow.jobs.document import text_of

    text = text_of(job_file)
    read_node_query(text, str(job_file))
    landing = landing_of(read_tree(tree_file))
    query = ordered(landing.folder, "ask", text=text)
    click.echo(f"{landing.name} asks for it; its results are those of query {query}")


@click.command()
@plain_command
@click.argument("tree_file", metavar="TREE", type=PATH)
@click.argument("query", metavar="QUERY")
def drop(tree_file: Path, query: str) -> None:
    """Let a running tree compute a query no longer.

    QUERY is a job file, or what `windrow tree ask` has said.
    """
    from windrow.cli.tree.figures import landing_of
    from windrow.edge.processes.control import ordered
    from windrow.edge.query import read_node_query
    from windrow.edge.tree_file import read_tree
    from windrow.jobs.document import text_of

    path = Path(query)
    if path.suffix in (".yaml", ".yml"):
        query = read_node_query(text_of(path), query).fingerprint
    landing = landing_of(read_tree(tree_file))
    known = ordered(landing.folder, "status")[landing.name]["queries"]
    if query not in known:
        from windrow.errors import InputError

        raise InputError(f"query={query!r} is not asked; give one of {', '.join(known) or 'none'}")
    ordered(landing.folder, "drop", query=query)
    click.echo(f"{landing.name} asks for {query} no longer")
