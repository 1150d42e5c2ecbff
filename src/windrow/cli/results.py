"""Results on their way to a sink: in columns that it can hold, and counted as they pass."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F

from windrow.cli.checkpoints import another_query
from windrow.cli.failures import condition_of, missing_format
from windrow.cli.job import Job, JobFileError, Problem, Sink
from windrow.cli.starting import SPARK_ERRORS
from windrow.spark.analysis.columns import free_name, quoted

__all__ = ["count_batch", "count_stream", "flat", "writing"]


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
    counts = {"rows": F.count(F.lit(1))}
    if time is not None:
        column = quoted(time) if time in df.columns else F.col(time)  # may be inside of a struct
        counts["untimed"] = F.count_if(column.isNull())
    return [count.alias(name) for name, count in counts.items()]
