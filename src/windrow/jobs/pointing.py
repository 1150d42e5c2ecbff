"""Which entry of a job a refused query is about: what is refused knows arguments, but no lines."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from windrow.errors import WindrowError
from windrow.jobs.job import Job
from windrow.jobs.problems import JobFileError, Place, Problem

__all__ = ["pointing"]

_ARGUMENT = re.compile(r"(\w+)[=(]")


@contextmanager
def pointing(job: Job) -> Iterator[None]:
    """Say what a query is refused for at the entry of the job file that it is about."""
    try:
        yield
    except WindrowError as error:
        raise JobFileError([Problem(_place_of(str(error), job), str(error))]) from error


def _place_of(message: str, job: Job) -> Place:
    """Messages begin with the argument that they are about, or name a column or what is missing."""
    for name, aggregate in job.aggregates.items():
        written = (f"{name}={what!r}" for what in (aggregate, *aggregate.columns))
        if message.startswith(tuple(written)):
            return job.place_of(f"aggregates.{name}")
    argument = _ARGUMENT.match(message)
    if argument is not None and argument[1] in job.places:
        return job.place_of(argument[1])
    for read in job.reads:
        if message.startswith(f"column {read.column!r}"):
            return read.place
    abouts = (("no watermark", "time"), ("two columns", "aggregates"), ("units=", "parallel"))
    for words, key in abouts:
        if words in message:
            return job.place_of(key)
    return job.place_of("windows")
