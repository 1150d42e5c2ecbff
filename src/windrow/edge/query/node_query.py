"""A job as nodes run it: the same file as on Spark, resolved against the columns of a row."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import pyarrow as pa

from windrow.edge.query.answers import Outcome
from windrow.edge.query.checks import check_for_nodes
from windrow.edge.query.expressions import Expression, Scope, compile_condition, compile_expression
from windrow.edge.query.fingerprint import fingerprint_of
from windrow.edge.query.resolving import resolved
from windrow.edge.query.rows import Intake, Rows
from windrow.edge.query.schema import source_schema
from windrow.engines.definition import Definition
from windrow.jobs import Edge, Job, JobFileError, Merging, check_columns
from windrow.jobs.entry import Entry
from windrow.jobs.expressions import ExpressionError
from windrow.jobs.problems import Problems
from windrow.jobs.read import read_parts, shift_of
from windrow.windows import microseconds

__all__ = ["NodeQuery", "read_node_query"]


@dataclass(frozen=True, eq=False)
class NodeQuery:
    """A query that nodes run."""

    text: str  # of the job, as it travels to nodes
    fingerprint: str  # 16 hexadecimal digits, of all that decides results and states
    source_schema: pa.Schema  # the columns that a row of the user's has
    definition: Definition
    lateness_us: int
    ordered: bool  # whether results come by end, start, name and keys
    edge: Edge
    intake: Intake
    outcome: Outcome
    paths: Mapping[str, tuple[str, ...]]  # of the columns that it reads, by internal name
    job: Job

    @property
    def pinned(self) -> bool:
        """Whether the user promises that all rows of a key come to one leaf."""
        return self.edge.pinned

    @property
    def merging(self) -> Merging:
        """Which punctuated windows of several leaves become one."""
        return self.edge.merging

    @property
    def gap_us(self) -> int | None:
        """How far apart such windows may lie, with `Merging.GAP`."""
        return self.edge.gap_us

    def rows(self, table: pa.Table) -> Rows:
        """The user's rows as engines take them; columns that are missing are null."""
        return self.intake.take(table)

    def answers(self, results: pa.Table) -> pa.Table:
        """Results of an engine as the user knows them, just as on Spark."""
        return self.outcome.of(results)

    def as_given(self, rows: pa.Table) -> pa.Table:
        """Rows of an engine with the user's columns, as far as the query reads them."""
        found: dict[str, pa.ChunkedArray] = {}
        for ours, column in zip(rows.column_names, rows.columns, strict=True):
            if ours == "t":
                column = column.cast(self.outcome.time_type)
            if ours in self.paths:
                found.setdefault(self.paths[ours][-1], column)
        return pa.table(found)

    @cached_property
    def answer_schema(self) -> pa.Schema:
        """The columns of answers."""
        from windrow.engines.engines import engine_for

        return self.answers(engine_for(self.definition).schema.empty_table()).schema


@lru_cache(maxsize=64)  # each welcome repeats queries that were read long ago
def read_node_query(text: str, name: str = "job") -> NodeQuery:
    """The query of a job's text; `JobFileError` says all that is wrong with it.

    >>> query = read_node_query('''
    ... source: {format: json, path: in, schema: "ts timestamp, sensor string, temp double"}
    ... time: ts
    ... by: sensor
    ... lateness: 10 seconds
    ... columns: {fahrenheit: temp * 1.8 + 32}
    ... windows: {tumbling: 1 minute}
    ... aggregates: {peak: max(fahrenheit)}
    ... sink: {format: console}
    ... ''')
    >>> query.definition.schema.names, query.lateness_us
    (['k0', 't', 'n', 'v0'], 10000000)
    """
    problems = Problems()
    job, found = read_parts(text, Path(name), problems)
    if job is None:
        raise JobFileError(problems)
    check_for_nodes(job, found)
    query = _Reading(text, job, found, problems).query()
    if problems or query is None:
        raise JobFileError(problems)
    return query


@dataclass(frozen=True)
class _Reading:
    """A job on its way to a query; what is wrong with it becomes a problem with its place."""

    text: str
    job: Job
    found: Mapping[str, Entry]
    problems: Problems

    def query(self) -> NodeQuery | None:
        job = self.job
        if job.source.schema is None:
            return None
        schema = source_schema(self.found["source"].entries("{}")["schema"])
        if schema is None:
            return None
        before = len(self.problems)
        scope, derived = self._derived(Scope.of(schema))
        where = None
        if job.where is not None:
            with self._reading(self.found["where"]):
                where = compile_condition(job.where, scope)
        self.problems.extend(check_columns(job, scope.columns))
        if len(self.problems) > before or not job.windows or not job.aggregates:
            return None
        try:
            asking, definition, outcome = resolved(job, scope)
        except JobFileError as error:
            self.problems.extend(error.problems)
            return None
        lateness_us = 0 if job.lateness is None else microseconds(job.lateness, "lateness")
        lowest, highest = zip(*(window.time_limits for _, window in job.windows), strict=True)
        return NodeQuery(
            text=self.text,
            fingerprint=fingerprint_of(job, schema, lateness_us, where, derived),
            source_schema=schema,
            definition=definition,
            lateness_us=lateness_us,
            ordered=job.ordered,
            edge=job.edge,
            intake=Intake(
                schema,
                where,
                asking.expressions,
                pa.schema([field for field in definition.schema if field.name != "n"]),
                (max(lowest), min(highest)),
            ),
            outcome=outcome,
            paths=asking.paths,
            job=job,
        )

    def _derived(self, scope: Scope) -> tuple[Scope, Mapping[str, Expression]]:
        """The columns of a row and those derived from them; later ones may use earlier ones."""
        derived: dict[str, Expression] = {}
        if not self.job.columns:
            return scope, derived
        entries = self.found["columns"].entries("{x: a + b}")
        for name, text in self.job.columns.items():
            with self._reading(entries[name]):
                derived[name] = compile_expression(text, scope)
                scope = scope.having(name, derived[name])
        return scope, derived

    @contextmanager
    def _reading(self, entry: Entry) -> Iterator[None]:
        try:
            yield
        except ExpressionError as error:
            entry.complain(f"{entry.name}: {error}", shift=shift_of(entry, error.offset))
