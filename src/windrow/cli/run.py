"""`windrow run job.yaml` runs a job, and sums it up in a line; `windrow explain` only plans it."""

from pathlib import Path

import click

from windrow.cli.options import job_command
from windrow.cli.progress import shown
from windrow.cli.report import Report
from windrow.cli.session import opened
from windrow.jobs import read_job

__all__ = ["explain", "run"]


@click.command()
@job_command
def explain(job_file: Path, master: str | None, settings: tuple[str, ...], *, debug: bool) -> None:
    """Explain how the job in a JOB file would run: which strategy and why, and its state.

    Only the columns of the source are read; nothing is computed or written.
    """
    job = read_job(job_file, settings)
    with (
        shown(job.name, "starting Spark") as doing,
        opened(job.name, master, debug=debug, job=job) as spark,
    ):
        from windrow.cli.query import question

        doing.now("reading the source")
        text = question(spark, job).plan().explain()
    click.echo(text)


@click.command()
@job_command
@click.option("--dry-run", is_flag=True, help="Check the job and explain it, but do not run it.")
@click.option("--json", "as_json", is_flag=True, help="Print the final report as JSON.")
def run(
    job_file: Path,
    master: str | None,
    settings: tuple[str, ...],
    *,
    dry_run: bool,
    as_json: bool,
    debug: bool,
) -> Report | None:
    """Run the job in a JOB file.

    A batch ends by itself, and so does a stream with `trigger: available_now`; any other stream
    runs until Ctrl-C. Exit codes: 0 done, 1 the run failed, 2 the job is wrong.
    """
    job = read_job(job_file, settings)
    with (
        shown(job.name, "starting Spark", lines_in_pipes=True) as doing,
        opened(job.name, master, debug=debug, job=job) as spark,
    ):
        from windrow.cli.query import question

        doing.now("reading the source")
        asked = question(spark, job)
        doing.now("planning")
        if dry_run:
            text = asked.plan().explain()
        elif job.source.stream:
            from windrow.cli.stream import run_stream

            report = run_stream(asked, doing)
        else:
            from windrow.cli.batch import run_batch

            report = run_batch(asked, doing)
        doing.now("stopping Spark")
        if job.sink.format == "memory" and not dry_run:
            spark.table(job.sink.name).show(truncate=False)
    if dry_run:
        click.echo(text)
        return None
    if as_json:
        click.echo(report.as_json())
    click.echo(report.summary(), err=True)
    return report
