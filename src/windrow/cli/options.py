"""What the commands share: paths, the job file, options about Spark, and how failures end them."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from windrow.cli.failures import explained
from windrow.errors import InputError, WindrowError
from windrow.jobs import JobFileError

__all__ = [
    "PATH",
    "check_writable",
    "job_command",
    "plain_command",
    "spark_command",
    "with_options",
]

F = TypeVar("F", bound=Callable[..., Any])

BAD_INPUT, RUN_FAILED = 2, 1


class _Path(click.Path):
    """Refuses what no file can be called: click would end with Python's own error."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        try:
            return super().convert(value, param, ctx)
        except ValueError:  # a NUL, or half a character
            self.fail(f"{value!r} is no name that a file can have; give another", param, ctx)


PATH = _Path(path_type=Path)


def check_writable(path: Path, option: str) -> None:
    """Refuse a file that cannot be written, before anything is computed."""
    try:
        is_folder, has_folder = path.is_dir(), path.parent.is_dir()
        path.exists()
    except OSError as error:  # a name that is too long, say
        raise InputError(f"{option} {path}: {error.strerror}; give another path") from None
    if not has_folder:
        raise InputError(f"{option} {path}: there is no folder {path.parent}; make it first")
    if is_folder:
        raise InputError(f"{option} {path} is a folder; name a file in it")


_OF_SPARK = (
    click.option("--master", help="Where Spark runs: local[4], spark://…, sc://…  [local[*]]"),
    click.option("--debug", is_flag=True, help="Show Spark's log, and where an error came from."),
)
_OF_JOBS = (
    click.argument("job_file", metavar="JOB", type=PATH),
    click.option(
        "--set",
        "settings",
        metavar="KEY=VALUE",
        multiple=True,
        help="Replace an entry of the job (sink.path=here) or set one of Spark (spark.…=…).",
    ),
)


def with_options(command: F, options: Sequence[Callable[[F], F]]) -> F:
    """A command with more options, listed in this order."""
    for option in reversed(options):
        command = option(command)
    return command


def job_command(command: F) -> F:
    """Give a command a job file, and all that `spark_command` gives."""
    return with_options(spark_command(command), _OF_JOBS)


def spark_command(command: F) -> F:
    """Give a command the options about Spark, and report its failures in a few words."""

    @wraps(command)
    def guarded(*, debug: bool, **arguments: Any) -> Any:
        with _failures_reported(debug=debug), nullcontext() if debug else _without_logs():
            return command(debug=debug, **arguments)

    return with_options(guarded, _OF_SPARK)  # type: ignore[return-value]


def plain_command(command: F) -> F:
    """Report a command's failures in a few words; it needs no Spark."""

    @wraps(command)
    def guarded(*, debug: bool, **arguments: Any) -> Any:
        with _failures_reported(debug=debug):
            return command(**arguments)

    return click.option("--debug", is_flag=True, help="Show where an error came from.")(guarded)  # type: ignore[return-value]


@contextmanager
def _failures_reported(*, debug: bool) -> Iterator[None]:
    """Turn any failure into a line and an exit code."""
    try:
        yield
    except (click.exceptions.Exit, click.ClickException, BrokenPipeError):
        raise  # click ends with them, and with a reader that has seen enough
    except JobFileError as error:
        click.echo(str(error), err=True)
        raise click.exceptions.Exit(BAD_INPUT) from None
    except Exception as error:  # Spark's or the user's: here every failure becomes a line
        if debug:
            raise
        click.echo(f"windrow: {explained(error)}", err=True)
        code = BAD_INPUT if isinstance(error, WindrowError | ModuleNotFoundError) else RUN_FAILED
        raise click.exceptions.Exit(code) from None


@contextmanager
def _without_logs() -> Iterator[None]:
    """PySpark logs errors, as JSON, that it raises too."""
    before = logging.root.manager.disable
    logging.disable(logging.ERROR)
    try:
        yield
    finally:
        logging.disable(before)
