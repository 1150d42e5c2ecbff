"""From a job to a query on Spark: the source, what is derived from it, and the windows over it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from windrow.cli.failures import condition_of, explained, missing_format
from windrow.edge.query import read_node_query
from windrow.errors import WindrowError
from windrow.jobs import Job, JobFileError, Problem, Source, check_columns, pointing
from windrow.spark.sources.spool import Spool
from windrow.spark.sources.tree import FORMAT, register, shape_for

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from windrow.spark.query import Query

__all__ = ["SPARK_ERRORS", "Question", "question"]

# Its own errors, and those of Java that have no form in Python.
SPARK_ERRORS = (PySparkException, Py4JError)


class Explained(Protocol):
    """What can say how it is run."""

    def explain(self) -> str:
        """How, in plain words."""


@dataclass(frozen=True)
class Question:
    """The rows that a job takes in, and the query to be asked over them."""

    job: Job
    rows: "DataFrame"

    def answer(self, rows: "DataFrame") -> Any:
        """The result over the rows, which may be being counted."""
        with pointing(self.job):
            return self._query(rows).aggregate(**self.job.aggregates)

    def plan(self) -> Explained:
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


@dataclass(frozen=True)
class Answered(Question):
    """What nodes of a tree have answered already, as all rows of a key come to one leaf."""

    reason: str

    def answer(self, rows: "DataFrame") -> Any:
        """The results as they are."""
        return rows

    def plan(self) -> Explained:
        """That there is nothing to compute."""
        return self

    def explain(self) -> str:
        """The same in words."""
        kind = "Stream" if self.job.source.stream else "Batch"
        return (
            f"{kind}: results of the nodes of a tree, in {self.job.source.path}.\n"
            f"Why:\n  - {self.reason}\n"
            "Stages, in order:\n  - Python workers: results out of the frames of the tree"
        )


def question(spark: "SparkSession", job: Job) -> Question:
    """Read the source, derive columns, filter; whatever does not fit points at its line."""
    if job.source.is_tree:
        return _from_tree(spark, job)
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


def _from_tree(spark: "SparkSession", job: Job) -> Question:
    """What nodes have sent; it is they who derive columns and filter rows."""
    source = job.source
    options = dict(source.options)
    try:
        spool = Spool.at(str(source.path or options.get("path")))
        known = spool.queries()
        own = _fingerprint(job)
        if "query" not in options and own in known:
            options["query"] = own
        _, text = spool.text_of(options.get("query"))
    except WindrowError as error:
        raise JobFileError([Problem(job.place_of("source"), f"source: {error}")]) from error
    register(spark)
    with _at(job, "source"):
        reader = spark.readStream if source.stream else spark.read
        reader = reader.format(FORMAT).options(**options)
        rows = reader.load() if source.path is None else reader.load(source.path)
    shape = shape_for(text)
    if shape.answered:
        return Answered(job, rows, shape.payload.choice.reason)
    problems = check_columns(job, rows.columns)
    if problems:
        raise JobFileError(problems)
    return Question(job, rows)


def _fingerprint(job: Job) -> str | None:
    """Of the query that nodes would make of the same file; None if they could not."""
    try:
        return read_node_query(job.path.read_text(encoding="utf-8")).fingerprint
    except (JobFileError, OSError):
        return None


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
