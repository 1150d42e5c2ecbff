"""Resolves what users give for columns, names or expressions, to columns of one DataFrame."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from logging import LogRecord
from threading import get_ident
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.logger import PySparkLogger
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructField

from windrow.arguments import shown
from windrow.errors import InputError

__all__ = ["Selection", "expression", "is_column", "quoted"]

# Where PySpark logs what it raises, kilobytes at a time.
_LOGS = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")

# How many columns a message lists.
_NAMED = 20


def quoted(name: str) -> Column:
    """The column with exactly this name, whatever characters it contains."""
    escaped = name.replace("`", "``")
    return F.col(f"`{escaped}`")


def is_column(what: object) -> bool:
    """Whether a user can have meant a column."""
    return isinstance(what, str | Column)


def expression(df: DataFrame, what: Any, argument: str) -> Column:
    """A user's column: by its exact name, else as Spark reads it (`struct.field`, any case)."""
    if isinstance(what, str):
        return quoted(what) if what in df.columns else F.col(what)
    if isinstance(what, Column):
        return what
    example = "ts" if argument == "time" else "sensor"
    raise InputError(
        f"{argument}={shown(what)} is a {type(what).__name__}; "
        f'give the name of a column or an expression, e.g. {argument}="{example}"'
    )


@dataclass
class Selection:
    """The columns a query reads, each once, under internal names."""

    df: DataFrame
    _asked: list[tuple[str, Any, str]] = field(default_factory=list)

    def add(self, letter: str, what: Any, argument: str) -> str:
        """Request a column; requesting the same one again returns the same name."""
        numbered = [asked for asked in self._asked if asked[0][0] == letter]
        for name, other, _ in numbered:
            named = isinstance(what, str) and isinstance(other, str)
            if other is what or (named and other == what):  # expressions overload ==
                return name
        name = f"{letter}{len(numbered)}"
        self.add_as(name, what, argument)
        return name

    def add_as(self, name: str, what: Any, argument: str) -> None:
        """Request a column under exactly this name."""
        self._asked.append((name, what, argument))

    def fields(self) -> dict[str, StructField]:
        """By internal name: Spark's name and type of each column; refuses what it cannot read."""
        try:
            with _unlogged():
                found = self._schema(self._asked)
        except AnalysisException as error:
            for asked in self._asked:
                self._require_readable(asked)
            raise InputError(
                f"the columns of the query cannot be read together ({_first_line(error)}); derive "
                "them with Spark first, e.g. with df.withColumn"
            ) from None
        if len(found) != len(self._asked):
            for asked in self._asked:
                self._require_single(asked)
        return dict(zip((name for name, _, _ in self._asked), found, strict=True))

    @cached_property
    def _plain(self) -> dict[str, StructField]:
        """The columns whose fields are known from the schema, without a slow call to Spark."""
        fields = self.df.schema.fields
        uses = Counter(field.name.lower() for field in fields)
        return {field.name: field for field in fields if uses[field.name.lower()] == 1}

    def expressions(self) -> dict[str, Column]:
        """By internal name: what to select."""
        return {name: expression(self.df, what, arg) for name, what, arg in self._asked}

    def _schema(self, asked: Sequence[tuple[str, Any, str]]) -> list[StructField]:
        if all(isinstance(what, str) and what in self._plain for _, what, _ in asked):
            return [self._plain[what] for _, what, _ in asked]
        columns = [expression(self.df, what, argument) for _, what, argument in asked]
        return list(self.df.select(*columns).schema)

    def _require_readable(self, asked: tuple[str, Any, str]) -> None:
        _, what, argument = asked
        try:
            with _unlogged():
                self._schema([asked])
        except AnalysisException as error:
            alike = [name for name in self.df.columns if name.casefold() == str(what).casefold()]
            if isinstance(what, str) and len(alike) > 1:
                raise InputError(
                    f"{argument}={what!r} may be any of {', '.join(map(repr, alike))}: Spark does "
                    "not distinguish them; rename one, or set spark.sql.caseSensitive"
                ) from None
            if not isinstance(what, str):
                raise InputError(
                    f"{argument}={what!r} cannot be read from the DataFrame "
                    f"({_first_line(error)}); {_there(self.df)}"
                ) from None
            raise InputError(
                f"{argument}={what!r} is not in the DataFrame; {_meant(what, self.df)}"
                f"{_there(self.df)}"
            ) from None

    def _require_single(self, asked: tuple[str, Any, str]) -> None:
        _, what, argument = asked
        if len(self._schema([asked])) != 1:
            raise InputError(
                f"{argument}={what!r} stands for several columns; name them one by one"
            )


def _first_line(error: AnalysisException) -> str:
    return str(error).splitlines()[0].rstrip(";")


def _meant(name: str, df: DataFrame) -> str:
    folded = {column.casefold(): column for column in df.columns}
    close = get_close_matches(name.casefold(), folded, n=1)
    return f"did you mean {folded[close[0]]!r}? " if close else ""


def _there(df: DataFrame) -> str:
    names, more = df.columns[:_NAMED], len(df.columns) - _NAMED
    rest = f" and {more:,} more" if more > 0 else ""
    return f"its columns are {', '.join(map(repr, names))}{rest}"


@contextmanager
def _unlogged() -> Iterator[None]:
    """Let PySpark raise without writing to its log: we report what it raises in our own words."""
    own = get_ident()

    def of_others(record: LogRecord) -> bool:
        return record.thread != own

    loggers = [PySparkLogger.getLogger(name) for name in _LOGS]
    for logger in loggers:
        logger.addFilter(of_others)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(of_others)
