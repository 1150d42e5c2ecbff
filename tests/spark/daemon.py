"""Spark's daemon with all loaded that Python workers load: those it forks start at once."""

from pyspark.daemon import manager

from tests.spark.loaded import load

if __name__ == "__main__":
    load()
    manager()
