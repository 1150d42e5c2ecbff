"""Tables from files of anyone: read as they are meant, or refused with the file and the line."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.errors import InputError
from windrow.files.tables import read_table

VALUES = st.one_of(
    st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), min_size=3, max_size=3),
    st.lists(st.none() | st.floats(allow_nan=False), min_size=3, max_size=3),
    st.lists(st.none() | st.text(), min_size=3, max_size=3),
    st.lists(st.none() | st.booleans(), min_size=3, max_size=3),
)


def written(folder: Path, data: bytes, name: str = "rows.jsonl") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@given(columns=st.dictionaries(st.sampled_from("abc"), VALUES, min_size=1))
def test_json_lines_give_the_values_that_were_written(
    columns: dict[str, list[Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = [{name: values[row] for name, values in columns.items()} for row in range(3)]
    lines = "\n".join(map(json.dumps, rows)).encode()
    found = read_table(written(tmp_path_factory.mktemp("rows"), lines)).to_pydict()
    assert found == columns


def test_types_are_those_of_all_rows_however_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("windrow.files.json_lines._AT_ONCE", 2)
    lines = b'{"a": 1}\n{"a": 2, "b": null}\n\n{"a": 2.5}\n{"b": "x", "c": [1, {"d": 2}]}\n'
    found = read_table(written(tmp_path, lines))
    assert found.to_pydict() == {
        "a": [1.0, 2.0, 2.5, None],
        "b": [None, None, None, "x"],
        "c": [None, None, None, '[1, {"d": 2}]'],
    }


def test_numbers_beyond_64_bits_become_floats(tmp_path: Path) -> None:
    found = read_table(written(tmp_path, b'{"a": 1}\n{"a": %d}\n{"a": -%d}\n' % (2**70, 10**400)))
    assert found["a"].to_pylist() == [1.0, 2.0**70, float("-inf")]


DEEP = b"[" * 100_000


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"null\n", r"rows\.jsonl:1: null is no row; write an object in each line"),
        (b'{"a": 1}\n\nnull\n', r"rows\.jsonl:3: null is no row; "),
        (b'[{"a": 1}]\n', r"rows\.jsonl:1: a list is no row; "),
        (b'{"a": 1}\n{"a": \n', r"rows\.jsonl:2: Expecting value.*; write"),
        (b'{"a": %s}\n' % DEEP, r"rows\.jsonl:1: nested too deeply; "),
        (b'{"a": ' * 5_000, r"rows\.jsonl:1: (nested too deeply|Expecting value)"),
        (b'{"a": 1, "a": 2}\n', r"rows\.jsonl:1: the key 'a' is there twice; "),
        (b'{"a": 1}\n{"a": "x"}\n', r"rows\.jsonl:2: 'a' is text here and a number before; "),
        (b'{"a": 1}\n{"a": true}\n', r"rows\.jsonl:2: 'a' is true or false here and a number"),
        (b'{"a": "\xe9"}\n', r"rows\.jsonl:1: not UTF-8; convert the file"),
        ('{"a": 1}\n'.encode("utf-16"), r"rows\.jsonl is UTF-16; convert it, e\.g\. with iconv"),
        (b'{"a": "\\ud800"}\n', r"'a' has half a character \(a lone surrogate\); leave such"),
        (b'{"a": %s}\n' % (b"9" * 5000), r"rows\.jsonl:1: Exceeds the limit .*; write"),
        (b"{%s}" % b", ".join(b'"%d": 1' % n for n in range(1001)), "more than 1,000 different"),
        (b"\n \n", r"rows\.jsonl has no rows; write"),
        (b"", r"rows\.jsonl has no rows; write"),
    ],
    ids=str,
)
def test_lines_that_are_no_rows_are_refused(tmp_path: Path, data: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_table(written(tmp_path, data))


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("rows.csv", "a,b\n1,2\n".encode("utf-16"), "is UTF-16; convert it"),
        ("rows.csv", "é,b\n1,2\n".encode("latin-1"), "names of its columns are not UTF-8; convert"),
        ("rows.csv", b"a,b\n1\n", "cannot be read: CSV parse error: Expected 2 columns, got 1"),
        ("rows.csv", b"", "cannot be read: Empty CSV file; check"),
        ("rows.parquet", b"PAR1", "cannot be read: .*; check that it is what its name says"),
        ("rows.csv.gz", b"a,b\n", "cannot be read: .*; check that it is what its name says"),
        ("rows.txt", b"a,b\n", "its name does not tell what it is; give a file that ends with"),
    ],
)
def test_files_that_are_no_tables_are_refused(
    tmp_path: Path, name: str, data: bytes, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        read_table(written(tmp_path, data, name))


def test_pipes_folders_and_odd_names_are_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(InputError, match=r"pipe\.csv is a pipe or a device, not a file; write its"):
        read_table(tmp_path / "pipe.csv")
    with pytest.raises(InputError, match="is a folder without Parquet files; give a file"):
        read_table(tmp_path)
    for name in ("none.csv", "a\0.csv", "\ud800.csv", "pipe.csv/x.csv"):
        with pytest.raises(InputError, match="there is no such file; give one of CSV"):
            read_table(tmp_path / name)
    with pytest.raises(InputError, match="File name too long; give a file"):
        read_table(tmp_path / f"{'x' * 300}.csv")


def test_a_small_file_that_grows_without_bound_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("windrow.files.unpacking._HARMLESS_BYTES", 1 << 20)
    lines = gzip.compress(b'{"a": 1}\n' * 500_000)
    for name, data in (
        ("rows.jsonl.gz", lines),
        ("rows.csv.gz", gzip.compress(b"a\n" + b"1\n" * 3_000_000)),
    ):
        with pytest.raises(InputError, match=r"bytes and unpacks to .* or more; give a file that"):
            read_table(written(tmp_path, data, name))
    pa.parquet.write_table(pa.table({"a": pa.repeat(1, 3_000_000)}), tmp_path / "rows.parquet")
    with pytest.raises(InputError, match="and unpacks to 24,000,000 or more"):
        read_table(tmp_path / "rows.parquet")


def test_packed_rows_are_read(tmp_path: Path) -> None:
    path = written(tmp_path, gzip.compress(b'\xef\xbb\xbf{"a": 1}\n'), "rows.jsonl.gz")
    assert read_table(path).to_pydict() == {"a": [1]}
