"""`windrow explain job.yaml`: how a job would run, and why, in plain words."""

from pathlib import Path

import click

from windrow.cli.job import read_job
from windrow.cli.options import job_command
from windrow.cli.progress import Doing, shown
from windrow.cli.session import opened

__all__ = ["explain"]


@click.command()
@job_command
def explain(job_file: Path, master: str | None, settings: tuple[str, ...], *, debug: bool) -> None:
    """Explain how the job in a JOB file would run: which strategy and why, and its state.

    Only the columns of the source are read; nothing is computed or written.
    """
    job, doing = read_job(job_file, settings), Doing("starting Spark")
    with shown(job.name, doing), opened(job.name, master, debug=debug, job=job) as spark:
        from windrow.cli.query import question

        doing.now("reading the source")
        text = question(spark, job).plan().explain()
    click.echo(text)
