"""Results on their way to a sink: in columns that it can hold, and counted as they pass.

If the checkpoint is that of another query, it is said which one, and what differs.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F

from windrow.cli.failures import condition_of, missing_format
from windrow.cli.query import SPARK_ERRORS
from windrow.engines.names import free_name
from windrow.jobs import Job, JobFileError, Problem, Sink
from windrow.spark.analysis.columns import quoted
from windrow.spark.sources.marks import hidden_of

__all__ = ["another_query", "count_batch", "count_stream", "flat", "writing"]


@contextmanager
def writing(job: Job) -> Iterator[None]:
    """Say what a sink refuses at its entry in the job file."""
    sink, place = job.sink, job.place_of("sink")
    try:
        yield
    except SPARK_ERRORS as error:
        if message := missing_format(error, sink.format):
            raise JobFileError([Problem(place, f"sink: {message}")]) from error
        if (mismatch := another_query(error, job)) is not None:
            raise mismatch from error
        if condition_of(error) != "PATH_ALREADY_EXISTS":
            raise
        way_out = "add mode: overwrite, or mode: append, to the sink"
        raise FileExistsError(f"{place}: {sink.path} is there already ({way_out})") from None


def flat(answer: Any, sink: Sink) -> DataFrame:
    """For CSV, which has no structs: `window` becomes `window_start` and `window_end`.

    Should a column of the user's be called so, ours has a `_` behind it.
    """
    frame: DataFrame = answer
    if sink.format != "csv":
        return frame
    columns = []
    for field in frame.schema.fields:
        parts = getattr(field.dataType, "names", None)
        if parts is None:
            columns.append(quoted(field.name))
            continue
        for part in parts:
            name = free_name(f"{field.name}_{part}", frame.columns)
            columns.append(quoted(field.name)[part].alias(name))
    return frame.select(*columns)


def count_batch(df: DataFrame, time: str | None = None) -> tuple[DataFrame, Observation]:
    """The same rows, and once they have been written their number, `rows`, and `untimed` ones."""
    observation = Observation()
    return df.observe(observation, *_counts(df, time)), observation


def count_stream(df: DataFrame, name: str) -> DataFrame:
    """The same rows; each micro-batch reports how many there were, `rows`, under this name."""
    return df.observe(name, *_counts(df, None))


def _counts(df: DataFrame, time: str | None) -> list[Column]:
    hidden = hidden_of(df)
    known = F.lit(None) if hidden is None else quoted(hidden)
    rows = F.lit(1) if hidden is None else F.coalesce(known.getField("rows"), F.lit(1))
    counts = [F.coalesce(F.sum(rows), F.lit(0)).alias("rows")]
    if time is not None:
        column = quoted(time) if time in df.columns else F.col(time)  # may be inside of a struct
        untimed = column.isNull() & known.isNull()  # states that nodes have sent have no time
        counts.append(F.count_if(untimed).alias("untimed"))
    return counts


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
