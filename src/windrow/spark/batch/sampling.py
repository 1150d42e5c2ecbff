"""Whether the rows of a batch may be sampled before its query runs, and the sampling job.

A DataFrame's plan is fixed when it is made, so sampling is a separate job that runs while the query
is built.  Unless the user asks for more, rows are sampled only if they are simply read (not
computed), if there are many of them, and for a limited time.
"""

import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from time import perf_counter
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from windrow.errors import InputError
from windrow.parallel import Method
from windrow.plan import Sample
from windrow.spark.analysis.resolve import Request
from windrow.spark.batch.reuse import source_of
from windrow.spark.transport.workers import JOB_ERRORS, described

__all__ = ["LIMIT_S", "SETTING", "UNKNOWN_BYTES", "Look", "look_at", "why_not"]

SETTING = "spark.windrow.sample"

# How long sampling may take, in seconds, unless the user asked for it.
LIMIT_S = 30.0
_AGAIN_S = 1.0

# An input with fewer bytes has no key that is worth splitting.
_FEW_BYTES = 1 << 20
# Spark takes a size that it does not know for one that is a thousand times as large.
UNKNOWN_BYTES = 1 << 53

# Steps of a plan that only read rows, or pass them on.
_READING = {
    "DataSourceV2ScanRelation",
    "Filter",
    "HiveTableRelation",
    "InMemoryRelation",
    "LocalRelation",
    "LogicalRelation",
    "OneRowRelation",
    "Project",
    "Range",
    "Union",
}

_numbers = count()


@dataclass(frozen=True)
class Look:
    """What sampling found; None if it took too long."""

    found: pa.Table | None
    seconds: float
    is_new: bool = True  # else an earlier query has looked

    def __str__(self) -> str:
        """How many rows were looked at, and when."""
        rows = 0 if self.found is None else self.found.num_rows
        when = f"in {self.seconds:.1f} s" if self.is_new else "that an earlier query sampled"
        return f"{rows:,} rows {when}"


def why_not(request: Request) -> str | None:
    """Why the rows of a request must not be sampled, without reading them; None if they may."""
    choice = request.sample or _of_session(request.source.sparkSession)
    if request.method is Method.TIME:
        if choice is not Sample.NEVER:
            return None
        raise InputError(
            "parallel='time' cuts rows by a sample of their times, and sample is 'never'; "
            "leave one of them out"
        )
    if choice is Sample.ALWAYS:
        return None
    return "sample is 'never'" if choice is Sample.NEVER else _not_merely_read(request.rows)


def look_at(
    request: Request, columns: Sequence[str], what: Hashable, work: Callable[[], pa.Table]
) -> Look:
    """Do `work`, a job over the rows, within the time limit; Spark's web UI says what it is for.

    An earlier query may have done `what` with the same columns of the same rows.
    """
    spark, begin = request.source.sparkSession, perf_counter()
    source = source_of(request.rows.select(*columns))
    earlier = None if source is None else source.earlier(what)
    if earlier is not None:
        return Look(earlier, perf_counter() - begin, is_new=False)
    asked_for = request.method is Method.TIME
    limited = not asked_for and (request.sample or _of_session(spark)) is Sample.AUTO
    with described(spark, f"sampling rows by {', '.join(request.names.keys) or 'time'}"):
        found = _in_time(spark, work) if limited else work()
    if source is not None and found is not None:
        source.keep(what, found)
    return Look(found, perf_counter() - begin)


def _of_session(spark: SparkSession) -> Sample:
    choice = str(spark.conf.get(SETTING, Sample.AUTO.value)).lower()
    for member in Sample:
        if member.value == choice:
            return member
    ways = ", ".join(member.value for member in Sample)
    raise InputError(f"{SETTING}={choice!r} is not a valid value; use one of {ways}")


def _in_time(spark: SparkSession, work: Callable[[], pa.Table]) -> pa.Table | None:
    context: Any = spark.sparkContext
    tag = f"windrow-sample-{next(_numbers)}"
    done, late = threading.Event(), threading.Event()

    def give_up() -> None:
        done.wait(LIMIT_S)
        while not done.wait(_AGAIN_S):  # the job may be still to come
            late.set()
            context.cancelJobsWithTag(tag)

    watch = threading.Thread(target=give_up, name=tag, daemon=True)
    context.addJobTag(tag)
    watch.start()
    try:
        return work()
    except JOB_ERRORS:
        if late.is_set():
            return None
        raise
    finally:
        done.set()
        watch.join()
        context.removeJobTag(tag)


def _not_merely_read(rows: DataFrame) -> str | None:
    """Why sampling would take more than reading the rows, or not be worth it."""
    java = getattr(rows, "_jdf", None)
    if java is None:
        return "Spark Connect does not show what the input is computed from"
    plan = java.queryExecution().optimizedPlan()
    for node in _nodes(plan):
        name = str(node.nodeName())
        if name == "LogicalRDD":
            return "the input is an RDD, and Spark does not know what it is computed from"
        filled = name != "InMemoryRelation" or node.cacheBuilder().isCachedColumnBuffersLoaded()
        if not filled:
            return "the input is marked for caching, and has not been computed yet"
        if name not in _READING:
            return f"the input is computed ({name}), and sampling would compute it once more"
    if not plan.deterministic():
        return "the input is not the same each time it is computed"
    size = int(plan.stats().sizeInBytes())
    if size < _FEW_BYTES:
        return f"the input is small ({max(size >> 10, 1):,} KB)"
    return None if size < UNKNOWN_BYTES else "Spark does not know how large the input is"


def _nodes(plan: Any) -> Iterator[Any]:
    yield plan
    children = plan.children()
    for place in range(children.size()):
        yield from _nodes(children.apply(place))
