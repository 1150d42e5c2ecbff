"""The command line, one module for each command.

`windrow run`, `explain` and `state` are about jobs; `tune`, `plan` and `simulate` need no Spark.
"""

import click

from windrow.cli.explain import explain
from windrow.cli.plan import plan
from windrow.cli.run import run
from windrow.cli.simulate import simulate
from windrow.cli.state import state
from windrow.cli.tune import tune
from windrow.version import __version__

__all__ = ["main"]


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="windrow", message="%(prog)s %(version)s")
def main() -> None:
    """Windows over data streams, on Apache Spark.

    A job file says where rows come from, which windows and aggregates are asked for, and where
    results go:

    \b
      source: {format: parquet, path: readings}
      time: ts
      by: [sensor]
      windows: {hopping: {size: 1 hour, every: 1 minute}}
      aggregates: {peak: max(temp), mean: mean(temp), n: count()}
      sink: {format: parquet, path: hot, mode: overwrite}

    A stream adds `stream: true` to its source, `lateness: 10 minutes` and a `checkpoint:`.
    """


main.add_command(run)
main.add_command(explain)
main.add_command(state)
main.add_command(tune)
main.add_command(plan)
main.add_command(simulate)
