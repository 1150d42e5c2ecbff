"""The columns that a query reads, found among those of a row and those derived from them.

Names are found as Spark finds them: whatever their case, and `place.height` is a field of the
column `place` if no column is called like that.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from windrow.edge.query.expressions import Expression, Scope
from windrow.edge.query.expressions.lexer import name_parts
from windrow.errors import InputError

__all__ = ["Asking"]


@dataclass
class Asking:
    """The columns of a query, each once, under internal names."""

    scope: Scope
    _asked: dict[str, str] = field(default_factory=dict)  # what was written, by our name
    _found: dict[str, Expression] = field(default_factory=dict)
    _paths: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def add(self, letter: str, what: Any, argument: str) -> str:
        """Request a column; requesting the same one again returns the same name."""
        numbered = [name for name in self._asked if name[0] == letter]
        for name in numbered:
            if self._asked[name] == what:
                return name
        name = f"{letter}{len(numbered)}"
        self.add_as(name, what, argument)
        return name

    def add_as(self, name: str, what: Any, argument: str) -> None:
        """Request a column under exactly this name."""
        parts = (what,) if what in self.scope.columns else name_parts(what)
        found = self.scope.find(parts)
        if found is None:
            raise InputError(
                f"{argument}={what!r} is not among the columns of a row; they are "
                f"{', '.join(self.scope.columns)}"
            )
        self._asked[name] = what
        self._found[name] = found
        self._paths[name] = tuple(parts)

    @property
    def expressions(self) -> Mapping[str, Expression]:
        """By internal name: what to compute."""
        return self._found

    @property
    def shown(self) -> Mapping[str, str]:
        """By internal name: what the user calls it."""
        return {name: path[-1] for name, path in self._paths.items()}

    @property
    def paths(self) -> Mapping[str, tuple[str, ...]]:
        """By internal name: the column, and the fields in it that lead to what is read."""
        return self._paths

    def schema(self) -> pa.Schema:
        """The columns under internal names; the time is in microseconds, and has a number."""
        fields = []
        for name, found in self._found.items():
            if name == "t":
                fields += [pa.field("t", pa.int64(), nullable=False)]
                fields += [pa.field("n", pa.int64(), nullable=False)]
            else:
                fields.append(pa.field(name, found.kind))
        return pa.schema(fields)
