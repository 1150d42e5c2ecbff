"""Traces in files: which columns they have, and times in whichever form they are."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from windrow.arguments import shown
from windrow.errors import InputError
from windrow.files.tables import read_table, require_single, timestamps
from windrow.topology.checks import require_path
from windrow.topology.trace import Trace

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["read_trace"]

_TIMES = ("time", "ts", "timestamp", "arrival", "t")
_DEVICES = ("device", "source", "sensor", "gateway", "id")
_SIZES = ("bytes", "size", "item_bytes")
_PERIODS = ("period",)

_LATEST_S = 1e11  # seconds since 1970: milliseconds are more


def read_trace(
    path: Path | str,
    *,
    time: str | None = None,
    device: str | None = None,
    size: str | None = None,
    period: str | None = None,
) -> Trace:
    """Read a trace from CSV, Parquet or JSON lines; columns are recognised unless they are named.

    >>> from tempfile import TemporaryDirectory
    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> with TemporaryDirectory() as folder:
    ...     items = pa.table({"time": [0.0, 1.5, 3.0], "device": ["a", "b", "a"]})
    ...     pq.write_table(items, folder + "/items.parquet")
    ...     read_trace(folder + "/items.parquet").seconds
    3.0
    """
    table = read_table(require_path(path, "path"))
    times = _seconds(table, _named(table, time, _TIMES, "time", path))
    devices = _codes(table, _named(table, device, _DEVICES, "device", path))
    order = np.argsort(times, kind="stable")
    sizes = _optional(table, size, _SIZES, "size", path)
    periods = _optional(table, period, _PERIODS, "period", path)
    return Trace(
        times[order] - times[order[:1]],
        devices[order],
        None if sizes is None else _sizes(table, sizes)[order],
        None if periods is None else _codes(table, periods)[order],
    )


def _named(
    table: "pa.Table", name: str | None, usual: Sequence[str], argument: str, path: Path | str
) -> str:
    names = table.column_names
    found = name if name is not None else next((one for one in usual if one in names), None)
    if found is not None and found in names:
        require_single(table, found, path)
        if nulls := table[found].null_count:
            raise InputError(f"{found} is null in {nulls:,} rows of the trace; leave them out")
        return found
    if name is not None:
        raise InputError(
            f"{argument}={shown(name)}: {path} has no such column; it has {', '.join(names)}"
        )
    if not names:
        raise InputError(f"{path} has no column at all; give a table with times and devices")
    raise InputError(
        f"{path} has no column called {' or '.join(usual)}; it has "
        f"{', '.join(names)}: name the one to take, {argument}={names[0]!r}"
    )


def _optional(
    table: "pa.Table", name: str | None, usual: Sequence[str], argument: str, path: Path | str
) -> str | None:
    if name is None and not set(usual) & set(table.column_names):
        return None
    return _named(table, name, usual, argument, path)


def _seconds(table: "pa.Table", name: str) -> NDArray[np.float64]:
    import pyarrow as pa

    column = table[name]
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        numbers = _numbers(column, name)
        if numbers.max(initial=0) > _LATEST_S:
            raise InputError(
                f"{name} goes up to {numbers.max():g}: numbers are taken as seconds, which since "
                "1970 are not that many; give seconds, or timestamps"
            )
        return numbers
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        column = timestamps(column, name)
    from windrow.columnar.times import read_times

    try:
        return read_times(column.combine_chunks()).microseconds / 1e6
    except InputError:
        raise InputError(
            f"{name} is {column.type}, which is not a time; give timestamps, or seconds as numbers"
        ) from None


def _numbers(column: Any, name: str) -> NDArray[np.float64]:
    import pyarrow as pa

    try:
        found: NDArray[np.float64] = column.cast(pa.float64(), safe=False).to_numpy()
    except pa.ArrowException:
        raise InputError(
            f"{name} is {column.type}, not numbers; give a column of numbers"
        ) from None
    if not np.isfinite(found).all():
        raise InputError(f"{name} is not a finite number in every row of the trace; leave them out")
    return found


def _sizes(table: "pa.Table", name: str) -> NDArray[np.float64]:
    found = _numbers(table[name], name)
    if (found < 0).any():
        raise InputError(
            f"{name} goes down to {found.min():g}: items have no less than 0 bytes; leave such "
            "rows out, or name the column of their sizes"
        )
    return found


def _codes(table: "pa.Table", name: str) -> NDArray[np.int64]:
    """Numbers for values, in the order of the values."""
    import pyarrow as pa

    if pa.types.is_nested(table[name].type):
        raise InputError(
            f"{name} is {table[name].type}: what consists of parts is no name; give a column of "
            "texts or numbers"
        )
    _, codes = np.unique(table[name].to_numpy(), return_inverse=True)
    return codes.astype(np.int64)
