"""State that somebody else has written: it runs nothing and crashes nothing."""

import os
import pickle
import struct
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import windrow as wr
from tests.paged.faulty import FaultyStore
from tests.spark.tampering import Stream, states
from windrow import agg, window
from windrow.columnar.compression import compress, decompress
from windrow.columnar.packs import open_bundle, pack, pack_bundle, unpack
from windrow.errors import DamagedPageError, SnapshotError
from windrow.paged import PagedAmta
from windrow.paged.page import mark_of, open_page, page_of
from windrow.spark.state.about import About
from windrow.windows import Window


class Planted:
    """A pickle whose reading makes a folder."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self._path),)


@pytest.fixture
def planted(tmp_path: Path) -> bytes:
    return pickle.dumps(Planted(tmp_path / "made"))


def longest() -> Any:
    return wr.monoid(
        lift=lambda value: (str(value),),
        combine=lambda older, newer: max(older, newer, key=lambda state: len(state[0])),
        lower=lambda state: state[0],
        identity=("",),
        returns="string",
        name="longest",
    )


def _with_states(tables: dict[str, pa.Table], content: bytes) -> dict[str, pa.Table]:
    return {name: states(table, content) for name, table in tables.items()}


@pytest.mark.parametrize(
    "over",
    [window.session("1 min"), window.hopping("1 h", every="20 min"), window.tumbling("1 h")],
    ids=repr,
)
@pytest.mark.parametrize("kept", [agg.collect("v0"), agg.distinct("v0"), agg.of(longest(), "v0")])
def test_a_pickle_in_a_checkpoint_is_not_read(
    over: Window, kept: Any, planted: bytes, tmp_path: Path
) -> None:
    stream = Stream(over, {"a": kept})
    stream.begin()
    stream.tamper(partial(_with_states, content=planted))
    with pytest.raises(SnapshotError, match="is damaged"):
        stream.go_on()
    assert not (tmp_path / "made").exists()


def test_a_pickle_in_a_window_of_buckets_is_not_read(planted: bytes, tmp_path: Path) -> None:
    kept = agg.max("v0").within()
    stream = Stream(window.trailing("1 h"), {"a": kept}, methods=((wr.approximate.Footprint(9),),))
    stream.begin()
    for form in (b"", b"python\0\0", b"compiled"):
        content = form + planted
        stream.tamper(partial(_with_states, content=content))
        with pytest.raises(SnapshotError, match="is damaged"):
            stream.go_on()
    assert not (tmp_path / "made").exists()


def test_a_pickle_in_a_store_is_not_read(planted: bytes, tmp_path: Path) -> None:
    store = FaultyStore()

    def opened() -> PagedAmta:
        return PagedAmta(agg.collect(), store, "w", page=8, dtypes=(object,))

    with opened() as held:
        held.extend(range(100))
    mark, values = mark_of("w", "collect(), pages of 8"), store.values["w"]
    for key in [key for key in values if key.space[1:].isdigit()]:
        place = int(key.space[1:]), key.number
        assert open_page(values[key], mark, *place, "w")
        values[key] = page_of(mark, *place, planted)
    with pytest.raises(DamagedPageError, match=r"page .* is damaged"):
        opened()
    assert not (tmp_path / "made").exists()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_damaged_state_of_every_engine_ends_in_an_answer_or_an_error(seed: int) -> None:
    command = [sys.executable, "-m", "tests.spark.tampering", "3000", str(seed)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stderr}"
    told = [line for line in done.stdout.splitlines() if "failed" in line]
    assert not told


def test_offsets_outside_of_a_column_are_refused() -> None:
    table = pa.table({"k": ["wind", "row"] * 9})
    content = bytearray(pack(table))
    at = content.rindex(struct.pack("<III", 0, 4, 7))
    content[at : at + 12] = struct.pack("<III", 0, 1 << 30, 1 << 30)
    with pytest.raises(SnapshotError, match="are damaged"):
        unpack(bytes(content), table.schema)


@pytest.mark.parametrize("method", ["lz4", "zstd"])
def test_compressed_columns_are_refused_before_they_are_made(method: str) -> None:
    table = pa.table({"k": [0.0] * 10_000})
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=method)
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    messages = list(pa.ipc.MessageReader.open_stream(sink.getvalue()))
    pack = messages[1].serialize().to_pybytes()
    assert pa.ipc.read_record_batch(pa.py_buffer(pack), table.schema).num_rows == 10_000
    with pytest.raises(SnapshotError, match="are compressed"):
        unpack(pack, table.schema)


@pytest.mark.parametrize("length", [1 << 62, -(1 << 62), 10**9, -(10**9)])
def test_a_length_that_lz4_cannot_reach_is_refused(length: int) -> None:
    content = compress(bytes(100_000))
    with pytest.raises(SnapshotError, match="were never"):
        decompress(struct.pack("<q", length) + content[8:])


@pytest.mark.parametrize("lengths", [(-8,), (1 << 62,), (0,)])
def test_a_crate_whose_lengths_do_not_add_up_is_refused(lengths: tuple[int]) -> None:
    table = pa.table({"k": [1, 2, 3]})
    content = bytearray(pack_bundle({"a": table}))
    content[8:16] = struct.pack("<q", *lengths)
    with pytest.raises(SnapshotError, match="it is damaged"):
        open_bundle(bytes(content), {"a": table.schema})


@pytest.mark.parametrize(
    "content", [b"", b"[" * 100_000, b"{}", b"3", b'{"format": "windrow state 3"}', b"\xff"]
)
def test_what_state_says_of_itself_may_be_anything(content: bytes) -> None:
    with pytest.raises(SnapshotError, match="is damaged"):
        About.read(content)
