"""Kernels that workers compile give what the oracle gives; in other tests workers interpret."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from pyspark.sql import SparkSession

from tests.spark.streams import Batches, arrivals, fed, joined, stream
from tests.spark.support import AGGREGATES, Asked, examples, frame_of
from windrow import window

# A state of one number, one of a user's own, and one that stays interpreted.
CHOSEN = {name: AGGREGATES[name] for name in ("max", "spread", "free")}


@pytest.fixture(scope="module", autouse=True)
def _compiling_workers(spark: SparkSession) -> Iterator[None]:
    """Workers started from now on compile every kernel before it first runs."""
    environment = spark.sparkContext.environment
    before = environment["WINDROW_COMPILE"]
    environment["WINDROW_COMPILE"] = "always"
    yield
    environment["WINDROW_COMPILE"] = before


@examples(1)
@given(batches=arrivals())
def test_a_batch_agrees_with_the_oracle(spark: SparkSession, batches: Batches) -> None:
    asked, rows = Asked(window.hopping("9 s", every="4 s"), CHOSEN), joined(batches)
    asked.check(asked.of(frame_of(spark, rows)), rows)


@examples(1)
@given(batches=arrivals())
def test_a_stream_agrees_with_the_oracle(spark: SparkSession, batches: Batches) -> None:
    asked = Asked(window.trailing("9 s"), CHOSEN)
    with stream(spark, asked) as run:
        asked.check(fed(run, batches), joined(batches))
