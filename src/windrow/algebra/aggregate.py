"""An aggregate: a monoid and the columns it reads; several of them make a product."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeAlias, TypeVar

from windrow.algebra.monoid import Monoid
from windrow.algebra.product import side_by_side
from windrow.algebra.within import CONFIDENCE, Within
from windrow.arguments import shown
from windrow.errors import AggregateError, InputError
from windrow.notebook import code, section

__all__ = [
    "TIME",
    "Aggregate",
    "Aggregation",
    "Product",
    "Reads",
    "as_aggregation",
    "as_monoid",
    "marks_of",
    "of",
    "several",
]


class _Time:
    """Stands for the event time of the row, whatever its column is called."""

    def __repr__(self) -> str:
        return "TIME"

    def __reduce__(self) -> str:
        return "TIME"  # the same object in every process


TIME: Final = _Time()

# What an input reads: a column by name (or by an engine's own column object), the event time, or
# None: the inserted value itself.
Reads: TypeAlias = Any

S = TypeVar("S")
R = TypeVar("R")
M = TypeVar("M", bound=Monoid[Any, Any], covariant=True)


@dataclass(frozen=True)
class Aggregate(Generic[M]):
    """A monoid and what each of its inputs reads.

    >>> from windrow import agg
    >>> agg.max("temp")
    max('temp')
    """

    monoid: M
    columns: tuple[Reads, ...] = ()
    tolerance: Within | None = None  # how wrong results of approximate windows may be

    def __post_init__(self) -> None:
        inputs = self.monoid.inputs
        if not self.columns:
            object.__setattr__(self, "columns", tuple(None for _ in inputs))
        elif len(self.columns) != len(inputs):
            raise AggregateError(
                f"{self.monoid.name} reads {len(inputs)} column(s) {inputs}, "
                f"got columns={shown(self.columns)}; name one column for each"
            )

    def __repr__(self) -> str:
        columns = [_named(column) for column in self.columns if column is not None]
        tolerance = "" if self.tolerance is None else f".{self.tolerance!r}"
        given = ", ".join(filter(None, [self.monoid.parameters, *columns]))
        return f"{self.monoid.name}({given}){tolerance}"

    def _repr_html_(self) -> str:
        order = "any order" if self.monoid.commutative else "their own order"
        facts = (f"{self.monoid.kind.value}", f"rows may be combined in {order}")
        return f"<p>{code(repr(self))}</p>{section('Aggregate', facts)}"

    def within(
        self,
        *,
        relative: float | None = None,
        absolute: float | None = None,
        confidence: float = CONFIDENCE,
    ) -> "Aggregate[M]":
        """The same aggregate with a bounded error: windows on Spark may keep buckets of rows.

        Its results become intervals: `value`, and `low` and `high` with the exact result in
        between. `relative` bounds the error by a share of the result, as predicted at a level of
        `confidence`; `absolute` bounds it in the result's own units.  Extrema take neither: rows
        that are not expected to become the extremum share buckets.  Sketches keep all their rows,
        and give their own bounds.  Everywhere else windows are exact, which is within any bound.

        >>> from windrow import agg
        >>> agg.sum("bytes").within(relative=0.001)
        sum('bytes').within(relative=0.001, confidence=0.95)
        """
        bound = Within(relative=relative, absolute=absolute, confidence=confidence)
        return replace(self, tolerance=bound)

    def bound(self) -> Monoid[Any, Any]:
        """The same monoid, with a `lift` that takes one inserted value or record."""
        return replace(self.monoid, lift=self._lift, inputs=("row",), nullable=frozenset({"row"}))

    def read(self, row: Any) -> tuple[Any, ...]:
        """The values of this aggregate's inputs in one inserted value or record."""
        columns = self.columns
        if not columns:
            return ()
        if all(column is None for column in columns):
            if len(columns) == 1:
                return (row,)
            if isinstance(row, tuple | list) and len(row) == len(columns):
                return tuple(row)
            raise InputError(
                f"{self.monoid.name} takes {self.monoid.inputs}, got {shown(row)}; "
                f"insert a tuple of {len(columns)} values"
            )
        return tuple(_entry(row, column, self.monoid.name) for column in columns)

    def _lift(self, row: Any) -> Any:
        return self.monoid.lift_row(*self.read(row))


