"""Frames for Spark's stateful operator hold the columns of a table as they are."""

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from windrow.spark.transport.frames import frames

COLUMNS: dict[str, Any] = {
    "numbers": pa.array([1, None, 3]),
    "text": pa.array(["a", None, ""]),
    "decimals": pa.array([Decimal("1.50"), None, Decimal("-2.25")]),
    "times": pa.array([1, None, -3], pa.timestamp("us", "UTC")),
    "lists": pa.array([[1, None], None, []], pa.list_(pa.int64())),
    "structs": pa.array([{"a": 1, "b": [0.5]}, None, {"a": None, "b": None}]),
    "maps": pa.array([[("a", 1)], None, []], pa.map_(pa.string(), pa.int64())),
}


def arrow(frame: pd.DataFrame, place: int) -> pa.Array:
    """A column as Spark asks for it: what it applies to values comes first."""
    series = frame.iloc[:, place].apply(str)
    return pa.Array.from_pandas(series)


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_is_handed_on_as_it_is(name: str) -> None:
    table = pa.table({"other": [1, 2, 3], name: COLUMNS[name]})
    [frame] = frames(table)
    assert arrow(frame, 1).equals(COLUMNS[name])
    assert arrow(frame[[0, 1]], 1).equals(COLUMNS[name])


def test_many_rows_come_in_several_frames() -> None:
    table = pa.table({"numbers": np.arange(100_000)})
    parts = [arrow(frame, 0) for frame in frames(table)]
    assert len(parts) > 1
    assert pa.concat_arrays(parts).equals(table["numbers"].combine_chunks())


def test_of_no_rows_there_is_no_frame() -> None:
    assert not list(frames(pa.table({"numbers": pa.array([], pa.int64())})))
