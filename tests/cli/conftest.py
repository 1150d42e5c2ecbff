"""The session of the Spark tests, for the commands to find."""

from tests.spark.conftest import spark

__all__ = ["spark"]
