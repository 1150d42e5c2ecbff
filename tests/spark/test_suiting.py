"""Settings that suit windows: set where nobody has set them, and missed by `.explain()`."""

from collections.abc import Iterator

import pytest
from pyspark.sql import DataFrame, SparkSession

import windrow as wr
from windrow import agg, window
from windrow.errors import InputError
from windrow.spark.suiting import BYTES_OF_BATCHES

pytestmark = pytest.mark.xdist_group("spark")

ROWS_OF_BATCHES = "spark.sql.execution.arrow.maxRecordsPerBatch"
PROVIDER = "spark.sql.streaming.stateStore.providerClass"


@pytest.fixture
def fresh(spark: SparkSession) -> Iterator[SparkSession]:
    """A session in which only what the JVM was started with is set."""
    session = spark.newSession()
    yield session
    session.sql("RESET")


def test_what_nobody_set_is_set_and_told(fresh: SparkSession) -> None:
    given = set(fresh.conf.getAll)
    told = wr.suit(fresh)
    assert BYTES_OF_BATCHES in told
    assert not given & set(told)
    assert {key: fresh.conf.get(key) for key in told} == told
    assert wr.suit(fresh) == {}


def test_what_somebody_set_stays(fresh: SparkSession) -> None:
    fresh.conf.set(ROWS_OF_BATCHES, "77")
    assert ROWS_OF_BATCHES not in wr.suit(fresh)
    assert fresh.conf.get(ROWS_OF_BATCHES) == "77"


def test_streams_keep_their_state_in_rocksdb(fresh: SparkSession) -> None:
    wr.suit(fresh)
    assert "RocksDB" in str(fresh.conf.get(PROVIDER))


def test_a_plan_misses_the_setting_where_rows_go_to_python(fresh: SparkSession) -> None:
    frame = fresh.sql("SELECT timestamp '2024-01-01' AS t, 1.0D AS v")

    def cheaper(over: window.Window) -> str:
        return " ".join(
            wr.over(frame, time="t").window(over).aggregate(peak=agg.max("v")).plan().cheaper
        )

    assert "windrow.suit(spark)" in cheaper(window.trailing("1 hour"))
    assert "suit" not in cheaper(window.tumbling("1 hour"))
    wr.suit(fresh)
    assert "suit" not in cheaper(window.trailing("1 hour"))
    fresh.conf.set(BYTES_OF_BATCHES, "1m")  # as somebody wants it
    assert "suit" not in cheaper(window.trailing("1 hour"))


def _trailing_stream(session: SparkSession) -> DataFrame:
    rows = session.readStream.format("rate").load()
    trailing = window.trailing("1 hour")
    return (
        wr.over(rows, time="timestamp", lateness="1 second")
        .window(trailing)
        .aggregate(n=agg.count())
    )


def test_a_stream_sets_the_one_provider_that_can_keep_its_state(fresh: SparkSession) -> None:
    fresh.conf.unset(PROVIDER)
    _trailing_stream(fresh)
    assert "RocksDB" in str(fresh.conf.get(PROVIDER))


def test_a_provider_that_cannot_keep_state_is_refused_when_a_stream_is_built(
    fresh: SparkSession,
) -> None:
    other = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"
    fresh.conf.set(PROVIDER, other)
    with pytest.raises(InputError, match=rf"{PROVIDER}='{other}' cannot keep.* set it to "):
        _trailing_stream(fresh)


def test_tasks_without_work_are_told_of_where_nobody_chose_their_number(
    fresh: SparkSession,
) -> None:
    partitions = "spark.sql.shuffle.partitions"
    fresh.conf.unset(partitions)
    with pytest.warns(UserWarning, match=r"200 tasks, of which at most 16 have work; call windr"):
        _trailing_stream(fresh)
    fresh.conf.set(partitions, "200")  # as somebody wants it
    _trailing_stream(fresh)  # warnings are errors here


def test_what_is_no_session_is_refused() -> None:
    with pytest.raises(InputError, match=r"^session=3 is no session of Spark; give one"):
        wr.suit(3)  # type: ignore[arg-type]
