"""`windrow explain job.yaml`: how a job would run, and why, in plain words."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from windrow.cli.job import read_job
from windrow.cli.options import job_command
from windrow.cli.progress import Doing, shown
from windrow.cli.session import opened

if TYPE_CHECKING:
    from windrow.cli.query import Question

__all__ = ["explain", "explanation"]


@click.command()
@job_command
def explain(job_file: Path, master: str | None, settings: tuple[str, ...], *, debug: bool) -> None:
    """Explain how the job in a JOB file would run: which strategy and why, and its state.

    Only the columns of the source are read; nothing is computed or written.
    """
    job, doing = read_job(job_file, settings), Doing("starting Spark")
    with shown(job.name, doing), opened(job, master, debug=debug) as spark:
        from windrow.cli.query import question

        doing.now("reading the source")
        text = explanation(question(spark, job))
    click.echo(text)


def explanation(question: "Question") -> str:
    """What windrow says about a question."""
    return question.plan().explain()
