"""Rows that wait for the watermark: all come out, once, in the order in which they came."""

from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from windrow.spark.state.waiting import Waiting, WaitingRoom

SCHEMA = pa.schema([("t", pa.int64()), ("n", pa.int64()), ("v0", pa.int64())])


class Store:
    """Spark's map state as a dictionary: Spark's own needs a stream around it."""

    def __init__(self) -> None:
        self.values: dict[tuple[int], tuple[bytes]] = {}
        self.removeKey = self.values.pop
        self.getValue = self.values.get
        self.updateValue = self.values.__setitem__
        self.getMapState = lambda *_: self


def _room() -> tuple[WaitingRoom, Store]:
    store: Any = Store()
    return WaitingRoom(store, SCHEMA), store


def _table(times: list[int], first: int) -> pa.Table:
    values = list(range(first, first + len(times)))
    return pa.table({"t": times, "n": range(len(times)), "v0": values}, schema=SCHEMA)


def _values(rows: pa.Table) -> list[int]:
    return list(rows["v0"].to_pylist())


# A micro-batch: how far the watermark moves, and how far behind it or before it its rows are.
BATCHES = st.lists(
    st.tuples(st.integers(0, 3), st.lists(st.integers(0, 60), max_size=5)), max_size=80
)


@examples(200)
@given(batches=BATCHES)
def test_what_comes_out_is_what_a_list_would_give(batches: list[tuple[int, list[int]]]) -> None:
    room, store = _room()
    waiting, watermark, came = Waiting(), 0, 0
    model: list[tuple[int, int]] = []
    for moved, ahead in batches:
        watermark += moved
        out, waiting = room.let_out(waiting, watermark)
        # Rows of one time come out as they came in; others are put in order of time anyway.
        wanted = sorted(((t, v) for t, v in model if t < watermark), key=lambda row: row[0])
        times = out["t"].to_pylist()
        order = sorted(range(len(times)), key=times.__getitem__)
        assert [_values(out)[place] for place in order] == [v for _, v in wanted]
        model = [row for row in model if row[0] >= watermark]
        fresh = [watermark + step for step in ahead]
        waiting = room.let_in(waiting, _table(fresh, came))
        model += [(t, came + place) for place, t in enumerate(fresh)]
        came += len(fresh)
        assert waiting.low == min((t for t, _ in model), default=None)
        assert Waiting.read(waiting.written() + b"rest") == (waiting, b"rest")
        assert sorted(number for number, _ in waiting.packs) == sorted(n for (n,) in store.values)
        assert sorted(_values(room.all(waiting))) == sorted(v for _, v in model)


def test_the_list_of_packs_stays_short() -> None:
    room, store = _room()
    waiting = Waiting()
    for batch in range(1000):
        waiting = room.let_in(waiting, _table([batch % 7, 1000 - batch], 2 * batch))
        assert len(waiting.packs) <= 33
    assert len(store.values) == len(waiting.packs)
    assert room.all(waiting).num_rows == 2000


def test_rows_that_go_on_waiting_are_not_read() -> None:
    room, store = _room()
    waiting = room.let_in(room.let_in(Waiting(), _table([1, 9], 0)), _table([5, 6], 2))
    later = store.values.pop((1,))
    out, waiting = room.let_out(waiting, 4)
    store.values[1,] = later
    assert _values(out) == [0]
    assert waiting.packs == ((0, 9), (1, 5))
