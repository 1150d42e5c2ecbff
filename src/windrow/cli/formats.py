"""Formats that Spark does not bring along, and the packages that do."""

from importlib.metadata import version

__all__ = ["missing_format"]

# As Spark says it when it reads, and when it writes.
_SIGNS = ("DATA_SOURCE_NOT_FOUND", "Failed to find data source", ".DefaultSource")


def missing_format(error: BaseException, format_: str) -> str | None:
    """What to say if Spark has no such format; None if that is not what went wrong."""
    text = str(error)
    if not any(sign in text for sign in _SIGNS):
        return None
    package = _package(format_)
    if package is None:
        return f"Spark knows no format {format_!r} (check the name, or add its package)"
    return (
        f"Spark needs a package for {format_} "
        f"(add --set spark.jars.packages={package}, and its settings if it has some)"
    )


def _package(format_: str) -> str | None:
    spark = version("pyspark")
    return {
        "avro": f"org.apache.spark:spark-avro_2.13:{spark}",
        "delta": "io.delta:delta-spark_2.13:4.0.0",
        "iceberg": "org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:1.10.0",
        "kafka": f"org.apache.spark:spark-sql-kafka-0-10_2.13:{spark}",
    }.get(format_.casefold())
