"""Queries as contenders: each is built and written to Spark's `noop` sink, which drops the rows.

Before anything is measured, queries that should give the same are compared, value for value.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from benchmarks.measure import Bench, Case, Contender, DisagreementError, Measured
from benchmarks.numbers import case_text

__all__ = ["Build", "compared", "in_turns", "require_same", "write"]

Build: TypeAlias = Callable[[], DataFrame]  # anew for each run, so that planning is counted

_HASHES = 1 << 31  # so that a sum of many fits


def write(df: DataFrame) -> None:
    """Compute all rows of a DataFrame, and drop them."""
    df.write.format("noop").mode("overwrite").save()


def compared(bench: Bench, case: Case, queries: Mapping[str, Build]) -> list[Measured]:
    """Measure queries that give the same."""
    require_same(case, queries)
    return in_turns(bench, case, queries)


def in_turns(bench: Bench, case: Case, queries: Mapping[str, Build]) -> list[Measured]:
    """Measure queries, whatever they give."""
    runs = [Contender(name, _run(build)) for name, build in queries.items()]
    return bench.side_by_side(case, runs)


def _run(build: Build) -> Callable[[], None]:
    return lambda: write(build())


def require_same(case: Case, queries: Mapping[str, Build]) -> None:
    """Refuse to compare queries that give something else than the first."""
    first, *others = queries
    expected = _digest(queries[first]())
    for name in others:
        found = _digest(queries[name]())
        if found != expected:
            raise DisagreementError(
                f"{name} gives other answers than {first} for {case_text(case)}: "
                f"{found[0]:,} rows instead of {expected[0]:,}, or other values in them"
            )


def _digest(df: DataFrame) -> tuple[int, int]:
    """The number of rows, and a sum over all values that does not depend on their order."""
    hashed = F.pmod(F.xxhash64(*(df[name] for name in df.columns)), F.lit(_HASHES))
    (row,) = df.agg(F.count(F.lit(1)), F.sum(hashed)).collect()
    return row[0], row[1] or 0
