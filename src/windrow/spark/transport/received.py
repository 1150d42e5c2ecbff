"""What nodes of a tree have folded rows into, out of the hidden column of their frames."""

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame

from windrow.columnar.key_hashes import key_hashes
from windrow.columnar.keyed import key_columns
from windrow.spark.analysis.columns import quoted
from windrow.spark.analysis.resolve import Request
from windrow.spark.transport.hashed import HASH_KEY
from windrow.wire.tables import table_of

__all__ = ["Received"]

_UNBOUNDED = 1 << 62  # what is in a spool was checked when it came
_POSITIVE = (1 << 31) - 1


@dataclass(frozen=True)
class Received:
    """How the states of a query lie in frames."""

    schema: pa.Schema  # of a frame's body

    @classmethod
    def of(cls, request: Request) -> "Received":
        """For a request over what nodes have folded."""
        assert request.tree is not None
        return cls(request.tree.shape.payload.schema)

    def frames(self, request: Request) -> DataFrame:
        """The frames of a request, and how many rows each stands for."""
        assert request.tree is not None
        hidden = quoted(request.tree.hidden)
        return request.source.select(
            hidden.getField("rows").alias("rows"), hidden.getField("states").alias("states")
        )

    def rows(self, frames: pa.RecordBatch) -> int:
        """How many rows were folded."""
        return int(pc.sum(frames["rows"]).as_py() or 0)

    def states(self, frames: pa.RecordBatch, wanted: pa.Schema) -> Iterator[pa.Table]:
        """The states as an engine has them whose first key is the hash of the others."""
        bodies = frames["states"].drop_null()
        if not len(bodies):
            return
        tables = [table_of(body.as_buffer(), self.schema, _UNBOUNDED) for body in bodies]
        states = pa.concat_tables(tables).combine_chunks()
        keys = key_columns(self.schema)
        hashes = key_hashes(states.select(keys), states.num_rows) & _POSITIVE
        columns = {f"k{place + 1}": states[key] for place, key in enumerate(keys)}
        columns[HASH_KEY] = pa.array(hashes.astype("int32"))
        columns |= {name: states[name] for name in states.schema.names if name not in keys}
        yield pa.table({name: columns[name] for name in wanted.names}).cast(wanted)
