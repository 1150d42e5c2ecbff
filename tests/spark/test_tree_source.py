"""What a tree of nodes has sent, finished on Spark, as a batch and as a stream."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tests.spark.spools import BEGIN, Row, Spool, job
from windrow import agg, over, window
from windrow.cli import main
from windrow.edge.query import read_node_query
from windrow.edge.root import Root
from windrow.errors import InputError
from windrow.plan import Slicing
from windrow.spark.sources.tree import register
from windrow.testing import check_rows, expected
from windrow.windows import Window
from windrow.wire.consumed import consumed
from windrow.wire.log_files import records_of

pytestmark = pytest.mark.xdist_group("tree source")


@dataclass(frozen=True)
class Case:
    """A query that nodes begin, and Spark finishes."""

    windows: str
    window: Window
    aggregates: str
    asked: dict[str, Any]
    by: tuple[str, ...] = ("sensor", "line")
    more: str = ""

    @property
    def job(self) -> str:
        by = f"[{', '.join(self.by)}]"
        return job(self.windows, self.aggregates, by=by, more=self.more)

    @property
    def fingerprint(self) -> str:
        return read_node_query(self.job).fingerprint

    def of(self, rows: DataFrame) -> DataFrame:
        if self.more:
            return rows  # they are results already
        return over(rows, time="ts", by=list(self.by)).window(self.window).aggregate(**self.asked)

    def wanted(self, rows: list[Row]) -> list[Row]:
        return expected(rows, time="ts", by=self.by, window=self.window, aggregates=self.asked)


NUMBERS = "{peak: max(temp), mid: median(temp), n: count()}"
ASKED = {"peak": agg.max("temp"), "mid": agg.median("temp"), "n": agg.count()}
CASES = {
    "tumbling": Case("{tumbling: 10 seconds}", window.tumbling("10 s"), NUMBERS, ASKED),
    "hopping": Case(
        "{hopping: {size: 9 seconds, every: 4 seconds}}",
        window.hopping("9 s", every="4 s"),
        "{spread: stddev(temp), m: mean(temp), n: count()}",
        {"n": agg.count(), "m": agg.mean("temp"), "spread": agg.stddev("temp")},
    ),
    "session": Case("{session: {gap: 3 seconds}}", window.session("3 s"), NUMBERS, ASKED),
    "count": Case(
        "{count: {size: 3, every: 2}}", window.count(3, every=2), "{n: count()}", {"n": agg.count()}
    ),
    "trailing": Case("{trailing: 7 seconds}", window.trailing("7 s"), NUMBERS, ASKED),
    "ordered": Case(
        "{tumbling: 8 seconds}",
        window.tumbling("8 s"),
        "{all: collect(temp), last: last(temp)}",
        {"all": agg.collect("temp"), "last": agg.last("temp")},
    ),
    "marks": Case(
        "{punctuated: {end: stop}}",
        window.punctuated(end="stop"),
        "{n: count()}",
        {"n": agg.count()},
    ),
    "pinned": Case(
        "{count: {size: 4, every: 3}}",
        window.count(4, every=3),
        "{n: count(), top: max(temp)}",
        {"n": agg.count(), "top": agg.max("temp")},
        by=("leaf",),
        more="edge: {pinned: true}",
    ),
}


JOBS = [case.job for case in CASES.values()]


@pytest.fixture(scope="module")
def tree(spark: SparkSession, one_partition: None) -> SparkSession:
    register(spark)
    return spark


def rows_of(df: DataFrame) -> list[Row]:
    found: list[Row] = df.toArrow().to_pylist()
    return found


@pytest.fixture(scope="module")
def spool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Spool]:
    spool = Spool(tmp_path_factory.mktemp("spools") / "spool", JOBS)
    spool.write()
    yield spool
    spool.close()


@pytest.fixture(scope="module")
def growing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Spool]:
    """Written in three parts by the first test that asks for more."""
    spool = Spool(tmp_path_factory.mktemp("spools") / "growing", JOBS)
    yield spool
    spool.close()


def load(reader: Any, spool: Spool, case: Case, **options: str) -> DataFrame:
    reader = reader.format("windrow").option("query", case.fingerprint).options(**options)
    df: DataFrame = reader.load(str(spool.folder))
    return df


# Batches -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
def test_a_batch_of_frames_gives_what_a_batch_of_rows_gives(
    tree: SparkSession, spool: Spool, name: str
) -> None:
    case = CASES[name]
    check_rows(rows_of(case.of(load(tree.read, spool, case))), case.wanted(spool.rows))


def test_a_plain_root_gives_the_same_as_a_batch_of_frames(tree: SparkSession, spool: Spool) -> None:
    case = CASES["session"]
    found = [
        row
        for answer in Root().apply(records_of(spool.folder))
        if answer.query == case.fingerprint and not answer.is_late
        for row in answer.table.to_pylist()
    ]
    assert by_text(found) == by_text(rows_of(case.of(load(tree.read, spool, case))))


@pytest.mark.parametrize("name", ["tumbling", "trailing", "pinned"])
def test_late_rows_can_be_read_whatever_travels(
    tree: SparkSession, spool: Spool, name: str
) -> None:
    [late] = rows_of(load(tree.read, spool, CASES[name], late="true"))
    assert late["ts"] == BEGIN


def test_late_rows_of_a_query_are_those_that_came_to_a_leaf_too_late(
    tree: SparkSession, spool: Spool
) -> None:
    late: Any = CASES["hopping"].of(load(tree.read, spool, CASES["hopping"]))
    assert [row["ts"] for row in rows_of(late.late())] == [BEGIN]


def test_the_plan_says_that_nodes_have_folded_the_rows(tree: SparkSession, spool: Spool) -> None:
    case = CASES["tumbling"]
    answer: Any = case.of(load(tree.readStream, spool, case))
    plan = answer.plan()
    assert [type(stage).__name__ for stage in plan.stages] == ["ReadTree", "RunStatefulEngine"]
    assert "nodes of a tree have folded the rows: slices of different leaves" in plan.explain()
    assert plan.slicing is Slicing.TREE


def test_a_subset_of_the_aggregates_may_be_asked_for(tree: SparkSession, spool: Spool) -> None:
    case = replace(CASES["tumbling"], asked={"n": agg.count()})
    rows = load(tree.read, spool, CASES["tumbling"])
    check_rows(rows_of(case.of(rows)), case.wanted(spool.rows))


@pytest.mark.parametrize("name", ["session", "trailing", "pinned"])
def test_the_job_file_of_the_nodes_finishes_on_spark(
    tree: SparkSession, spool: Spool, tmp_path: Path, name: str
) -> None:
    case = CASES[name]
    text = case.job.replace("json, path: in", f"tree, path: '{spool.folder}', stream: true")
    sink = f"sink: {{format: parquet, path: '{tmp_path}/out', trigger: available_now}}"
    text = text.replace("sink: {format: console}", f"{sink}\ncheckpoint: '{tmp_path}/checkpoint'")
    path = tmp_path / "job.yaml"
    path.write_text(text, encoding="utf-8")
    said = CliRunner().invoke(main, ["explain", str(path)], catch_exceptions=False)
    assert ("results of the nodes" if case.more else "nodes of a tree have") in said.output
    done = CliRunner().invoke(main, ["run", "--json", str(path)], catch_exceptions=False)
    report = json.loads(done.stdout)
    check_rows(rows_of(tree.read.parquet(str(tmp_path / "out"))), case.wanted(spool.rows))
    assert report["rows_in"] == (report["rows_out"] if case.more else len(spool.rows))
    assert not report["late"]


# Streams -------------------------------------------------------------------------------------


class Sink:
    """The results of each micro-batch; one that is run again must give the same."""

    def __init__(self) -> None:
        self.batches: dict[int, list[Row]] = {}
        self.repeated = 0

    def __call__(self, df: DataFrame, batch: int) -> None:
        rows = rows_of(df)
        if batch in self.batches:
            self.repeated += 1
            assert by_text(rows) == by_text(self.batches[batch])
        self.batches[batch] = rows

    @property
    def rows(self) -> list[Row]:
        return [row for rows in self.batches.values() for row in rows]


def run(df: DataFrame, sink: Sink, checkpoint: Path) -> None:
    """All that is there, from where the checkpoint says."""
    writer = df.writeStream.option("checkpointLocation", str(checkpoint)).foreachBatch(sink)
    writer.trigger(availableNow=True).start().awaitTermination()


def forget_the_last_commit(checkpoint: Path) -> None:
    """As if Spark had died between the sink and its own note of that."""
    commits = [path for path in (checkpoint / "commits").iterdir() if path.name.isdecimal()]
    last = max(commits, key=lambda path: int(path.name))
    last.unlink()
    (last.parent / f".{last.name}.crc").unlink(missing_ok=True)


def test_streams_that_stop_and_go_on_give_what_a_batch_of_rows_gives(
    tree: SparkSession, growing: Spool, tmp_path: Path
) -> None:
    sinks = {name: Sink() for name in CASES}
    half = growing.left // 2
    for part in (half, None):
        growing.write(part)
        for name, case in CASES.items():
            many = {} if part is None else {"maxFramesPerTrigger": "6"}
            df = case.of(load(tree.readStream, growing, case, **many))
            run(df, sinks[name], tmp_path / name)
            if part is not None:
                forget_the_last_commit(tmp_path / name)
    for name, case in CASES.items():
        assert sinks[name].repeated == 1
        check_rows(sinks[name].rows, case.wanted(growing.rows))
    assert consumed(growing.folder) == half  # Spark says so when it begins with what follows


def test_a_pruned_spool_and_another_one_are_refused_with_a_way_out(
    tree: SparkSession, tmp_path: Path
) -> None:
    case = CASES["tumbling"]
    spool = Spool(tmp_path / "spool", [case.job])
    spool.write(2)
    df = load(tree.readStream, spool, case)
    run(case.of(df), Sink(), tmp_path / "checkpoint")
    spool.write()
    before = {path: path.read_bytes() for path in spool.folder.glob("*.log")}
    spool.forget()
    spool.close()
    with pytest.raises(Exception, match="begin with a new checkpoint, which answers from there on"):
        run(case.of(df), Sink(), tmp_path / "checkpoint")
    for path, content in before.items():
        path.write_bytes(content)
    run(case.of(df), Sink(), tmp_path / "checkpoint")
    for path in sorted(spool.folder.glob("*.log"))[1:]:
        path.unlink()
    with pytest.raises(Exception, match="it is not the spool with which the checkpoint was made"):
        run(case.of(df), Sink(), tmp_path / "checkpoint")


# Mistakes ------------------------------------------------------------------------------------


def test_one_of_several_queries_must_be_named(tree: SparkSession, spool: Spool) -> None:
    with pytest.raises(Exception, match=f"say which one(.|\n)*{CASES['session'].fingerprint}"):
        tree.read.format("windrow").load(str(spool.folder))


def test_another_query_than_that_of_the_nodes_is_refused(tree: SparkSession, spool: Spool) -> None:
    rows = load(tree.read, spool, CASES["tumbling"])
    with pytest.raises(InputError, match=r"tumbling\('10 seconds'\)\n.*tumbling\('5 seconds'\)"):
        replace(CASES["tumbling"], window=window.tumbling("5 s")).of(rows)
    with pytest.raises(InputError, match="least=min"):
        replace(CASES["tumbling"], asked={"least": agg.min("temp")}).of(rows)
    with pytest.raises(InputError, match=r"nodes compute: .* by sensor, line in"):
        replace(CASES["tumbling"], by=("line",)).of(rows)


def test_rows_that_nodes_have_folded_cannot_be_filtered_or_changed(
    tree: SparkSession, spool: Spool
) -> None:
    case = CASES["tumbling"]
    rows = load(tree.read, spool, case)
    with pytest.raises(InputError, match="say so under where:"):
        case.of(rows.where("temp > 1"))
    with pytest.raises(InputError, match="'temp' was derived"):
        case.of(rows.withColumn("temp", F.col("temp") + 1))
    with pytest.raises(InputError, match="select the last column of the source too"):
        case.of(rows.select("ts", "sensor", "line", "temp"))


def by_text(rows: list[Row]) -> list[str]:
    return sorted(map(str, rows))
