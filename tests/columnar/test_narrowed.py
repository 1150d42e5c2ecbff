"""Tables in narrow packs come back as they were, and take fewer bytes where they can."""

from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from windrow.columnar.narrowed import narrowed, widened
from windrow.errors import SnapshotError

# Numbers that lie close together, far apart, and at both ends of what 64 bits hold.
NUMBERS = st.integers(-3, 3) | st.integers(-(2**63), 2**63 - 1) | st.integers(2**31, 2**33)
COLUMNS = st.integers(0, 30).flatmap(
    lambda rows: st.lists(
        st.lists(NUMBERS, min_size=rows, max_size=rows)
        | st.integers(-(2**63), 2**63 - rows).map(lambda low: list(range(low, low + rows)))
        | st.lists(st.none() | NUMBERS, min_size=rows, max_size=rows),
        min_size=1,
        max_size=5,
    )
)


def table_of(columns: list[list[int | None]]) -> pa.Table:
    """Whole numbers, and text beside them."""
    arrays = [pa.array(column, pa.int64()) for column in columns]
    text = pa.array([str(row) for row in range(len(columns[0]))], pa.string())
    names = [*(f"n{place}" for place in range(len(arrays))), "text"]
    return pa.table([*arrays, text], names=names)


def pack_of(table: pa.Table, start: int, end: int, order: list[int] | None = None) -> bytes:
    places = None if order is None else np.array(order, np.int64)
    head, content = narrowed(table, places).pack(start, end)
    return b"".join([head, memoryview(content)])


@given(COLUMNS, st.integers(0, 30), st.integers(0, 30))
def test_what_is_narrowed_comes_back(
    columns: list[list[int | None]], start: int, rows: int
) -> None:
    table = table_of(columns)
    start = min(start, table.num_rows)
    end = min(start + rows, table.num_rows)
    found = widened(pack_of(table, start, end), table.schema)
    found.validate(full=True)
    assert found.equals(table.slice(start, end - start))


@given(COLUMNS, st.randoms(use_true_random=False))
def test_rows_come_in_the_order_that_was_asked_for(
    columns: list[list[int | None]], random: Random
) -> None:
    table = table_of(columns)
    order = list(range(table.num_rows))
    random.shuffle(order)
    found = widened(pack_of(table, 0, table.num_rows, order), table.schema)
    assert found.equals(table.take(pa.array(order, pa.int64())))


def test_a_table_of_nothing_but_numbers_that_count_up_keeps_its_rows() -> None:
    table = pa.table({"n": np.arange(5, 9), "m": np.arange(-2, 2)})
    assert widened(pack_of(table, 1, 3), table.schema).equals(table.slice(1, 2))


@pytest.mark.parametrize("rows", [1, 2, 1025])
def test_numbers_that_count_up_to_the_end_of_64_bits_come_back(rows: int) -> None:
    numbers = [2**63 - rows + row for row in range(rows)]
    table = pa.table({"n": pa.array(numbers, pa.int64()), "text": ["x"] * rows})
    assert widened(pack_of(table, 0, rows), table.schema).equals(table)
    assert widened(pack_of(table, rows, rows), table.schema).equals(table.slice(rows))


def test_more_columns_than_a_mask_has_bits_come_back() -> None:
    table = pa.table({f"n{place}": np.arange(3) * place for place in range(70)})
    assert widened(pack_of(table, 0, 3), table.schema).equals(table)


def test_columns_keep_whether_they_may_be_null() -> None:
    schema = pa.schema([pa.field("t", pa.int64(), nullable=False), pa.field("v", pa.float64())])
    table = pa.table([[7, 3, 5], [1.0, None, 2.0]], schema=schema)
    assert widened(pack_of(table, 0, 3), schema).schema.equals(schema)


@pytest.mark.parametrize(
    ("column", "bytes_each"),
    [
        (np.arange(10_000) + 2**40, 0),
        (np.arange(10_000) * 8640 - 2**50, 4),
        (np.arange(10_000) * 2**32, 8),
    ],
    ids=["counting up", "close together", "far apart"],
)
def test_numbers_take_as_few_bytes_as_they_need(column: NDArray[np.int64], bytes_each: int) -> None:
    plain = pa.table({"flag": np.ones(10_000, np.int8)})
    with_numbers = plain.append_column("n", pa.array(column))
    added = len(pack_of(with_numbers, 0, 10_000)) - len(pack_of(plain, 0, 10_000))
    assert added == pytest.approx(bytes_each * 10_000, abs=300)


@pytest.mark.parametrize("length", [0, 3, 15, 16, 23])
def test_a_pack_that_ends_within_its_head_is_refused(length: int) -> None:
    table = table_of([[5, 3], [8, 1]])
    with pytest.raises(SnapshotError, match="damaged"):
        widened(pack_of(table, 0, 2)[:length], table.schema)
