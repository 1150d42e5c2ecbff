"""The session of the Spark tests: what nodes compute is compared with it."""

from tests.spark.conftest import spark

__all__ = ["spark"]
