"""The names of a result's columns: the user's are kept, ours are changed if they clash."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql.types import StructField

from windrow.errors import InputError
from windrow.spark.analysis.columns import free_name

if TYPE_CHECKING:
    from windrow.spark.query import Query

__all__ = ["Names", "names_of", "result_name"]


@dataclass(frozen=True)
class Names:
    """The columns of a result, and those of the DataFrame it comes from."""

    time: str
    keys: tuple[str, ...]
    kept: tuple[str, ...]
    results: tuple[str, ...]  # of aggregates; of windows, where each has a struct of aggregates
    window: str
    name: str
    columns: tuple[str, ...]  # of the user's DataFrame: what late rows show


def names_of(query: "Query", aggregates: Sequence[str], fields: dict[str, StructField]) -> Names:
    """The names of a query's columns; refuses two columns of one name."""
    time = fields["t"].name
    keys = tuple(field.name for ours, field in fields.items() if ours[0] == "k")
    kept = tuple(field.name for ours, field in fields.items() if ours[0] == "c")
    windows = [name for name, _ in query.chosen]
    per_row = query.chosen[0][1].per_row
    side_by_side = per_row and all(windows)
    if side_by_side:
        _require_different(aggregates)
    results = windows if side_by_side else aggregates
    given = [*keys, *([time, *kept] if per_row else []), *results]
    _require_different(given)
    return Names(
        time=time,
        keys=keys,
        kept=kept,
        results=tuple(results),
        window=free_name("window", given),
        name=free_name("name", given),
        columns=tuple(query.df.columns),
    )


def _require_different(names: Iterable[str]) -> None:
    counts = Counter(name.lower() for name in names)  # Spark does not tell cases apart
    for name in names:
        if counts[name.lower()] > 1:
            raise InputError(
                f"the result would have two columns called {name!r}; give aggregates and windows "
                'unique names, and rename columns with .alias("another_name")'
            )


def result_name(name: str) -> str:
    """The column in which a stage gives the result of an aggregate, or of a window."""
    return f"r:{name}"
