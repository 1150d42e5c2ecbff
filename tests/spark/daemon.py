"""Spark's daemon with all loaded that Python workers load: those it forks start at once.

Workers are started again and again, and each of them would spend a second on imports.
"""

from contextlib import suppress
from importlib import import_module

from pyspark.daemon import manager

if __name__ == "__main__":
    with suppress(ImportError):  # a Python without packages is for its workers to tell of
        for name in ("pyarrow.compute", "pyspark.sql.pandas.serializers", "windrow.spark"):
            import_module(name)
    manager()
