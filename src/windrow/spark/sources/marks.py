"""How columns say that they come from a tree of nodes: by metadata, which Spark passes on."""

from collections.abc import Mapping

from pyspark.sql import DataFrame

__all__ = ["MARK", "hidden_of"]

#: In the metadata of a column: of which query of a tree it is; of the hidden one, all about that.
MARK = "windrow/tree"


def hidden_of(df: DataFrame) -> str | None:
    """The hidden column of a DataFrame that comes from a tree; None if it has none."""
    marks = ((field.name, field.metadata.get(MARK)) for field in df.schema.fields)
    return next((name for name, mark in marks if isinstance(mark, Mapping)), None)
