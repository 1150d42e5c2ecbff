"""Which nodes work on the same query: a fingerprint of all that decides results and states."""

import json
from collections.abc import Mapping
from hashlib import blake2b

import pyarrow as pa

from windrow.edge.query.expressions import Expression
from windrow.jobs import Job
from windrow.version import __version__

__all__ = ["fingerprint_of"]


def fingerprint_of(
    job: Job,
    schema: pa.Schema,
    lateness_us: int,
    where: Expression | None,
    columns: Mapping[str, Expression],
) -> str:
    """16 hexadecimal digits; where rows come from and results go to has no part in them."""
    facts = {
        "version": __version__,
        "schema": [[field.name, str(field.type)] for field in schema],
        "columns": [[name, derived.written] for name, derived in columns.items()],
        "where": None if where is None else where.written,
        "time": job.time,
        "by": job.by,
        "keep": job.keep,
        "lateness_us": lateness_us,
        "order": job.choices.get("order", "time"),
        "windows": [[name, repr(window)] for name, window in job.windows],
        "aggregates": [[name, repr(aggregate)] for name, aggregate in job.aggregates.items()],
        "approximate": job.approximate,
        "pinned": job.edge.pinned,
        "merging": [job.edge.merging.value, job.edge.gap_us],
    }
    return blake2b(json.dumps(facts).encode(), digest_size=8).hexdigest()
