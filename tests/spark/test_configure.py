"""Settings that suit windows: set where nobody has set them, and missed by `.explain()`."""

from collections.abc import Iterator

import pytest
from pyspark.sql import DataFrame, SparkSession

import windrow as wr
from windrow import agg, window
from windrow.errors import InputError
from windrow.spark.configure import BYTES_OF_BATCHES

ROWS_OF_BATCHES = "spark.sql.execution.arrow.maxRecordsPerBatch"
PROVIDER = "spark.sql.streaming.stateStore.providerClass"
PARTITIONS = "spark.sql.shuffle.partitions"
TRAILING = window.trailing("1 hour")


@pytest.fixture
def fresh(spark: SparkSession) -> Iterator[SparkSession]:
    """A session in which only what the JVM was started with is set."""
    session = spark.newSession()
    yield session
    session.sql("RESET")


def test_what_nobody_set_is_set_and_told(fresh: SparkSession) -> None:
    given = set(fresh.conf.getAll)
    told = wr.configure(fresh)
    assert BYTES_OF_BATCHES in told
    assert not given & set(told)
    assert {key: fresh.conf.get(key) for key in told} == told
    assert wr.configure(fresh) == {}


def test_what_somebody_set_stays(fresh: SparkSession) -> None:
    fresh.conf.set(ROWS_OF_BATCHES, "77")
    assert ROWS_OF_BATCHES not in wr.configure(fresh)
    assert fresh.conf.get(ROWS_OF_BATCHES) == "77"


def test_streams_keep_their_state_in_rocksdb(fresh: SparkSession) -> None:
    wr.configure(fresh)
    assert "RocksDB" in str(fresh.conf.get(PROVIDER))


def test_a_plan_misses_the_setting_where_rows_go_to_python(fresh: SparkSession) -> None:
    frame = fresh.sql("SELECT timestamp '2024-01-01' AS t, 1.0D AS v")

    def cheaper(over: window.Window) -> str:
        return " ".join(
            wr.over(frame, time="t").window(over).aggregate(peak=agg.max("v")).plan().cheaper
        )

    assert "windrow.configure(spark)" in cheaper(window.trailing("1 hour"))
    assert "configure" not in cheaper(window.tumbling("1 hour"))
    wr.configure(fresh)
    assert "configure" not in cheaper(window.trailing("1 hour"))
    fresh.conf.set(BYTES_OF_BATCHES, "1m")  # as somebody wants it
    assert "configure" not in cheaper(window.trailing("1 hour"))


def _stream(session: SparkSession, over: window.Window = TRAILING) -> DataFrame:
    rows = session.readStream.format("rate").load()
    query = wr.over(rows, time="timestamp", lateness="1 second").window(over)
    return query.aggregate(n=agg.count())


def test_a_stream_sets_the_one_provider_that_can_keep_its_state(fresh: SparkSession) -> None:
    fresh.conf.unset(PROVIDER)
    _stream(fresh)
    assert "RocksDB" in str(fresh.conf.get(PROVIDER))


def test_a_provider_that_cannot_keep_state_is_refused_when_a_stream_is_built(
    fresh: SparkSession,
) -> None:
    other = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"
    fresh.conf.set(PROVIDER, other)
    with pytest.raises(InputError, match=rf"{PROVIDER}='{other}' cannot keep.* set it to "):
        _stream(fresh)


@pytest.mark.parametrize("over", [TRAILING, window.tumbling("1 hour")])
def test_a_stream_on_one_machine_has_as_many_tasks_as_cores(
    fresh: SparkSession, over: window.Window
) -> None:
    fresh.conf.unset(PARTITIONS)
    _stream(fresh, over)
    assert fresh.conf.get(PARTITIONS) == "2"
    fresh.conf.set(PARTITIONS, "200")  # as somebody wants it
    _stream(fresh, over)
    assert fresh.conf.get(PARTITIONS) == "200"


def test_tasks_without_work_are_told_of_on_a_cluster(fresh: SparkSession) -> None:
    fresh.conf.unset(PARTITIONS)
    fresh.conf.set("spark.master", "yarn")
    with pytest.warns(UserWarning, match=r"200 tasks, of which at most 16 have work; set it"):
        _stream(fresh)
    fresh.conf.set(PARTITIONS, "200")  # as somebody wants it
    _stream(fresh)  # warnings are errors here


def test_what_is_no_session_is_refused() -> None:
    with pytest.raises(InputError, match=r"^session=3 is not a Spark session; give one"):
        wr.configure(3)  # type: ignore[arg-type]
