"""Tables as bodies of messages: they come back, and hostile ones are refused at no great cost."""

import random
import struct
import tracemalloc
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from windrow.columnar.compression import compress
from windrow.columnar.narrowed import narrowed
from windrow.columnar.packs import pack
from windrow.errors import MessageError
from windrow.wire.tables import table_bytes, table_of

SCHEMA = pa.schema(
    [
        pa.field("t", pa.int64(), nullable=False),
        pa.field("n", pa.int64(), nullable=False),
        ("k", pa.string()),
        ("v", pa.float64()),
        ("several", pa.list_(pa.struct([("a", pa.int64()), ("b", pa.string())]))),
        ("at", pa.timestamp("us", tz="UTC")),
    ]
)
_rows = st.fixed_dictionaries(
    {
        "t": st.integers(-(2**63), 2**63 - 1) | st.integers(0, 9),
        "n": st.integers(0, 9),
        "k": st.none() | st.text(max_size=3),
        "v": st.none() | st.floats(allow_nan=False),
        "several": st.none()
        | st.lists(
            st.none() | st.fixed_dictionaries({"a": st.integers(0, 9), "b": st.none()}), max_size=2
        ),
        "at": st.none() | st.datetimes(datetime(1900, 1, 1), timezones=st.just(UTC)),
    }
)


def _table(count: int) -> pa.Table:
    start = datetime(2024, 7, 1, tzinfo=UTC)
    rows: list[dict[str, Any]] = [
        {
            "t": 1_000 * row,
            "n": row,
            "k": f"key {row % 7}",
            "v": row / 8,
            "several": [{"a": row, "b": "x"}] * (row % 3),
            "at": start + timedelta(seconds=row),
        }
        for row in range(count)
    ]
    return pa.Table.from_pylist(rows, SCHEMA)


def _read_or_refused(body: bytes) -> pa.Table | None:
    """A valid table, or none if there was a MessageError; anything else fails the test."""
    try:
        table = table_of(body, SCHEMA)
    except MessageError:
        return None
    assert table.schema == SCHEMA
    table.validate(full=True)
    return table


@examples(100)
@given(st.lists(_rows, max_size=20))
def test_a_table_comes_back_as_it_was(rows: list[dict[str, Any]]) -> None:
    table = pa.Table.from_pylist(rows, SCHEMA)
    assert table_of(table_bytes(table), SCHEMA).equals(table)


@pytest.mark.parametrize("count", [3, 200])  # as it is, and compressed
def test_every_truncation_of_a_body_is_refused(count: int) -> None:
    body = table_bytes(_table(count))
    for length in range(1, len(body)):
        assert _read_or_refused(body[:length]) is None


@pytest.mark.parametrize("count", [3, 200])
def test_every_change_of_a_byte_gives_a_valid_table_or_an_error(count: int) -> None:
    body = table_bytes(_table(count))
    chance = random.Random(count)
    for place in range(len(body)):
        changed = bytearray(body)
        changed[place] ^= 1 << chance.randrange(8)
        _read_or_refused(bytes(changed))


@examples(300)
@given(st.binary(max_size=200), st.booleans(), st.integers(0, 80), st.integers(0, 200))
def test_any_bytes_within_a_body_give_a_valid_table_or_an_error(
    inserted: bytes, compressed: bool, place: int, left_out: int
) -> None:
    head, content = narrowed(_table(5)).pack(0, 5)
    whole = head + content.to_pybytes()
    changed = whole[:place] + inserted + whole[place + left_out :]
    _read_or_refused(compress(changed) if compressed else struct.pack("<q", 0) + changed)


@examples(200)
@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1), st.binary(max_size=64))
def test_any_masks_give_a_valid_table_or_an_error(first: int, second: int, rest: bytes) -> None:
    """The head says which columns take no bytes: none but those that may."""
    _read_or_refused(compress(struct.pack("<QQ", first, second) + rest + pack(_table(5))))


@pytest.mark.parametrize("rows", [2**31, 2**40, 2**62])
def test_a_pack_that_counts_more_rows_than_it_has_is_refused(rows: int) -> None:
    """Columns that count up take no bytes, so a number of rows may not come from the pack alone."""
    table = _table(5)
    head, content = narrowed(table).pack(0, 5)
    whole = bytearray(head + content.to_pybytes())
    wanted = struct.pack("<q", 5)
    places = [at for at in range(len(head), len(whole) - 8) if whole[at : at + 8] == wanted]
    assert places
    tracemalloc.start()
    for place in places:
        changed = whole[:place] + struct.pack("<q", rows) + whole[place + 8 :]
        before = pa.total_allocated_bytes()
        assert _read_or_refused(struct.pack("<q", 0) + bytes(changed)) is None
        assert pa.total_allocated_bytes() - before < 1 << 20
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 << 20


@pytest.mark.parametrize("claimed", [2**20, 2**40, 2**62, -(2**62), 2**63 - 1, -(2**63)])
def test_a_body_that_claims_to_become_huge_is_refused_before_memory_is_taken(
    claimed: int,
) -> None:
    body = struct.pack("<q", claimed) + bytes(1_000)
    before = pa.total_allocated_bytes()
    assert _read_or_refused(body) is None
    assert pa.total_allocated_bytes() - before < 1 << 20


def test_a_real_bomb_is_refused_before_memory_is_taken() -> None:
    body = compress(bytes(64 << 20))
    assert len(body) < 1 << 19
    before = pa.total_allocated_bytes()
    with pytest.raises(MessageError, match="claims to hold 67,108,864"):
        table_of(body, SCHEMA, 1 << 20)
    assert pa.total_allocated_bytes() == before


def test_a_pack_whose_columns_are_compressed_is_refused() -> None:
    """Arrow would decompress them to whatever they say."""
    sink = pa.BufferOutputStream()
    batch = _table(500).combine_chunks().to_batches()[0]
    content = batch.serialize()
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_stream(sink, SCHEMA, options=options) as writer:
        writer.write_batch(batch)
    stream = sink.getvalue().to_pybytes()
    start = stream.index(b"\xff\xff\xff\xff", 4)
    packed = struct.pack("<QQ", 0, 0) + stream[start:-8]
    assert len(packed) < content.size
    assert _read_or_refused(compress(packed)) is None
