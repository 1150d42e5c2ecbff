"""The hash of the key as a key itself: then whatever an engine keeps or gives tells its lane."""

from dataclasses import replace

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from windrow.slicing.definition import Definition
from windrow.spark.columns import quoted
from windrow.spark.packing import hash_of

__all__ = ["HASH_KEY", "as_slices", "hashed", "hashed_rows", "hashed_slices", "without_hash"]

HASH_KEY = "k0"


def hashed(definition: Definition) -> tuple[Definition, dict[str, Column]]:
    """The definition with its keys one place further; and what to select for all its keys."""
    names = {key: f"k{place + 1}" for place, key in enumerate(definition.keys)}
    fields = [pa.field(HASH_KEY, pa.int32(), nullable=False)]
    fields += [field.with_name(names.get(field.name, field.name)) for field in definition.schema]
    selected = {HASH_KEY: hash_of(definition.keys)}
    selected |= {new: F.col(old) for old, new in names.items()}
    return replace(definition, schema=pa.schema(fields)), selected


def hashed_rows(rows: DataFrame, definition: Definition) -> DataFrame:
    """Rows with their keys as the hashed definition has them."""
    _, keys = hashed(definition)
    rest = [F.col(name) for name in rows.columns if name not in definition.keys]
    return rows.select(*(column.alias(name) for name, column in keys.items()), *rest)


def hashed_slices(partials: DataFrame, definition: Definition, schema: pa.Schema) -> DataFrame:
    """Slices with their keys as the hashed definition has them, the columns called by number.

    Spark cannot hand a column with a dot in its name, as states have, to Python: see `as_slices`.
    """
    _, keys = hashed(definition)
    columns = (keys.get(name, quoted(name)) for name in schema.names)
    return partials.select(*(column.alias(f"s{k}") for k, column in enumerate(columns)))


def as_slices(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Slices in Python, their columns called as they should be."""
    own = table.select([f"s{k}" for k in range(len(schema))])
    return own.rename_columns(schema.names).cast(schema)


def without_hash(definition: Definition, results: pa.Schema) -> list[Column]:
    """The columns of results with the keys called as they were."""
    names = {f"k{place + 1}": key for place, key in enumerate(definition.keys)}
    return [quoted(name).alias(names.get(name, name)) for name in results.names]
