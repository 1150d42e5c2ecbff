"""What a node does by itself, without Spark: it merges, hands on, and puts rows in order."""

from collections import Counter
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow import agg
from windrow.engines.aligned import AlignedWindows
from windrow.engines.definition import Definition
from windrow.engines.engine import Partials
from windrow.spark.topology.buffer import merged
from windrow.spark.topology.ordered import in_any_order
from windrow.spark.topology.relay import Routed, Stop, dealt
from windrow.spark.transport.hashed import HASH_KEY, hashed, with_hash
from windrow.windows import Tumbling

PERIOD = 10
SCHEMA = pa.schema(
    [
        pa.field("k0", pa.int64()),
        pa.field("t", pa.int64(), nullable=False),
        pa.field("n", pa.int64(), nullable=False),
        pa.field("v0", pa.int64()),
    ]
)
INNER = hashed(
    Definition(
        (("", Tumbling(size_us=PERIOD)),),
        (("n", agg.count()), ("total", agg.sum("v0"))),
        SCHEMA,
        (pa.int64(), pa.int64()),
    )
)
ENGINE = AlignedWindows(INNER)

rows = st.lists(st.tuples(st.integers(0, 3), st.integers(-30, 60), st.integers(-9, 9)), max_size=60)
Rows = list[tuple[int, int, int]]


def table_of(some: Rows) -> pa.Table:
    keys, times, values = ([row[place] for row in some] for place in range(3))
    columns = {"k1": keys, "t": times, "n": [0] * len(some), "v0": values}
    return with_hash(
        pa.table({n: pa.array(c, pa.int64()) for n, c in columns.items()}), INNER.schema
    )


def cut(some: Rows, cuts: list[int]) -> list[pa.Table]:
    edges = sorted({0, len(some), *(at for at in cuts if at < len(some))})
    return [table_of(some[a:b]) for a, b in pairwise(edges)]


def answers(states: list[pa.Table]) -> dict[tuple[int, int], tuple[int, int]]:
    """Count and sum by key and period, as the sink makes them of all states it gets."""
    nothing = {name: schema.empty_table() for name, schema in ENGINE.kept.items()}
    given = pa.concat_tables([ENGINE.partials.empty_table(), *states])
    found = pa.concat_tables(ENGINE.advance(nothing, Partials(given), None).results).to_pydict()
    keys = zip(found["k1"], found["start"], strict=True)
    return dict(zip(keys, zip(found["r:n"], found["r:total"], strict=True), strict=True))


def recomputed(some: Rows) -> dict[tuple[int, int], tuple[int, int]]:
    """The same from scratch."""
    counts: Counter[tuple[int, int]] = Counter()
    sums: Counter[tuple[int, int]] = Counter()
    for key, time, value in some:
        counts[key, time // PERIOD * PERIOD] += 1
        sums[key, time // PERIOD * PERIOD] += value
    return {place: (counts[place], sums[place]) for place in counts}


@given(some=rows, cuts=st.lists(st.integers(0, 60)), held=st.sampled_from((0, 10**9)))
def test_a_node_neither_loses_nor_doubles_a_row(some: Rows, cuts: list[int], held: int) -> None:
    tables = cut(some, cuts)
    states = list(merged(ENGINE, tables, INNER.schema, together_bytes=0, held_bytes=held))
    assert answers(states) == recomputed(some)


@given(some=rows, cuts=st.lists(st.integers(0, 60)))
def test_a_node_with_room_hands_on_one_state_of_each_key_and_period(
    some: Rows, cuts: list[int]
) -> None:
    states = list(merged(ENGINE, cut(some, cuts), INNER.schema, together_bytes=0))
    assert len(states) == (1 if some else 0)
    handed_on = sum(table.num_rows for table in states)
    assert handed_on == len({(key, t // PERIOD) for key, t, _ in some})


@given(some=rows, cuts=st.lists(st.integers(0, 60)))
def test_states_merge_like_the_rows_they_come_from(some: Rows, cuts: list[int]) -> None:
    first = [state for table in cut(some, cuts) for state in merged(ENGINE, [table], INNER.schema)]
    again = list(merged(ENGINE, first, ENGINE.partials))
    assert answers(again) == recomputed(some)


def test_a_node_that_holds_too_much_hands_it_on() -> None:
    tables = [table_of([(key, 0, 1)]) for key in range(8)]
    states = list(merged(ENGINE, tables, INNER.schema, together_bytes=0, held_bytes=0))
    assert [table.num_rows for table in states] == [1] * 8


@given(width=st.integers(1, 20), count=st.integers(0, 200), seed=st.integers(0, 2**32))
def test_rows_are_dealt_out_in_even_shares(width: int, count: int, seed: int) -> None:
    stop = Stop(1, width, width, Routed.EVENLY)
    key_groups = stop.key_groups_of(table_of([]), dealt(width, count, seed))
    shares = np.bincount(key_groups, minlength=width)
    assert len(key_groups) == count
    assert shares.max() - shares.min() <= 1


def test_keys_that_come_in_turn_reach_every_node() -> None:
    nodes = dealt(4, 400, seed=7)
    keys = np.arange(400) % 4
    assert len(set(zip(keys.tolist(), nodes.tolist(), strict=True))) == 16


@given(some=rows, key_groups=st.integers(1, 20))
def test_a_key_has_one_key_group_whosever_turn_it_is(some: Rows, key_groups: int) -> None:
    stop = Stop(1, 1, key_groups, Routed.BY_KEY)
    table = table_of(some)
    found = stop.key_groups_of(table, np.arange(len(some))).tolist()
    assert len(set(zip(table["k1"].to_pylist(), found, strict=True))) == len(
        {key for key, _, _ in some}
    )
    assert all(0 <= key_group < key_groups for key_group in found)
    assert HASH_KEY in table.column_names


@pytest.mark.parametrize(
    ("part", "wanted"),
    [(agg.collect("v0"), list), (agg.concat("v0", separator="-"), "-".join)],
    ids=["collect", "concat"],
)
@given(data=st.data())
def test_lists_are_in_order_though_rows_are_not(
    part: Any, wanted: Any, data: st.DataObject
) -> None:
    values = data.draw(st.lists(st.text("abc", max_size=2) | st.none(), max_size=12))
    mixed = data.draw(st.permutations(list(enumerate(values))))
    schema = SCHEMA.set(3, pa.field("v0", pa.string()))
    definition = Definition((), (("all", part),), schema, (pa.null(),))
    ((_, timed),) = in_any_order(definition).aggregates
    monoid = timed.monoid
    states = [monoid.lift_row(place // 2, place, value) for place, value in mixed]
    cut_at = data.draw(st.integers(0, len(states)))
    halves = [
        reduce(monoid.combine, half, monoid.identity) for half in (states[:cut_at], states[cut_at:])
    ]
    known = [value for value in values if value is not None]
    assert monoid.commutative
    lowered = monoid.lower(monoid.combine(*halves))
    assert lowered == (wanted(known) if known or wanted is list else None)
