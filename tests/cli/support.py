"""Job files for tests: good ones, and the same with some of their lines changed."""

from pathlib import Path
from textwrap import dedent

from windrow.jobs import Job, JobFileError, read_job

GOOD = """\
source: {format: parquet, path: readings}
time: ts
by: [sensor]
windows: {hopping: {size: 1 hour, every: 1 minute}}
aggregates: {peak: max(temp), n: count()}
sink: {format: parquet, path: hot, mode: overwrite}
"""
STREAM = """\
source: {format: json, path: readings, stream: true, schema: "sensor string, ts timestamp"}
time: ts
lateness: 10 minutes
windows: {tumbling: 1 hour}
aggregates: {n: count()}
sink: {format: parquet, path: hot, trigger: available_now}
checkpoint: checkpoints/hot
"""


def with_line(number: int, line: str, *, text: str = GOOD) -> str:
    """A good job with one line replaced; lines count from 1."""
    lines = text.splitlines()
    lines[number - 1] = line
    return "\n".join(lines) + "\n"


def written(folder: Path, text: str, name: str = "job.yaml") -> Path:
    path = folder / name
    path.write_text(dedent(text), encoding="utf-8")
    return path


def read(folder: Path, text: str, *settings: str) -> Job:
    return read_job(written(folder, text), settings)


def problems(folder: Path, text: str, *settings: str) -> list[str]:
    """What is wrong with a job, without the path: `LINE:COLUMN: message`."""
    try:
        read(folder, text, *settings)
    except JobFileError as error:
        return [str(problem).removeprefix(f"{folder / 'job.yaml'}:") for problem in error.problems]
    return []
