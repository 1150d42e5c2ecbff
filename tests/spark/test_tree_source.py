"""What a tree of nodes has sent, finished on Spark, as a batch and as a stream."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from tests.spark.spools import Row, Spool, job
from windrow import agg, over, window
from windrow.spark.sources.tree import register
from windrow.testing import check_rows, expected
from windrow.windows import Window

pytestmark = pytest.mark.xdist_group("tree source")

KEYS = ("sensor", "line")


@dataclass(frozen=True)
class Case:
    """A query that nodes begin, and Spark finishes."""

    windows: str
    window: Window
    aggregates: str
    asked: dict[str, Any]
    more: str = ""

    @property
    def job(self) -> str:
        return job(self.windows, self.aggregates, more=self.more)

    def of(self, rows: DataFrame) -> DataFrame:
        return over(rows, time="ts", by=list(KEYS)).window(self.window).aggregate(**self.asked)

    def wanted(self, rows: list[Row]) -> list[Row]:
        return expected(rows, time="ts", by=KEYS, window=self.window, aggregates=self.asked)


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
}


@pytest.fixture(scope="module")
def tree(spark: SparkSession, one_partition: None) -> SparkSession:
    register(spark)
    return spark


def rows_of(df: DataFrame) -> list[Row]:
    found: list[Row] = df.toArrow().to_pylist()
    return found


@pytest.fixture(scope="module")
def spool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Spool]:
    spool = Spool(tmp_path_factory.mktemp("spools") / "spool", [c.job for c in CASES.values()])
    spool.write()
    yield spool
    spool.close()


@pytest.mark.parametrize("name", CASES)
def test_a_batch_of_frames_gives_what_a_batch_of_rows_gives(
    tree: SparkSession, spool: Spool, name: str
) -> None:
    case = CASES[name]
    df = load(tree, spool, case)
    check_rows(rows_of(case.of(df)), case.wanted(spool.rows))


def load(spark: SparkSession, spool: Spool, case: Case) -> DataFrame:
    from windrow.edge.query import read_node_query

    reader = spark.read.format("windrow").option("query", read_node_query(case.job).fingerprint)
    return reader.load(str(spool.folder))
