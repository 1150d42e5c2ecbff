"""The sample: columns of a CSV, Parquet or JSON-lines file, as series of updates."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from windrow.errors import InputError
from windrow.files.tables import read_table, require_single, timestamps
from windrow.jobs.problems import did_you_mean

if TYPE_CHECKING:
    import pyarrow as pa

    from windrow.approximate.tuning.trial import Series

__all__ = ["MOST_KEYS", "Sample", "read_sample"]

MOST_KEYS = 20


@dataclass(frozen=True)
class Sample:
    """Rows by key, the longest first; of many keys some."""

    path: Path
    rows: int
    keys: int
    series: "list[Series]"


def read_sample(path: Path, column: str | None, time: str | None, by: Sequence[str]) -> Sample:
    """The rows of a file, each key's in order of time, or as they stand if there is none."""
    table = read_table(path)
    if not table.num_rows:
        raise InputError(f"{path} has no rows; give a sample with some windows' worth of them")
    if column is None:  # rows that are only counted are all alike
        values = np.zeros(table.num_rows)
    else:
        values = _numbers(_column(table, column, "--column", path), f"--column {column}", table)
    times = None if time is None else _times(_column(table, time, "--time", path), time)
    codes = np.zeros(table.num_rows, np.int64)
    for name in by:
        codes = _finer(codes, _column(table, name, "--by", path), name)
    return _by_key(path, values, times, codes)


def _by_key(
    path: Path, values: Any, times: NDArray[np.int64] | None, codes: NDArray[np.int64]
) -> Sample:
    from windrow.approximate.tuning.trial import Series

    order = np.lexsort((codes,) if times is None else (times, codes))  # stable
    borders = np.flatnonzero(np.diff(codes[order], prepend=-1))
    keys = sorted(np.split(order, borders[1:]), key=len, reverse=True)
    series = [
        Series(values[rows], None if times is None else times[rows]) for rows in keys[:MOST_KEYS]
    ]
    return Sample(path, len(codes), len(keys), series)


def _column(table: "pa.Table", name: str, option: str, path: Path) -> "pa.Array":
    if name not in table.column_names:
        known = did_you_mean(name, table.column_names).strip("()")
        raise InputError(f"{option} {name}: {path} has no such column; {known}")
    require_single(table, name, path)
    return table[name].combine_chunks()


def _numbers(column: "pa.Array", option: str, table: "pa.Table") -> Any:
    """float64 or int64, masked where null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    whole = pa.types.is_integer(kind)
    if not (whole or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        raise InputError(
            f"{option} is {kind}, not numbers; give a column of numbers, one of "
            f"{_numeric_names(table) or 'which the sample has none'}"
        )
    if column.null_count == len(column):
        raise InputError(f"{option} has nothing but nulls; give a column with numbers")
    try:
        cast = column.cast(pa.int64() if whole else pa.float64())
    except pa.ArrowInvalid:  # an unsigned number beyond 2⁶³
        cast = column.cast(pa.float64(), safe=False)
    numbers = pc.fill_null(cast, 0).to_numpy(zero_copy_only=False)
    if not column.null_count:
        return numbers
    return np.ma.masked_array(numbers, pc.is_null(column).to_numpy(zero_copy_only=False))


def _numeric_names(table: "pa.Table") -> str:
    import pyarrow as pa

    kinds = pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal
    return ", ".join(f.name for f in table.schema if any(kind(f.type) for kind in kinds))


def _times(column: "pa.Array", name: str) -> NDArray[np.int64]:
    import pyarrow as pa

    from windrow.columnar.times import read_times

    try:
        if pa.types.is_string(column.type):
            column = timestamps(column, name)
        return read_times(column).microseconds
    except InputError as error:
        raise InputError(f"--time {name}: {error}") from None


def _finer(codes: NDArray[np.int64], column: "pa.Array", name: str) -> NDArray[np.int64]:
    """Codes of keys, refined by one more column; null is a key too."""
    import pyarrow as pa

    try:
        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode(null_encoding="encode")
    except pa.ArrowException:
        raise InputError(
            f"--by {name} is {column.type}, which is no key; give a column of texts or numbers"
        ) from None
    own = column.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64) + 1
    _, found = np.unique(codes * (own.max() + 1) + own, return_inverse=True)
    return found.astype(np.int64)