def _named(column: Reads) -> str:
    """A column as it was given; mappings may have numbers for names, even those without a repr."""
    return shown(column) if isinstance(column, int) else repr(column)


def _entry(row: Any, column: Reads, reader: str) -> Any:
    key = "time" if column is TIME else column
    try:
        return row[key]
    except (KeyError, TypeError, IndexError):
        raise InputError(
            f"{reader} reads column {shown(key)}, which {shown(row)} does not have; "
            f"insert a mapping with an entry {shown(key)}"
        ) from None


def marks_of(aggregates: "Iterable[Aggregate[Any]]") -> str:
    """Fingerprints that distinguish users' monoids with the same name, to be added to descriptions.

    A repr shows the name alone; state belongs to these very functions.
    """
    marks = [part.monoid.mark for part in aggregates if part.monoid.mark]
    return f" of {', '.join(marks)}" if marks else ""


def of(monoid: Monoid[S, R], *columns: Reads) -> Aggregate[Monoid[S, R]]:
    """Aggregate with your own monoid: give a column for each argument of `lift`, or none at all.

    Nulls are skipped unless the monoid's `nullable` names their input.

    >>> import windrow as wr
    >>> from windrow.testing import fold
    >>> longest = wr.monoid(lift=len, combine=max, identity=0)
    >>> fold(of(longest, "word"), [{"word": "wind"}, {"word": "row"}])
    4
    """
    if not isinstance(monoid, Monoid):
        raise AggregateError(
            f"of() takes a monoid, got {shown(monoid)}; "
            "build one: windrow.monoid(lift=…, combine=…, identity=…)"
        )
    return Aggregate(monoid, columns)


@dataclass(frozen=True)
class Product:
    """Several named aggregates over one window: one structure, one policy, a dict of results."""

    parts: tuple[tuple[str, "Aggregate[Any]"], ...]

    def __repr__(self) -> str:
        return f"several({', '.join(f'{name}={part!r}' for name, part in self.parts)})"

    def bound(self) -> Monoid[Any, Any]:
        """One monoid whose state is the tuple of the parts' states."""
        return side_by_side(tuple((name, part.bound()) for name, part in self.parts))


# What may be kept in a window: aggregates, alone or several under names, or a bare monoid.
Aggregation: TypeAlias = (
    "Aggregate[Any] | Product | Mapping[str, Aggregate[Any]] | Monoid[Any, Any]"
)


def several(**aggregates: "Aggregate[Any] | Monoid[Any, Any]") -> Product:
    """Several named aggregates that share one window.

    >>> from windrow import agg
    >>> several(n=agg.count(), peak=agg.max("temp"))
    several(n=count(), peak=max('temp'))
    """
    if not aggregates:
        raise AggregateError("several() got no aggregate; name at least one, as in n=agg.count()")
    return Product(tuple((name, _as_aggregate(part, name)) for name, part in aggregates.items()))


def _as_aggregate(part: object, argument: str) -> "Aggregate[Any]":
    if isinstance(part, Monoid):
        return Aggregate(part)
    if isinstance(part, Aggregate):
        return part
    raise AggregateError(
        f"{argument}={shown(part)} is not an aggregate; use one of windrow.agg, "
        "such as agg.max(), or agg.of(monoid)"
    )


def as_aggregation(spec: object, argument: str = "aggregate") -> "Aggregate[Any] | Product":
    """Read what a user gave for an aggregate: an aggregate, a product, a mapping or a monoid."""
    if isinstance(spec, Product):
        return spec
    if isinstance(spec, Mapping):
        if not spec:
            raise AggregateError(
                f"{argument}={shown(spec)} holds no aggregate; name at least one, as in "
                '{"n": agg.count()}'
            )
        if not all(isinstance(name, str) for name in spec):
            raise AggregateError(
                f"{argument} has names {shown(list(spec))}; name aggregates by text"
            )
        return several(**spec)
    return _as_aggregate(spec, argument)


def as_monoid(spec: object, argument: str = "monoid") -> Monoid[Any, Any]:
    """The monoid over inserted values that a user's aggregate, product, mapping or monoid means."""
    return as_aggregation(spec, argument).bound()
