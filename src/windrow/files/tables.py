"""Tables in files: CSV, Parquet or JSON lines, recognised by the ending of the name.

Files come from anywhere, so nothing in them is trusted: whatever cannot be read is an `InputError`
that names the file.
"""

import stat
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windrow.errors import InputError
from windrow.files.json_lines import read_json_lines
from windrow.files.unpacking import PACKED, require_growth, unpacked

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["read_table", "require_single", "require_table", "timestamps"]

_LARGEST_BLOCK = 1 << 30
_VALUE_BYTES = 8


def read_table(path: Path) -> "pa.Table":
    """All rows of a file; a folder is one of Parquet, as Spark writes them."""
    import pyarrow as pa

    reads = _reader(path)
    try:
        table = reads(path)
        table.column_names  # noqa: B018 - names that are not UTF-8 show here
    except UnicodeDecodeError:
        raise InputError(
            f"{path}: the names of its columns are not UTF-8; convert the file, e.g. with "
            "iconv -f LATIN1 -t UTF-8"
        ) from None
    except RecursionError:
        raise InputError(f"{path} is nested too deeply; give rows of plain values") from None
    except MemoryError:
        raise InputError(f"{path} does not fit into memory; give a smaller part of it") from None
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        said = str(error).partition("\n")[0]
        raise InputError(
            f"{path} cannot be read: {said}; check that it is what its name says"
        ) from None
    return table


def require_table(path: Path) -> None:
    """Refuse what is no table, by its name, before anything is computed."""
    _reader(path)


def require_single(table: "pa.Table", name: str, path: Path | str) -> None:
    """Refuse a column that the table has twice."""
    if table.column_names.count(name) > 1:
        raise InputError(f"{path} has several columns called {name}; leave all but one out")


def timestamps(column: Any, name: str) -> Any:
    """A column of text as timestamps, with the time zone if the texts name one."""
    import pyarrow as pa

    for zone in ("UTC", None):
        try:
            return column.cast(pa.timestamp("us", tz=zone))
        except pa.ArrowInvalid:
            continue
    raise InputError(
        f"{name} is text that is no timestamps; give them like 2024-02-29T12:00:00Z, or as numbers"
    )


def _reader(path: Path) -> "Callable[[Path], pa.Table]":
    mode = _mode(path)
    if stat.S_ISDIR(mode):
        return _parquet_folder
    if not stat.S_ISREG(mode):
        raise InputError(
            f"{path} is a pipe or a device, not a file; write its rows to a .csv or .jsonl file"
        )
    endings = _endings(path)
    match endings[-1:]:
        case [".parquet" | ".pq"]:
            return _parquet
        case [".csv" | ".tsv"]:
            return _csv
        case [".json" | ".jsonl" | ".ndjson"]:
            return _json
    raise InputError(
        f"{path}: its name does not tell what it is; give a file that ends with .csv, .tsv, "
        ".parquet or .jsonl"
    )


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):  # no file can be called so
        raise InputError(
            f"{path}: there is no such file; give one of CSV, Parquet or JSON lines"
        ) from None
    except OSError as error:
        raise InputError(
            f"{path}: {error.strerror}; give a file of CSV, Parquet or JSON lines"
        ) from None


def _endings(path: Path) -> list[str]:
    endings = [ending.casefold() for ending in path.suffixes]
    return endings[:-1] if endings and endings[-1] in PACKED else endings


def _parquet_folder(path: Path) -> "pa.Table":
    """Looks for parts first: the wrong folder may hold a whole disk."""
    parts = [*path.glob("*.parquet"), *path.glob("*=*")]
    if not parts:
        raise InputError(
            f"{path} is a folder without Parquet files; give a file, or a folder of them"
        )
    return _parquet(path)


def _parquet(path: Path) -> "pa.Table":
    from pyarrow import parquet

    if path.is_file():
        about = parquet.read_metadata(path)
        require_growth(path, about.num_rows * about.num_columns * _VALUE_BYTES)
    return parquet.read_table(path)


def _csv(path: Path) -> "pa.Table":
    from pyarrow import csv

    is_tabbed = ".tsv" in (ending.casefold() for ending in path.suffixes)
    with unpacked(path) as stream:
        return csv.read_csv(
            stream,
            read_options=csv.ReadOptions(block_size=_whole(path)),
            parse_options=csv.ParseOptions(delimiter="\t" if is_tabbed else ","),
        )


def _json(path: Path) -> "pa.Table":
    with unpacked(path) as stream:
        return read_json_lines(stream, path)


def _whole(path: Path) -> int:
    """Arrow infers types from the first block, so it is the whole file: 2.5 may follow 2."""
    return min(max(path.stat().st_size, 1 << 20), _LARGEST_BLOCK)
