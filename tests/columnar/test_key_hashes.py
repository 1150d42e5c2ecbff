"""Hashes of keys: equal for equal keys, wherever they are, and for hardly any others."""

from datetime import UTC, datetime
from decimal import Decimal

import pyarrow as pa
import pytest

from windrow.columnar.key_hashes import key_hashes

COLUMNS = {
    "text": pa.array(["a", "", None, "ab", "ba", "ä", "a\0"]),
    "bytes": pa.array([b"a", b"", None, b"ab"]),
    "whole": pa.array([1, 0, None, -1, 1 << 40]),
    "small": pa.array([1, 0, None], pa.int8()),
    "float": pa.array([1.5, 0.0, None, float("nan")]),
    "flag": pa.array([True, False, None]),
    "time": pa.array([datetime(2024, 7, 1, tzinfo=UTC), None]),
    "decimal": pa.array([Decimal("1.10"), None]),
    "struct": pa.array([{"x": 1}, {"x": None}, None]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_the_hash_of_a_key_does_not_depend_on_its_neighbours(name: str) -> None:
    column = COLUMNS[name]
    together = key_hashes(pa.table([column], names=["k"]), len(column)).tolist()
    alone = [
        key_hashes(pa.table([column[i : i + 1]], names=["k"]), 1)[0] for i in range(len(column))
    ]
    assert together == alone
    assert len(set(together)) == len(column)


def test_what_is_one_key_has_one_hash() -> None:
    zeros = key_hashes(pa.table({"k": [0.0, -0.0]}), 2)
    assert zeros[0] == zeros[1]
    pairs = key_hashes(pa.table({"k": ["a", "b"], "l": ["b", "a"]}), 2)
    assert pairs[0] != pairs[1]


def test_keys_are_spread_evenly() -> None:
    found = key_hashes(pa.table({"k": [f"sensor-{n}" for n in range(1600)]}), 1600) % 16
    assert all(60 < (found == group).sum() < 140 for group in range(16))


def test_no_keys_are_one_key_and_no_rows_have_none() -> None:
    assert set(key_hashes(pa.table({}), 3).tolist()) == {0}
    assert len(key_hashes(pa.table({"k": pa.array([], pa.string())}), 0)) == 0
