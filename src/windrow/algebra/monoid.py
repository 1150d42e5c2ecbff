"""What is computed: `lift` a value, `combine` neighbours, `lower` to a result.

A monoid is all an aggregator ever knows of an aggregate.  States are values: `combine` returns a
new state and leaves both arguments as they were, because one state may be shared by many windows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from math import nan
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from windrow.algebra.numeric import Dtypes, Numeric, NumericForm

__all__ = [
    "Codec",
    "CountDifferent",
    "Group",
    "Kind",
    "Monoid",
    "MultisetForm",
    "PickQuantile",
    "numeric_of",
]

S = TypeVar("S")
R = TypeVar("R")

# From a state to a plain value, such as bytes, and back.
Codec: TypeAlias = tuple[Callable[[Any], Any], Callable[[Any], Any]]


class Kind(Enum):
    """How much a state must remember of its values."""

    DISTRIBUTIVE = "distributive"  # the state is the result: sum, max
    ALGEBRAIC = "algebraic"  # a few numbers beside the result: mean, variance
    HOLISTIC = "holistic"  # grows with the number of values: median, collect
    SKETCH = "sketch"  # bounded, and the result is approximate: KLL, HLL


@dataclass(frozen=True)
class PickQuantile:
    """The exact quantile `q` of the counted numbers, linearly interpolated."""

    q: float


@dataclass(frozen=True)
class CountDifferent:
    """How many different values were counted."""


MultisetForm: TypeAlias = PickQuantile | CountDifferent


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Monoid(Generic[S, R]):
    """An associative operator with an identity, and the way in and out of it.

    >>> from windrow import agg
    >>> longest = Monoid(name="longest", lift=len, combine=max, lower=lambda n: n, identity=0)
    >>> longest.lower(longest.combine(longest.lift("wind"), longest.lift("row")))
    4
    """

    name: str
    parameters: str = ""  # what distinguishes it from others of its name: "0.9" for a quantile
    mark: str = ""  # what a user's functions are, in every process
    lift: Callable[..., S]  # one argument for each of `inputs`, never null unless `nullable`
    combine: Callable[[S, S], S]  # combine(older, newer)
    lower: Callable[[S], R]
    identity: S
    kind: Kind = Kind.ALGEBRAIC
    commutative: bool = False
    inputs: tuple[str, ...] = ("value",)  # "time" stands for the row's event time
    nullable: frozenset[str] = frozenset()  # inputs whose null does not skip the row
    neutral: Any = nan  # what a slide policy sees where `lower` gives None; a tuple for a struct
    numeric: NumericForm | None = None
    # The numeric form for durations, whole numbers of their unit, where it is another.
    durations: NumericForm | None = None
    changing: bool = False  # its functions are a user's: what they refer to may change
    multiset: MultisetForm | None = None
    # Of a sketch: between what the exact result lies, with a confidence of 99 % at least; None for
    # a state whose result is the exact one.
    bounds: Callable[[S], tuple[Any, Any] | None] | None = None
    returns: str | None = None  # the type of results as Spark writes it, where numbers do not tell
    codec: Codec | None = None  # how states are kept, where they are no plain values
    # The same for rows in any order: it reads their times and arrival numbers before its inputs.
    timed: "Monoid[Any, Any] | None" = None

    def __repr__(self) -> str:
        return f"monoid(name={self.name!r})"

    @property
    def invertible(self) -> bool:
        """Whether the oldest part of a state can be taken out of it again."""
        return isinstance(self, Group)

    def lift_row(self, *values: Any) -> S:
        """Lift the inputs of one row; a null among them makes the row count for nothing."""
        plain = []
        for name, value in zip(self.inputs, values, strict=True):
            if value is None and name not in self.nullable:
                return self.identity
            # Numbers of numpy's wrap around where Python's grow.
            plain.append(value.item() if isinstance(value, np.number | np.bool_) else value)
        return self.lift(*plain)


def numeric_of(monoid: Monoid[Any, Any], dtypes: Dtypes) -> Numeric | None:
    """The numeric form of a monoid for inputs of these types, if it has one: always the same."""
    if monoid.numeric is None:
        return None
    return monoid.numeric(dtypes) if monoid.changing else _fixed(monoid.numeric, dtypes)


@lru_cache(maxsize=1024)
def _fixed(numeric: NumericForm, dtypes: Dtypes) -> Numeric | None:
    return numeric(dtypes)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Group(Monoid[S, R]):
    """A monoid that can subtract: `combine(older, subtract(total, older)) == total`.

    `subtract` may answer `NotImplemented` for a total it cannot undo (an infinite sum, say); the
    caller then folds what is left.
    """

    subtract: Callable[[S, S], Any]
