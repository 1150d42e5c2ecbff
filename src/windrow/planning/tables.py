"""Tables in files: CSV, Parquet or JSON lines, told apart by their names."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from windrow.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["read_table", "require_table"]

_LARGEST_BLOCK = 1 << 30


def read_table(path: Path) -> "pa.Table":
    """All rows of a file; a folder is one of Parquet, as Spark writes them."""
    import pyarrow as pa

    reads = _reader(path)
    try:
        return reads(path)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        said = str(error).partition("\n")[0]
        raise InputError(f"{path} is not readable as its name says: {said}") from None


def require_table(path: Path) -> None:
    """Refuse what is no table, by its name, before anything is computed."""
    _reader(path)


def _reader(path: Path) -> "Callable[[Path], pa.Table]":
    if not path.exists():
        raise InputError(f"{path}: there is no such file; give one of CSV, Parquet or JSON lines")
    if path.is_dir():
        return _parquet
    endings = [ending.casefold() for ending in path.suffixes]
    if endings and endings[-1] in {".gz", ".bz2", ".zst"}:
        endings.pop()
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


def _parquet(path: Path) -> "pa.Table":
    from pyarrow import parquet

    return parquet.read_table(path)


def _csv(path: Path) -> "pa.Table":
    from pyarrow import csv

    is_tabbed = ".tsv" in (ending.casefold() for ending in path.suffixes)
    return csv.read_csv(
        path,
        read_options=csv.ReadOptions(block_size=_whole(path)),
        parse_options=csv.ParseOptions(delimiter="\t" if is_tabbed else ","),
    )


def _json(path: Path) -> "pa.Table":
    from pyarrow import json

    return json.read_json(path, read_options=json.ReadOptions(block_size=_whole(path)))


def _whole(path: Path) -> int:
    """Types are told by the first block: all of the file, or 2.5 would surprise after 2."""
    return min(max(path.stat().st_size, 1 << 20), _LARGEST_BLOCK)
