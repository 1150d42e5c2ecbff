"""From a job and the columns of a row to a definition, as queries on Spark are resolved."""

from typing import Any

import pyarrow as pa

from windrow.algebra.registry import Takes
from windrow.edge.query.answers import Outcome
from windrow.edge.query.asking import Asking
from windrow.edge.query.expressions import Scope
from windrow.engines.approximated import as_intervals, gives_intervals
from windrow.engines.defining import Renaming, definition_of, is_there
from windrow.engines.definition import Definition
from windrow.engines.names import names_of
from windrow.errors import InputError
from windrow.jobs import Job, pointing
from windrow.windows import Order

__all__ = ["resolved"]

_CAST = "cast it under columns:, e.g. columns: {x: cast(y as double)}"
_WAYS_OUT = dict.fromkeys(Takes, _CAST) | {
    Takes.BOOLEANS: "give a condition under columns:, e.g. columns: {hot: temp > 30}",
    Takes.TEXT: "cast it under columns:, e.g. columns: {x: cast(y as string)}",
    Takes.ANYTHING: "take a field of it, e.g. place.height",
}


def resolved(job: Job, scope: Scope) -> tuple[Asking, Definition, Outcome]:
    """The columns of a query, its definition, and how its results are named.

    Where they do not go together, `JobFileError` points at an entry of the job.
    """
    asking = Asking(scope)
    with pointing(job):
        for key in job.by:
            asking.add("k", key, "by")
        asking.add_as("t", job.time, "time")
        time = _time(asking.expressions["t"].kind, job)
        renaming = Renaming(asking, job.time, zoned=time.tz is not None)
        aggregates = tuple((name, renaming.aggregate(name, a)) for name, a in _given(job))
        windows = tuple((name or "", renaming.window(window)) for name, window in job.windows)
        for column in job.keep:
            if not is_there(column, (job.time, *job.by), scope.columns):
                asking.add("c", column, "keep")
        schema = asking.schema()
        _require_comparable(asking, schema)
        _require_booleans(asking)
        order = Order(job.choices.get("order", Order.TIME.value))
        definition = definition_of(windows, aggregates, schema, order, _WAYS_OUT)
        exact = frozenset[str]()
        limits = job.approximate or {}
        most = limits.get("max_buckets")
        if gives_intervals(_given(job), asked=job.approximate is not None, max_buckets=most):
            definition, exact = as_intervals(definition, _given(job), most)
        names = names_of(windows, [name for name, _ in aggregates], asking.shown, scope.columns)
    return asking, definition, Outcome(definition, names, time, exact)


def _given(job: Job) -> tuple[tuple[str, Any], ...]:
    return tuple(job.aggregates.items())


def _time(kind: pa.DataType, job: Job) -> pa.DataType:
    if pa.types.is_timestamp(kind):
        return kind
    way_out = "give a timestamp or timestamp_ntz"
    if pa.types.is_date(kind):
        way_out += "; the midnight of a date depends on the zone of a session of Spark"
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind):
        way_out += f", e.g. columns: {{at: cast({job.time} as timestamp)}} of seconds since 1970"
    raise InputError(f"time={job.time!r} has type {kind}; {way_out}")


def _require_comparable(asking: Asking, schema: pa.Schema) -> None:
    for field in schema:
        if field.name[0] == "k" and "map<" in str(field.type):
            raise InputError(
                f"by={asking.shown[field.name]!r} has type {field.type}, and maps cannot be "
                "compared; use a field of its own"
            )


def _require_booleans(asking: Asking) -> None:
    for role in ("start", "end"):
        mark = asking.expressions.get(f"m_{role}")
        if mark is not None and not pa.types.is_boolean(mark.kind):
            name = asking.shown[f"m_{role}"]
            raise InputError(
                f"{role}={name!r} has type {mark.kind}; give a boolean column, "
                f"e.g. columns: {{marked: {name} > 0}}"
            )
