"""Punctuated windows that nodes end by themselves, merged in three ways, against plain Python."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engines.support import ROWS, Drawn, by_oracle, definition, table
from tests.examples import examples
from windrow import agg, window
from windrow.engines.definition import Definition
from windrow.engines.merged_segments import PLACE, merge_equal, merge_near, merge_nth
from windrow.engines.segments import Segments
from windrow.windows import Punctuated

MADE = {"n": agg.count(), "sum": agg.sum("v0"), "all": agg.collect("v0")}
KINDS = [
    window.punctuated(start="m_start"),
    window.punctuated(end="m_end"),
    window.punctuated(start="m_start", end="m_end"),
]
NODES = 3

# Windows as the oracle tells them: key, start, end, nth, count, sum, values.
Told = tuple[Any, int, int, int, int, Any, list[float]]


@dataclass(frozen=True)
class Merging:
    """A way to merge, and the same in plain Python: which group each window is in."""

    merged: Callable[[Segments, pa.Table], pa.Table]
    groups: Callable[[Sequence[tuple[int, Told]]], list[list[Told]]]


def _equal(told: Sequence[tuple[int, Told]]) -> list[list[Told]]:
    found: dict[Any, list[Told]] = {}
    for _, own in told:
        key, start, end, nth = own[:4]
        found.setdefault((key, start, end, nth if start == end else 0), []).append(own)
    return list(found.values())


def _nth(told: Sequence[tuple[int, Told]]) -> list[list[Told]]:
    found: dict[Any, list[Told]] = {}
    for place, own in told:
        found.setdefault((own[0], place), []).append(own)
    return [sorted(group, key=lambda own: own[1]) for group in found.values()]


def _near(gap: int) -> Callable[[Sequence[tuple[int, Told]]], list[list[Told]]]:
    def groups(told: Sequence[tuple[int, Told]]) -> list[list[Told]]:
        found: list[list[Told]] = []
        for key in {own[0] for _, own in told}:
            for own in sorted((w for _, w in told if w[0] == key), key=lambda w: w[1]):
                last = found[-1] if found and found[-1][0][0] == key else None
                if last is not None and own[1] <= max(w[2] for w in last) + gap:
                    last.append(own)
                else:
                    found.append([own])
        return found

    return groups


WAYS = {
    "equal": Merging(merge_equal, _equal),
    "nth": Merging(merge_nth, _nth),
    "gap 0": Merging(lambda e, entries: merge_near(e, entries, 0), _near(0)),
    "gap 7": Merging(lambda e, entries: merge_near(e, entries, 7), _near(7)),
}


def _one(group: Sequence[Told]) -> Told:
    """All windows of a group as one, from the first start to the last end."""
    known = [own[5] for own in group if own[5] is not None]
    return (
        group[0][0],
        min(own[1] for own in group),
        max(own[2] for own in group),
        max(own[3] for own in group),
        sum(own[4] for own in group),
        sum(known) if known else None,
        [value for own in group for value in own[6]],
    )


def _ended(engine: Segments, made: Definition, rows: Sequence[Drawn], cuts: Sequence[int]) -> Any:
    """The entries of windows that ended on one node, which takes rows piece by piece."""
    ordered = sorted(rows, key=lambda row: row[1])
    times = sorted({row[1] for row in ordered} & set(cuts))
    kept = {name: schema.empty_table() for name, schema in engine.kept.items()}
    found = [engine.entries.empty_table()]
    for since, until in pairwise([-100, *times, 100]):
        own = [row for row in ordered if since <= row[1] < until]
        ended, kept = engine.ended(kept, table(own, made.schema), until)
        found.append(ended)
    return pa.concat_tables(found)


def _counted(entries: pa.Table) -> pa.Table:
    """With the column that says which of its key's windows each is."""
    seen: dict[Any, int] = {}
    places = []
    for key in entries["k0"].to_pylist():
        seen[key] = seen.get(key, -1) + 1
        places.append(seen[key])
    return entries.append_column(PLACE, pa.array(places, pa.int64()))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS, ids=repr)
@examples(60)
@given(
    rows=ROWS,
    nodes=st.lists(st.integers(0, NODES - 1), min_size=25, max_size=25),
    cuts=st.lists(st.integers(-30, 60), max_size=4),
    first_merged=st.integers(0, NODES),
)
def test_windows_of_nodes_merge_as_they_do_in_plain_python(
    way: str,
    kind: Punctuated,
    rows: list[Drawn],
    nodes: list[int],
    cuts: list[int],
    first_merged: int,
) -> None:
    made = definition([("", kind)], MADE)
    engine, merging = Segments(made), WAYS[way]
    owned = [[r for r, n in zip(rows, nodes, strict=False) if n == node] for node in range(NODES)]
    sent = [_counted(_ended(engine, made, own, cuts)) for own in owned]
    told: list[tuple[int, Told]] = []
    for own in owned:
        seen: dict[Any, int] = {}
        for answer in sorted(by_oracle(own, made), key=lambda told: told[1:4]):
            seen[answer[0]] = seen.get(answer[0], -1) + 1
            told.append((seen[answer[0]], answer))
    # A merger below the root may have merged some already.  Where windows of several nodes overlap,
    # lists would then come in another order.
    if way == "equal" and first_merged:
        below = merging.merged(engine, pa.concat_tables(sent[:first_merged]))
        sent = [below, *(one.drop_columns([PLACE]) for one in sent[first_merged:])]
    found = engine.lowered(merging.merged(engine, pa.concat_tables(sent)))
    expected = [_one(group) for group in merging.groups(told)]
    assert _sorted(_rows(found)) == _sorted(expected)


@pytest.mark.parametrize("way", WAYS)
def test_no_windows_merge_to_none(way: str) -> None:
    engine = Segments(definition([("", KINDS[0])], MADE))
    none = _counted(engine.entries.empty_table())
    assert engine.lowered(WAYS[way].merged(engine, none)).num_rows == 0


def _rows(found: pa.Table) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in found.to_pylist()]


def _sorted(answers: Sequence[tuple[Any, ...]]) -> list[str]:
    return sorted(map(repr, answers))


def test_entries_far_apart_in_time_do_not_wrap_around() -> None:
    engine = Segments(definition([("", KINDS[0])], {"n": agg.count()}))
    far = np.array([-(1 << 62) - 1, 1 << 62])
    columns = {"k0": ["a", "a"], "start": far, "end": far, "nth": [0, 0], "n.0": [1, 1]}
    entries = pa.table(columns, schema=engine.entries)
    assert merge_near(engine, entries, 1 << 61).num_rows == 2
