"""A checkpoint that another query wrote: which one, and what differs."""

import re

from windrow.cli.failures import condition_of
from windrow.cli.job import Job, JobFileError, Problem

__all__ = ["another_query"]

# Our message, and Spark's message for its own state, whose types encode the query.
_BOTH = re.compile(r"it was written by: (.*)\n\s*this query is: +(.*)\n")
_INCOMPATIBLE = "STATE_STORE_"
_MARK = "signature0"
_WAY_OUT = "use a new checkpoint, or run the job that wrote this one"


def another_query(error: BaseException, job: Job) -> JobFileError | None:
    """What to say if the checkpoint is of another query; None if that is not what went wrong."""
    text = str(error)
    if found := _BOTH.search(text):
        written, asked = found[1].strip(), found[2].strip()
    elif _MARK in text and (_INCOMPATIBLE in text or condition_of(error).startswith(_INCOMPATIBLE)):
        written, asked = "", _asked(job)
    else:
        return None
    lines = [f"checkpoint: {job.checkpoint} holds the state of another query ({_WAY_OUT})"]
    if written:
        lines += [f"  it was written by: {written}", f"  this job asks for: {asked}"]
        lines += [f"  what differs:      {change}" for change in _changes(written, asked)]
    else:
        lines += ["  it was written by: other windows, aggregates or columns; Spark does not say"]
        lines += [f"  this job asks for: {asked}"]
    return JobFileError([Problem(job.place_of("checkpoint"), "\n".join(lines))])


def _asked(job: Job) -> str:
    windows = ", ".join(f"{name or ''} {window!r}".strip() for name, window in job.windows)
    aggregates = ", ".join(f"{name}={one!r}" for name, one in job.aggregates.items())
    return f"{windows}; {aggregates}; by {', '.join(job.by) or 'nothing'}"


def _changes(written: str, asked: str) -> list[str]:
    """Part by part; a part that only one has stands alone."""
    before, now = written.split("; "), asked.split("; ")
    gone = [part for part in before if part not in now]
    new = [part for part in now if part not in before]
    if len(gone) == len(new):
        return [f"{old} → {other}" for old, other in zip(gone, new, strict=True)]
    return [*(f"no longer {part}" for part in gone), *(f"now {part}" for part in new)]
