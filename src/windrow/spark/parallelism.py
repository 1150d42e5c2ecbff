"""How many tasks a shuffle of ours has."""

from pyspark.sql import SparkSession

__all__ = ["tasks_of"]


def tasks_of(spark: SparkSession) -> int:
    """As many tasks as can run at once, and no more than the session shuffles into."""
    shuffled = int(str(spark.conf.get("spark.sql.shuffle.partitions")))
    context = getattr(spark, "_sc", None)  # none on Spark Connect, which does not tell its cores
    return shuffled if context is None else min(shuffled, int(context.defaultParallelism))
