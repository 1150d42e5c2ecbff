"""`windrow` and its commands."""

import errno
import os
import sys
from contextlib import suppress
from typing import Any

import click

from windrow.cli.calibrate import calibrate
from windrow.cli.failures import explained
from windrow.cli.node import node
from windrow.cli.plan import plan
from windrow.cli.run import explain, run
from windrow.cli.simulate import simulate
from windrow.cli.state import state
from windrow.cli.tree import tree
from windrow.cli.tune import tune
from windrow.version import __version__

__all__ = ["main"]


_OUT_OF_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


class _Commands(click.Group):
    """Ends with a line where output cannot be written, too."""

    def main(self, *args: Any, **options: Any) -> Any:
        for stream in (sys.stdout, sys.stderr):  # a name may hold what a terminal cannot show
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        try:
            return super().main(*args, **options)
        except OSError as error:
            if error.errno not in _OUT_OF_ROOM:  # `--debug` lets errors pass
                raise
            click.echo(f"windrow: standard output: {explained(error)}", err=True)
            _let_go_of_output()
            sys.exit(1)


def _let_go_of_output() -> None:
    """What is still in its buffer would fail once more when Python ends."""
    with suppress(OSError), open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
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


for _command in (run, explain, state, calibrate, tune, plan, simulate, node, tree):
    main.add_command(_command)
