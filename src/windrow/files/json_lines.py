"""JSON lines as a table, read by Python's own parser.

Arrow's reader ends the process on a file of nothing but `null` and on lists nested a hundred
thousand deep, and is busy for hours with some thousand. Python's parser refuses both.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from windrow.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["read_json_lines"]

_AT_ONCE = 1 << 16  # rows that are Python objects at a time
_LONGEST = 1 << 26  # bytes of a line
_MOST_NAMES = 1_000
_WAY_OUT = 'write an object in each line, such as {"ts": 1.5, "temp": 20.1}'
_NUMBER, _TEXT, _TRUTH = "a number", "text", "true or false"
# Nested values are kept as text, which still works as a key.
_KINDS = {bool: _TRUTH, int: _NUMBER, float: _NUMBER, str: _TEXT, dict: _TEXT, list: _TEXT}
_NOTHING = type(None)


class _Row(NamedTuple):
    line: int
    values: Mapping[str, Any]


def read_json_lines(stream: BinaryIO, path: Path) -> "pa.Table":
    """A row for each line that holds an object; empty lines are left out."""
    import pyarrow as pa

    rows, kinds, tables = _rows(stream, path), dict[str, str](), []
    while some := list(islice(rows, _AT_ONCE)):
        names = _names(some, path)
        tables.append(pa.table({name: _column(name, some, kinds, path) for name in names}))
    if not tables:
        raise InputError(f"{path} has no rows; {_WAY_OUT}")
    return pa.concat_tables(tables, promote_options="permissive")


def _rows(stream: BinaryIO, path: Path) -> Iterator[_Row]:
    number = 0
    while line := stream.readline(_LONGEST):
        number += 1
        if len(line) == _LONGEST:
            raise InputError(f"{path}:{number}: a line of more than {_LONGEST:,} bytes; {_WAY_OUT}")
        line = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        if line.strip():
            yield _Row(number, _parsed(line, f"{path}:{number}"))


def _parsed(line: bytes, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line.decode(), object_pairs_hook=_object)
    except RecursionError:
        raise InputError(f"{where}: nested too deeply; {_WAY_OUT}") from None
    except UnicodeDecodeError:
        raise InputError(
            f"{where}: not UTF-8; convert the file, e.g. with iconv -f LATIN1 -t UTF-8"
        ) from None
    except ValueError as error:  # no JSON, a key twice, or a number of thousands of digits
        raise InputError(f"{where}: {error}; {_WAY_OUT}") from None
    if not isinstance(row, dict):
        found = "null" if row is None else "a list" if type(row) is list else _KINDS[type(row)]
        raise InputError(f"{where}: {found} is no row; {_WAY_OUT}")
    return row


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"the key {twice!r} is there twice")
    return found


def _names(rows: Sequence[_Row], path: Path) -> Mapping[str, None]:
    names = dict[str, None]()
    for row in rows:
        names.update(dict.fromkeys(row.values))
        if len(names) > _MOST_NAMES:  # each has a value, or null, in every row
            raise InputError(
                f"{path}:{row.line}: more than {_MOST_NAMES:,} different keys; leave out those "
                "that are not needed"
            )
    return names


def _column(name: str, rows: Sequence[_Row], kinds: dict[str, str], path: Path) -> "pa.Array":
    """The values of one name, which are of one kind in the whole file."""
    import pyarrow as pa

    values = [row.values.get(name) for row in rows]
    types = set(map(type, values)) - {_NOTHING}
    if not types:
        return pa.nulls(len(values))
    kind = kinds.setdefault(name, _KINDS[next(type(v) for v in values if v is not None)])
    if any(_KINDS[one] != kind for one in types):
        _refuse_mixture(name, rows, kind, path)
    try:
        if kind == _TEXT:
            return pa.array(map(_text, values), pa.string(), size=len(values))
        if kind == _NUMBER and types != {int}:
            return pa.array(map(_float, values), pa.float64(), size=len(values))
        return pa.array(values)
    except UnicodeEncodeError:
        raise InputError(
            f"{path}: {name!r} has half a character (a lone surrogate); leave such rows out"
        ) from None
    except OverflowError:  # beyond 64 bits
        return pa.array(map(_float, values), pa.float64(), size=len(values))


def _text(value: Any) -> str | None:
    return value if value is None or type(value) is str else json.dumps(value)


def _float(value: Any) -> float | None:
    try:
        return None if value is None else float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _refuse_mixture(name: str, rows: Sequence[_Row], kind: str, path: Path) -> None:
    for row in rows:
        value = row.values.get(name)
        if value is not None and _KINDS[type(value)] != kind:
            raise InputError(
                f"{path}:{row.line}: {name!r} is {_KINDS[type(value)]} here and {kind} before; "
                "give one kind of values, or null"
            )
