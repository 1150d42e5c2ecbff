"""Queries on Spark beside Spark's own, in one run: `python -m benchmarks.spark`."""
