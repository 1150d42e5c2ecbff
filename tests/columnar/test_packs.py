"""Packs come back as they were, one by one and as a column."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.columnar import packs
from windrow.columnar.packs import column_of, open_bundle, pack, pack_bundle, packed, unpack
from windrow.errors import InputError, SnapshotError

Rows = list[tuple[int, str | None]]

SCHEMA = pa.schema([("n", pa.int64()), ("text", pa.string())])
ROWS = st.lists(
    st.tuples(st.integers(-(2**40), 2**40), st.none() | st.text(max_size=9)), max_size=40
)


def table(rows: Rows) -> pa.Table:
    return pa.Table.from_pylist([{"n": n, "text": text} for n, text in rows], SCHEMA)


@given(ROWS, st.integers(0, 40), st.integers(0, 40))
def test_what_is_packed_comes_back(rows: Rows, skip: int, take: int) -> None:
    part = table(rows).slice(skip, take)
    assert unpack(pack(part), SCHEMA).equals(part)
    assert packed(part).to_pybytes() == pack(part)


@given(st.lists(ROWS, max_size=8))
def test_a_column_has_every_pack_as_it_is(several: list[Rows]) -> None:
    tables = [table(rows) for rows in several]
    column = column_of([[packed(one)] for one in tables])
    column.validate(full=True)
    assert column.equals(pa.array([pack(one) for one in tables], pa.binary()))


def test_a_column_that_would_be_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packs, "_MOST_BYTES", 100)
    with pytest.raises(InputError, match="too much for one column; let fewer come"):
        column_of([[packed(table([(1, "a")]))]] * 2)


@pytest.mark.parametrize("length", range(9))
def test_a_crate_that_ends_within_its_head_is_refused(length: int) -> None:
    bundle = pack_bundle({"rows": table([(1, "a")])})
    with pytest.raises(SnapshotError, match=r"use a new checkpoint|or a new one"):
        open_bundle(bundle[:length], {"rows": SCHEMA})
