"""From a job to a query on Spark: the source, what is derived from it, and the windows over it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from windrow.cli.failures import condition_of, explained, missing_format
from windrow.jobs import Job, JobFileError, Problem, Source, check_columns, pointing

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from windrow.plan import Plan
    from windrow.spark.query import Query

__all__ = ["SPARK_ERRORS", "Question", "question"]

# Its own errors, and those of Java that have no form in Python.
SPARK_ERRORS = (PySparkException, Py4JError)


@dataclass(frozen=True)
class Question:
    """The rows that a job takes in, and the query to be asked over them."""

    job: Job
    rows: "DataFrame"

    def answer(self, rows: "DataFrame") -> Any:
        """The result over the rows, which may be being counted."""
        with pointing(self.job):
            return self._query(rows).aggregate(**self.job.aggregates)

    def plan(self) -> "Plan":
        """How the query would run."""
        with pointing(self.job):
            return self._query(self.rows).plan(**self.job.aggregates)

    def _query(self, rows: "DataFrame") -> "Query":
        from windrow.spark.over import over

        job = self.job
        query = over(
            rows,
            time=job.time,
            by=list(job.by) or None,
            lateness=job.lateness if job.source.stream else None,
            forget_after=job.forget_after if job.source.stream else None,
            **job.choices,
        )
        (name, window), *others = job.windows
        if name is None and not others:
            query = query.window(window)
        else:
            query = query.windows(**{str(name): window for name, window in job.windows})
        if job.approximate is not None:
            query = query.approximate(**job.approximate)
        if job.parallel is not None:
            query = query.parallel(**job.parallel)
        if job.ordered:
            query = query.ordered()
        return query.keep(*job.keep) if job.keep else query


def question(spark: "SparkSession", job: Job) -> Question:
    """Read the source, derive columns, filter; whatever does not fit points at its line."""
    with _at(job, "source"):
        rows = _load(spark, job.source)
    for name, expression in job.columns.items():
        with _at(job, f"columns.{name}"):
            rows = _derived(rows, name, expression)
    if job.where is not None:
        with _at(job, "where"):
            rows = rows.where(job.where)
    problems = check_columns(job, rows.columns)
    if problems:
        raise JobFileError(problems)
    return Question(job, rows)


def _load(spark: "SparkSession", source: Source) -> "DataFrame":
    reader = spark.readStream if source.stream else spark.read
    schema: Any = source.schema
    if source.stream and schema is None and source.path is not None:
        # Files that hold their schema tell it when read as a batch; a stream does not ask them.
        schema = spark.read.format(source.format).options(**source.options).load(source.path).schema
    if schema is not None:
        reader = reader.schema(schema)
    reader = reader.format(source.format).options(**source.options)
    return reader.load() if source.path is None else reader.load(source.path)


def _derived(rows: "DataFrame", name: str, expression: str) -> "DataFrame":
    """Add a column, or put it in the place of the one of that name; later ones may use it."""
    quoted = {column: f"`{column.replace('`', '``')}`" for column in (*rows.columns, name)}
    others = [column for column in rows.columns if column.casefold() != name.casefold()]
    return rows.selectExpr(*(quoted[one] for one in others), f"({expression}) AS {quoted[name]}")


@contextmanager
def _at(job: Job, key: str) -> Iterator[None]:
    """Say what Spark refuses at the entry of the job file."""
    try:
        yield
    except SPARK_ERRORS as error:
        message = missing_format(error, job.source.format) or explained(error)
        if condition_of(error) == "PATH_NOT_FOUND":
            missing = f"{job.place_of(key)}: {job.source.path} does not exist"
            raise FileNotFoundError(missing) from None
        raise JobFileError([Problem(job.place_of(key), f"{key}: {message}")]) from error
