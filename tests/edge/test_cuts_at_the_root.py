"""A root gives the same results, to the last bit, however the frames of a spool are cut."""

import random
from datetime import UTC, datetime, timedelta

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from windrow.edge.payload import BEGIN, END, Held, Payload, payload_for
from windrow.edge.query import read_node_query
from windrow.engines.engine import Kept

_NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)
_JOB = """
source: {{format: json, path: in, schema: "ts timestamp, sensor string, temp double"}}
time: ts
by: sensor
lateness: 0 seconds
windows: {windows}
aggregates: {{mean: mean(temp), peak: max(temp), middle: median(temp)}}
sink: {{format: console}}
"""
_WINDOWS = (
    "{tumbling: 2 seconds}",
    "{hopping: {size: 7 seconds, every: 3 seconds}}",
    "{hopping: {size: 2 seconds, every: 5 seconds}}",
    "{short: {tumbling: 1 second}, long: {tumbling: 3 seconds}}",
    "{session: {gap: 2 seconds}}",
)


def _body(payload: Payload, text: str, chance: random.Random) -> pa.Table:
    """The states of some rows, some of them far apart."""
    times = sorted(chance.choice([0, 40]) + chance.uniform(0, 12) for _ in range(40))
    rows = pa.table(
        {
            "ts": pa.array(
                [_NOON + timedelta(seconds=time) for time in times], pa.timestamp("us", "UTC")
            ),
            "sensor": pa.array([chance.choice(["p", "q", "r", None]) for _ in times]),
            "temp": pa.array([chance.choice([None, 0.1, 0.7, 1e9, 2.3]) for _ in times]),
        }
    )
    query = read_node_query(text)
    schema = query.definition.schema
    taken = query.rows(rows).table
    numbered = [pa.array(range(len(taken))) if n == "n" else taken[n] for n in schema.names]
    return payload.collect(Held([pa.table(numbered, schema=schema)]), "leaf", END)


def _results(payload: Payload, body: pa.Table, edges: list[int]) -> list[dict[str, object]]:
    kept: Kept = payload.nothing_kept()
    found: list[dict[str, object]] = []
    for edge in [*edges, END]:
        before, body = payload.split(body, edge)
        results, kept = payload.finish(kept, before, edge)
        found += [row for table in results for row in table.to_pylist()]
    return found


@examples(60)
@given(
    windows=st.sampled_from(_WINDOWS),
    seed=st.integers(0, 1_000_000),
    count=st.integers(1, 8),
)
def test_cuts_do_not_change_a_bit(windows: str, seed: int, count: int) -> None:
    chance = random.Random(seed)
    text = _JOB.format(windows=windows)
    payload = payload_for(read_node_query(text))
    body = _body(payload, text, chance)
    first = int(_NOON.timestamp()) * 1_000_000
    moments = sorted(first + chance.randint(-1, 60) * 1_000_000 for _ in range(count))
    edges = sorted({payload.edge(moment) for moment in moments} - {BEGIN})
    assert _results(payload, body, edges) == _results(payload, body, [])
