"""The job that a node works on: what it reads of it, what it refuses, what rows and results are."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import windrow as wr
from windrow.edge.query import NodeQuery, read_node_query
from windrow.engines.engines import engine_for
from windrow.errors import InputError
from windrow.jobs import JobFileError, Merging
from windrow.jobs.problems import Problems
from windrow.jobs.read import read_parts
from windrow.spark.analysis.types import spark_schema

NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)
LINES: Mapping[str, str] = {
    "source": (
        '{format: json, path: in, schema: "ts timestamp, sensor string, temp double, lit boolean"}'
    ),
    "time": "ts",
    "by": "sensor",
    "lateness": "10 seconds",
    "windows": "{tumbling: 1 minute}",
    "aggregates": "{peak: max(temp), n: count()}",
    "sink": "{format: console}",
}


def job(**lines: str | None) -> str:
    """A good job with some entries changed, added or (None) left out."""
    entries = {**LINES, **lines}
    return "".join(f"{key}: {value}\n" for key, value in entries.items() if value is not None)


def query(**lines: str | None) -> NodeQuery:
    return read_node_query(job(**lines))


def problems(**lines: str | None) -> list[str]:
    with pytest.raises(JobFileError) as caught:
        query(**lines)
    return [str(problem) for problem in caught.value.problems]


def test_a_job_is_resolved_against_the_columns_of_its_source() -> None:
    found = query(
        columns="{hot: temp > 30}", windows="{punctuated: {start: hot}}", by="[Sensor, lit]"
    )
    assert found.definition.schema == pa.schema(
        [
            pa.field("k0", pa.string()),
            pa.field("k1", pa.bool_()),
            pa.field("t", pa.int64(), nullable=False),
            pa.field("n", pa.int64(), nullable=False),
            pa.field("v0", pa.float64()),
            pa.field("m_start", pa.bool_()),
        ]
    )
    assert found.source_schema.names == ["ts", "sensor", "temp", "lit"]
    assert (found.lateness_us, found.pinned, found.merging) == (10_000_000, False, Merging.CENTRAL)
    assert found.definition.keys == ("k0", "k1")
    assert repr(found.definition.aggregates[0][1]) == "max('temp')"


def test_what_is_said_of_nodes_is_read() -> None:
    marked = "{punctuated: {start: lit}}"
    assert query(edge="{pinned: true}").pinned
    found = query(windows=marked, edge="{punctuated: {gap: 2 seconds}}")
    assert (found.merging, found.gap_us) == (Merging.GAP, 2_000_000)
    assert query(windows=marked, edge="{punctuated: nth}").merging is Merging.NTH


def test_rows_are_derived_filtered_and_sorted_by_what_is_wrong_with_them() -> None:
    found = query(
        columns="{share: 100 / temp}", where="sensor <> 'x'", aggregates="{m: max(share)}"
    )
    rows = found.rows(
        pa.table(
            {
                "temp": [50.0, 0.0, 10.0, 1.0, None],
                "sensor": pa.array(["a", "a", "b", "x", "b"]).dictionary_encode(),
                "ts": pa.array([NOON, NOON, None, NOON, NOON], pa.timestamp("ns", tz="UTC")),
                "unknown": [1, 2, 3, 4, 5],
            }
        )
    )
    us = int(NOON.timestamp() * 1e6)
    assert rows.table.to_pylist() == [
        {"k0": "a", "t": us, "v0": 2.0},
        {"k0": "b", "t": us, "v0": None},
    ]
    assert rows.table.schema == pa.schema([f for f in found.definition.schema if f.name != "n"])
    assert [row["temp"] for row in rows.untimed.to_pylist()] == [10.0]
    assert rows.untimed.schema == rows.rejected.schema == found.source_schema
    assert [row["temp"] for row in rows.rejected.to_pylist()] == [0.0]
    assert rows.reasons == ("(100 / `temp`): division by zero",)
    assert rows.filtered == 1


def test_a_row_that_is_filtered_out_cannot_fail() -> None:
    found = query(columns="{share: 100 / temp}", where="temp <> 0", aggregates="{m: max(share)}")
    rows = found.rows(pa.table({"temp": [0.0], "ts": [NOON]}))
    assert (rows.filtered, rows.rejected.num_rows, rows.table.num_rows) == (1, 0, 0)


def test_a_condition_that_fails_rejects_the_row() -> None:
    rows = query(where="1 / temp > 0").rows(pa.table({"temp": [0.0, 1.0, None], "ts": [NOON] * 3}))
    assert rows.reasons == ("(1 / `temp`): division by zero",)
    assert (rows.filtered, rows.table.num_rows) == (1, 1)


def test_times_that_no_window_can_have_are_rejected() -> None:
    far = pa.array([2**63 - 1, 0], pa.timestamp("us", tz="UTC"))
    rows = query().rows(pa.table({"ts": far}))
    assert rows.reasons == ("its time is too far from 1970",)
    assert rows.table["t"].to_pylist() == [0]


def test_no_rows_stay_none() -> None:
    found = query(columns="{x: upper(sensor)}", where="x like 'A%'", by="x")
    assert found.rows(found.source_schema.empty_table()).table.num_rows == 0
    assert found.rows(pa.table({})).table.num_rows == 0


@pytest.mark.parametrize(
    "column", [{"temp": ["hot"]}, {"ts": [0]}, {"ts": [datetime(2024, 1, 1)]}, {"lit": [1]}]
)
def test_rows_of_another_type_are_refused(column: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="where the source has"):
        query().rows(pa.table(column))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ({"order": "arrival"}, "job:8:8: order: rows of several leaves do not arrive in one order"),
        ({"approximate": "{max_buckets: 9}"}, "job:8:1: approximate: buckets of rows from several"),
        ({"parallel": "time"}, "job:8:1: parallel: says how tasks of Spark share windows"),
        ({"strategy": "kernel"}, "job:8:1: strategy: says how Spark computes windows"),
        ({"emit": "on_change"}, "job:8:7: emit: on_change is for Spark"),
        ({"forget_after": "1 day"}, "job:8:1: forget_after: nodes do not forget keys"),
        ({"lateness": None}, "lateness is missing"),
        ({"source": "{format: json, path: in}"}, "job:1:1: source: nodes need to know the columns"),
        ({"source": '{format: json, path: in, schema: "ts time"}'}, "is not a list of names"),
        ({"source": '{format: json, path: x, schema: "a int, A int"}'}, "'A' is there twice"),
        ({"source": "{format: tree}"}, "job:1:1: source: path is missing"),
        ({"time": "sensor"}, "job:2:7: time='sensor' has type string"),
        ({"by": "sensr"}, "job:3:5: by: no column 'sensr' (did you mean 'sensor'?)"),
        ({"where": "tempp > 0"}, "job:8:8: where: no column 'tempp' (did you mean 'temp'?)"),
        ({"where": "temp"}, "job:8:8: where: where takes a condition, and not double"),
        ({"columns": "{x: 'temp + pmod(temp, 2)'}"}, "job:8:22: columns.x: nodes know no function"),
        ({"aggregates": "{s: sum(sensor)}"}, "s=sum('sensor') reads a column of type string"),
        ({"windows": "{punctuated: {start: temp}}"}, "start='temp' has type double"),
        ({"edge": "{pined: true}"}, "job:8:8: unknown key 'pined' in edge (did you mean 'pinned'"),
        ({"edge": "{punctuated: gap}"}, "edge.punctuated: how long is the gap?"),
        ({"edge": "{punctuated: nth}"}, "has no marks (punctuated is for punctuated windows)"),
    ],
)
def test_what_nodes_cannot_run_is_refused_at_its_place(
    lines: dict[str, str | None], expected: str
) -> None:
    found = problems(**lines)
    assert any(expected in problem for problem in found), found


def test_all_that_is_wrong_is_said_at_once() -> None:
    found = problems(strategy="kernel", where="temp +", by="sensr", columns="{x: 'mod(temp, 2)'}")
    assert len(found) == 4


def test_pinned_keys_allow_what_needs_one_order_of_rows() -> None:
    assert query(order="arrival", edge="{pinned: true}").definition.order.value == "arrival"
    found = query(
        approximate="{max_buckets: 9}",
        windows="{trailing: 1 minute}",
        aggregates="{s: sum(temp)}",
        edge="{pinned: true}",
    )
    assert found.definition.methods


def test_a_fingerprint_is_of_what_decides_results() -> None:
    usual = query().fingerprint
    assert len(usual) == 16
    same = [
        {"sink": "{format: parquet, path: elsewhere}"},
        {"spark": "{spark.sql.shuffle.partitions: 4}"},
        {"checkpoint": "there"},
        {"source": LINES["source"].replace("path: in", "path: out")},
        {"lateness": "10s"},
        {"by": "[sensor]"},
    ]
    other: list[dict[str, str]] = [
        {"lateness": "11 seconds"},
        {"by": "lit"},
        {"where": "lit"},
        {"columns": "{temp: temp + 1}"},
        {"windows": "{tumbling: {size: 1 minute, offset: 1 second}}"},
        {"aggregates": "{peak: max(temp), m: count()}"},
        {"edge": "{pinned: true}"},
        {"source": LINES["source"].replace("temp double", "temp float")},
    ]
    assert {query(**lines).fingerprint for lines in same} == {usual}
    prints = [query(**lines).fingerprint for lines in other]
    assert len({usual, *prints}) == 1 + len(other)
    assert query(where="temp>0").fingerprint == query(where="(temp) > 0").fingerprint


SCHEMA = "ts {}, window string, Temp double, lit boolean, v int, p struct<h: float>"
SHAPES: list[dict[str, str]] = [
    {"windows": "{tumbling: 1 minute}"},
    {"windows": "{hopping: {size: 1 minute, every: 20 seconds}}", "by": "[window, p.h]"},
    {"windows": "{session: 5 seconds}", "by": "TEMP"},
    {"windows": "{count: 3}", "by": "[window]"},
    {"windows": "{punctuated: {start: lit}}"},
    {"windows": "{trailing: 1 minute}", "by": "p.H", "keep": "[v, ts, lit]"},
    {"windows": "{trailing: {rows: 5}}"},
    {"windows": "{short: {trailing: {rows: 5}}, long: {trailing: 1 hour}}", "keep": "[v]"},
    {"windows": "{short: {tumbling: 1 minute}, long: {tumbling: 1 hour}}", "by": "window"},
    {"windows": "{a: {session: 1 minute}, b: {session: 1 hour}}"},
    {"windows": "{a: {count: 2}, b: {count: 3}}", "aggregates": "{name: count(), l: last(ts)}"},
]


@pytest.mark.parametrize("kind", ["timestamp", "timestamp_ntz"])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape["windows"])
def test_results_are_named_and_typed_as_on_spark(
    spark: SparkSession, shape: dict[str, str], kind: str
) -> None:
    schema = SCHEMA.format(kind)
    aggregates = "{peak: max(temp), l: last(ts), m: mean(v), c: collect(v), n: count()}"
    lines = {"by": None, "aggregates": aggregates, **shape}
    text = job(**lines, source=f'{{format: json, path: in, schema: "{schema}"}}')
    found = read_node_query(text)
    read, _ = read_parts(text, Path("job"), Problems())
    assert read is not None
    asked = wr.over(spark.createDataFrame([], schema), time=read.time, by=list(read.by) or None)
    named = {str(name): window for name, window in read.windows}
    asked = asked.window(named["None"]) if "None" in named else asked.windows(**named)
    expected = asked.keep(*read.keep).aggregate(**read.aggregates).schema
    answers = found.answers(engine_for(found.definition).schema.empty_table())
    ours = spark_schema(answers.schema)
    assert ours.names == expected.names
    assert [f.dataType.simpleString() for f in ours] == [
        f.dataType.simpleString() for f in expected
    ]


def test_answers_are_results_under_the_names_of_the_user() -> None:
    found = query(by="temp")
    engine = engine_for(found.definition)
    rows = found.rows(pa.table({"ts": [NOON, NOON + timedelta(seconds=59)], "temp": [-0.0, 0.0]}))
    numbered = rows.table.append_column("n", pa.array([0, 1]))
    given = numbered.select(found.definition.schema.names).cast(found.definition.schema)
    step = engine.advance(
        {name: schema.empty_table() for name, schema in engine.kept.items()}, given, None
    )
    answers = found.answers(pa.concat_tables(step.results)).to_pylist()
    bounds = {"start": NOON, "end": NOON + timedelta(minutes=1)}
    assert answers == [{"window": bounds, "temp": 0.0, "peak": 0.0, "n": 2}]
    assert str(answers[0]["temp"]) == "0.0"
