"""What Spark's Python processes would each spend a second or two on loading, loaded once."""

import gc
import sys
from contextlib import suppress
from importlib import import_module

__all__ = ["load"]

_MODULES = (
    "pandas",
    "pyarrow.compute",
    "pyspark.sql.pandas.serializers",
    "pyspark.sql.streaming.stateful_processor_api_client",
    "pyspark.worker",
    "windrow.spark.batch.engine",
    "windrow.spark.stream.processor",
    "tests.spark.support",  # what workers unpickle may be the tests' own
)


def load() -> None:
    """Load all that is there: a Python without packages is for its workers to report."""
    # Spark puts its own zipped copy of PySpark first, which a worker would read again and again.
    sys.path[:] = [place for place in sys.path if not place.endswith(".zip")]
    with suppress(ImportError):
        for name in _MODULES:
            import_module(name)
    gc.collect()
    gc.freeze()  # or a worker looks through all of it again after each of its tasks
