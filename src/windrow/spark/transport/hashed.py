"""The hash of the key as an extra key column, so that every table of an engine has its key group.

Spark computes the hash, except for a key that is a single integer, or no key: every column that is
sent to Python costs time, and a multiplication costs almost none.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from windrow.columnar.keyed import key_columns, numbers
from windrow.engines.definition import Definition
from windrow.spark.analysis.columns import quoted
from windrow.spark.transport.packing import hash_of

__all__ = [
    "HASH_KEY",
    "as_slices",
    "hashed",
    "hashed_rows",
    "hashed_slices",
    "hashes",
    "is_hashed_here",
    "made_here",
    "with_hash",
    "without_hash",
]

HASH_KEY = "k0"
# The golden ratio of 2^64: its multiples by consecutive numbers, as keys often are, are spread more
# evenly than random hashes.  Of 100 keys, one of two tasks gets 51 and not 60.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_ROWS = "rows"


def is_hashed_here(schema: pa.Schema, keys: Sequence[str]) -> bool:
    """Whether Python computes the hashes of these keys."""
    return not keys or (len(keys) == 1 and pa.types.is_integer(schema.field(keys[0]).type))


def hashes(table: pa.Table, keys: Sequence[str]) -> NDArray[np.int32]:
    """A number below 2^31 for each key; not the same as Spark's `hash_of`."""
    if not keys:
        return np.zeros(table.num_rows, np.int32)
    column = table[keys[0]]
    whole = column.fill_null(0) if column.null_count else column  # it would copy the others too
    own = numbers(whole).astype(np.int64, copy=False).view(np.uint64)
    own = own ^ (own >> np.uint64(32))  # numbers may differ in their upper half alone
    return (own * _GOLDEN >> np.uint64(33)).astype(np.int32)


def hashed(definition: Definition) -> Definition:
    """The definition with the hash as its first key."""
    names = _further(definition)
    fields = [pa.field(HASH_KEY, pa.int32(), nullable=False)]
    fields += [field.with_name(names.get(field.name, field.name)) for field in definition.schema]
    return replace(definition, schema=pa.schema(fields))


def hashed_rows(rows: DataFrame, definition: Definition) -> DataFrame:
    """Rows with their keys as the hashed definition has them; see `with_hash`."""
    keys = _keys(definition)
    rest = [F.col(name) for name in rows.columns if name not in definition.keys]
    return rows.select(*(column.alias(name) for name, column in keys.items()), *rest)


def made_here(schema: pa.Schema) -> set[str]:
    """The hash column, if Python can recompute it from the keys of this hashed schema."""
    return {HASH_KEY} if is_hashed_here(schema, _own_keys(schema)) else set()


def with_hash(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Rows in Python, in the schema of a hashed definition."""
    if HASH_KEY not in table.schema.names:
        table = table.append_column(HASH_KEY, pa.array(hashes(table, _own_keys(schema))))
    return table.select(schema.names).cast(schema)


def hashed_slices(partials: DataFrame, definition: Definition, schema: pa.Schema) -> DataFrame:
    """Slices with their keys as the hashed definition has them, the columns called by number.

    Spark cannot send a column with a dot in its name, as states have, to Python: see `as_slices`.
    """
    keys = _keys(definition)
    left = {HASH_KEY, _ROWS} - keys.keys()
    given = [name for name in schema.names if name not in left]
    columns = {_called(name, schema): keys.get(name, quoted(name)) for name in given}
    return partials.select(*(column.alias(name) for name, column in columns.items()))


def as_slices(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Slices in Python, with their proper column names.

    Spark does not count their rows: only streams need the number, and there Python folds rows.
    """
    called = {_called(name, schema): name for name in schema.names}
    own = table.select([name for name in table.schema.names if name in called])
    own = own.rename_columns([called[name] for name in own.schema.names])
    return with_hash(own.append_column(_ROWS, pa.array(np.ones(len(own), np.int64))), schema)


def _called(name: str, schema: pa.Schema) -> str:
    """What a column of slices is called on its way to Python."""
    return f"s{schema.get_field_index(name)}"


def without_hash(definition: Definition, results: pa.Schema) -> list[Column]:
    """The columns of results with the keys called as they were."""
    names = {new: old for old, new in _further(definition).items()}
    return [quoted(name).alias(names.get(name, name)) for name in results.names]


def _keys(definition: Definition) -> dict[str, Column]:
    """What to select for the keys of a hashed definition, as far as Spark computes them."""
    keys = {new: F.col(old) for old, new in _further(definition).items()}
    if is_hashed_here(definition.schema, definition.keys):
        return keys
    return {HASH_KEY: hash_of(definition.keys), **keys}


def _own_keys(schema: pa.Schema) -> list[str]:
    """The keys of a hashed schema without their hash."""
    return [name for name in key_columns(schema) if name != HASH_KEY]


def _further(definition: Definition) -> dict[str, str]:
    """What each key is called behind the hash."""
    return {key: f"k{place + 1}" for place, key in enumerate(definition.keys)}
