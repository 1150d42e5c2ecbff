"""How far nodes reduce the rows of a query: how many states per period and key, and how large.

A topology for a query that is computed in several layers of nodes is planned from this.
"""

from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from windrow.engines.aligned import AlignedWindows
from windrow.errors import InputError
from windrow.spark.analysis.resolve import Request
from windrow.topology.model import Emission, Reduction
from windrow.windows import Aligned

__all__ = ["reduction_of"]

_SAMPLE = 10_000  # rows that tell how large states are


def reduction_of(
    request: Request, keys: int | None, hottest: float | None, state_bytes: float | None
) -> Reduction:
    """For nodes that send each slice of their windows on once, when it has passed."""
    window = _window(request)
    if keys is None:
        keys, share = _keys(request)
        hottest = share if hottest is None else hottest
    edges = {edge_us % window.every_us for edge_us in (0, window.size_us)}
    return Reduction(
        period_s=window.every_us / 1e6,
        keys=keys,
        hottest=None if keys == 1 else hottest,
        states=len(edges),
        state_bytes=_bytes(request) if state_bytes is None else state_bytes,
        emission=Emission.AT_CLOSE,
    )


def _window(request: Request) -> Aligned:
    [(_, window), *others] = request.windows
    grid = window.grid
    if others or grid is None:
        what = "several windows" if others else repr(window)
        raise InputError(
            f"nodes cannot share the work of {what}: only a single tumbling or hopping window is "
            "sent on slice by slice; use one of these, or give topology.Reduction(...) by hand"
        )
    if any(not part.monoid.commutative for _, part in request.definition.aggregates):
        raise InputError(
            "an aggregate of this query depends on the order of rows, which is lost on the way "
            "through several nodes; plan for aggregates such as sum, max or distinct"
        )
    return grid


def _keys(request: Request) -> tuple[int, float | None]:
    """How many keys the rows have, and the share of the largest."""
    names = request.definition.keys
    if not names:
        return 1, None
    if request.streaming:
        raise InputError(
            "a stream does not know how many keys it will have; give them, e.g. "
            "reduction(keys=1_000)"
        )
    by_key = request.rows.groupBy(*names).agg(F.count("*").alias("n"))
    [found] = by_key.agg(F.count("*"), F.max("n"), F.sum("n")).collect()
    keys, largest, rows = found
    return (keys, largest / rows) if rows else (1, None)


def _bytes(request: Request) -> float:
    """The size of a state with its key, in a sample of the rows; in a stream, from its types."""
    definition = request.definition
    engine = AlignedWindows(definition)
    if request.streaming:
        return _fixed(engine.partials)
    rows: Any = request.rows.limit(_SAMPLE).toArrow()
    numbered = rows.append_column("n", pa.array(np.arange(rows.num_rows)))
    slices = engine.fold(numbered.select(definition.schema.names).cast(definition.schema))
    return float(slices.nbytes / slices.num_rows) if slices.num_rows else 0.0


def _fixed(schema: pa.Schema) -> float:
    try:
        return float(sum(field.type.bit_width for field in schema) / 8)
    except ValueError:
        raise InputError(
            "a stream does not know how large its states will be; give their size, e.g. "
            "reduction(keys=1_000, state_bytes=200)"
        ) from None
