"""The names that an expression can use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from windrow.edge.query.expressions.values import Expression, Values, column

__all__ = ["Scope"]


@dataclass(frozen=True, eq=False)
class Scope:
    """The columns of a row, and those derived from them, by name."""

    columns: Mapping[str, Expression]

    @classmethod
    def of(cls, schema: pa.Schema) -> "Scope":
        """The columns of a row."""
        return cls({field.name: column(field.name, field.type) for field in schema})

    def having(self, name: str, derived: Expression) -> "Scope":
        """The same with one more column, in the place of the one of that name."""
        others = {n: e for n, e in self.columns.items() if n.casefold() != name.casefold()}
        return Scope({**others, name: derived})

    def find(self, parts: Sequence[str]) -> Expression | None:
        """The column of a name, or the field that it leads to; Spark does not tell cases apart."""
        first, *fields = parts
        found = next(
            (own for name, own in self.columns.items() if name.casefold() == first.casefold()), None
        )
        for name in fields:
            found = None if found is None else _field(found, name)
        return found


def _field(outer: Expression, name: str) -> Expression | None:
    """A field of a struct."""
    if not pa.types.is_struct(outer.kind):
        return None
    own = [at for at, field in enumerate(outer.kind) if field.name.casefold() == name.casefold()]
    if len(own) != 1:
        return None
    (at,) = own
    return Expression(
        outer.kind.field(at).type,
        f"{outer.written}.`{outer.kind.field(at).name}`",
        (outer,),
        lambda _, inputs: Values(pc.struct_field(inputs[0].array, [at]), inputs[0].failures),
    )
