"""The state of a bucket is split where it is large and has the keys for it."""

import numpy as np
import pyarrow as pa

from windrow.spark.state.shards import bits_for


def held(keys: int, rows: int) -> pa.Table:
    hashes = np.repeat(np.arange(keys, dtype=np.int32), rows // keys)
    return pa.table({"k0": hashes, "v": np.zeros(len(hashes))})


def test_what_is_small_stays_together() -> None:
    assert bits_for(0, 1, [held(100, 1_000)]) == 0


def test_many_keys_with_many_rows_are_split_further_and_further() -> None:
    first = bits_for(0, 1, [held(100_000, 1_000_000)])
    assert first > 2
    assert bits_for(first, 1, [held(100_000, 1_000_000)]) > first


def test_few_keys_with_many_rows_are_split_once_and_for_all() -> None:
    bits = 0
    for _ in range(10):
        bits = bits_for(bits, 1 << bits, [held(16, 2_000_000)])
    assert 16 <= 1 << bits <= 32
    assert bits_for(3, 1, [held(1, 2_000_000)]) <= 4
