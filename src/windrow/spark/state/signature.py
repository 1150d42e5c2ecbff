"""What a stream's state depends on: a query with another signature cannot continue with it."""

import hashlib
import re

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import DecimalType

from windrow.algebra.aggregate import marks_of
from windrow.compiler.fingerprint import fingerprint
from windrow.spark.analysis.resolve import Request

__all__ = ["marks", "signature_of", "without_marks"]

# Spark numbers the variables of lambdas across a whole process, and draws random seeds.
_NUMBERED = re.compile(r"\b([xyz])_\d+\b")
_SEEDED = re.compile(r"\b(randn?|random)\(-?\d+L?\)")

# Spark compares the schema of its own state by type only, so types have to encode the query.  There
# are 779 decimal types, and so 600,000 pairs of them.
_DECIMALS = [
    DecimalType(precision, scale) for precision in range(1, 39) for scale in range(precision + 1)
]
_MARK = "signature"
_MARKS = 2


def signature_of(request: Request) -> str:
    """Windows, aggregates, order and columns in words."""
    definition = request.definition
    windows = [window for _, window in definition.windows]
    predicates = [fingerprint(*window.functions) for window in windows if window.functions]
    aggregates = ", ".join(f"{name}={part!r}" for name, part in definition.aggregates)
    read = {name: str(column) for name, column in request.selected.items()}
    columns = ", ".join(
        f"{field.name} {read.get(field.name, '')}: {field.type}" for field in definition.schema
    )
    named = ", ".join(f"{name} {window!r}".strip() for name, window in definition.windows)
    marked = "".join(f" {mark}" for mark in predicates)
    using = [part for window in windows for _, part in window.watched]
    functions = marks_of([*(part for _, part in definition.aggregates), *using])
    methods = f"; buckets by {definition.methods!r}" if definition.methods else ""
    asked = f"{named}{marked}; {aggregates}{functions}{methods}; order {definition.order.value}"
    text = f"{asked}; columns {columns}"
    return _SEEDED.sub(r"\1()", _NUMBERED.sub(r"\1", text))


def marks(request: Request) -> list[Column]:
    """Aggregates without values for Spark's own state, whose types encode the query."""
    number = int.from_bytes(hashlib.sha256(signature_of(request).encode()).digest())
    found = []
    for place in range(_MARKS):
        number, kind = divmod(number, len(_DECIMALS))
        found.append(F.max(F.lit(None).cast(_DECIMALS[kind])).alias(f"{_MARK}{place}"))
    return found


def without_marks(results: DataFrame) -> DataFrame:
    """Results without these markers, in a way that keeps Spark from optimising them away."""
    names = [f"{_MARK}{place}" for place in range(_MARKS)]
    for name in names:
        results = results.where(F.col(name).isNull())
    return results.drop(*names)
