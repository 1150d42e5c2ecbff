"""What users say for columns, names or expressions, made into columns of one DataFrame."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructField

from windrow.errors import InputError

__all__ = ["Selection", "Shown", "expression", "free_name", "is_column", "quoted"]


class Shown(str):
    """A name of ours that messages show as what the user wrote."""

    written: str

    def __new__(cls, name: str, written: str) -> "Shown":
        """The name, and how to show it."""
        shown = super().__new__(cls, name)
        shown.written = written
        return shown

    def __repr__(self) -> str:
        return self.written

    def __reduce__(self) -> Any:
        return Shown, (str(self), self.written)


def quoted(name: str) -> Column:
    """The column of exactly this name, whatever characters it has."""
    escaped = name.replace("`", "``")
    return F.col(f"`{escaped}`")


def free_name(name: str, taken: Iterable[str]) -> str:
    """A name of ours that is none of the user's, which Spark reads in any case."""
    folded = {other.casefold() for other in taken}
    while name.casefold() in folded:
        name += "_"
    return name


def is_column(what: object) -> bool:
    """Whether a user can have meant a column."""
    return isinstance(what, str | Column)


def expression(df: DataFrame, what: Any, argument: str) -> Column:
    """A user's column: a name in full first, then as Spark reads it (`struct.field`, any case)."""
    if isinstance(what, str):
        return quoted(what) if what in df.columns else F.col(what)
    if isinstance(what, Column):
        return what
    example = "ts" if argument == "time" else "sensor"
    raise InputError(
        f"{argument}={what!r} is a {type(what).__name__}; "
        f'give the name of a column or an expression, e.g. {argument}="{example}"'
    )


@dataclass
class Selection:
    """The columns a query reads, each once, under names of ours."""

    df: DataFrame
    _asked: list[tuple[str, Any, str]] = field(default_factory=list)

    def add(self, letter: str, what: Any, argument: str) -> str:
        """Ask for a column; the same one asked again keeps the name it was given."""
        numbered = [asked for asked in self._asked if asked[0][0] == letter]
        for name, other, _ in numbered:
            named = isinstance(what, str) and isinstance(other, str)
            if other is what or (named and other == what):  # expressions overload ==
                return name
        name = f"{letter}{len(numbered)}"
        self.add_as(name, what, argument)
        return name

    def add_as(self, name: str, what: Any, argument: str) -> None:
        """Ask for a column under this very name."""
        self._asked.append((name, what, argument))

    def fields(self) -> dict[str, StructField]:
        """By our name: what Spark calls each column, and its type; refuses what it cannot read."""
        try:
            found = self._schema(self._asked)
        except AnalysisException:
            for asked in self._asked:
                self._require_readable(asked)
            raise
        if len(found) != len(self._asked):
            for asked in self._asked:
                self._require_single(asked)
        return dict(zip((name for name, _, _ in self._asked), found, strict=True))

    @cached_property
    def _plain(self) -> dict[str, StructField]:
        """The columns that Spark, asked by name, would say the same of, but not as fast."""
        fields = self.df.schema.fields
        uses = Counter(field.name.lower() for field in fields)
        return {field.name: field for field in fields if uses[field.name.lower()] == 1}

    def expressions(self) -> dict[str, Column]:
        """By our name: what to select."""
        return {name: expression(self.df, what, arg) for name, what, arg in self._asked}

    def _schema(self, asked: Sequence[tuple[str, Any, str]]) -> list[StructField]:
        if all(isinstance(what, str) and what in self._plain for _, what, _ in asked):
            return [self._plain[what] for _, what, _ in asked]
        columns = [expression(self.df, what, argument) for _, what, argument in asked]
        return list(self.df.select(*columns).schema)

    def _require_readable(self, asked: tuple[str, Any, str]) -> None:
        _, what, argument = asked
        try:
            self._schema([asked])
        except AnalysisException as error:
            there = ", ".join(map(repr, self.df.columns))
            alike = [name for name in self.df.columns if name.casefold() == str(what).casefold()]
            if isinstance(what, str) and len(alike) > 1:
                raise InputError(
                    f"{argument}={what!r} may be any of {', '.join(map(repr, alike))}: Spark does "
                    "not tell them apart; rename one, or set spark.sql.caseSensitive"
                ) from None
            reason = "" if isinstance(what, str) else f" ({str(error).splitlines()[0]})"
            raise InputError(
                f"{argument}={what!r} is not in the DataFrame{reason}; its columns are {there}"
            ) from None

    def _require_single(self, asked: tuple[str, Any, str]) -> None:
        _, what, argument = asked
        if len(self._schema([asked])) != 1:
            raise InputError(
                f"{argument}={what!r} stands for several columns; name them one by one"
            )
