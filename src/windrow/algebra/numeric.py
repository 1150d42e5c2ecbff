"""The numeric form of a monoid: flat tuples of numbers, which kernels compile and lay out.

A monoid's general form takes any Python value.  Its numeric form, if it has one, is the same
operator on a state of a fixed number of machine numbers; the functions are plain Python, so they
also run interpreted, and a test holds the two forms and the compiled one together.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

__all__ = [
    "BOOL",
    "FLOAT",
    "INT",
    "MEASURE",
    "NULL",
    "OVERFLOW",
    "UNITS",
    "VALUE",
    "Dtypes",
    "Field",
    "Numeric",
    "NumericForm",
    "State",
    "is_bare",
]

FLOAT = np.dtype(np.float64)
INT = np.dtype(np.int64)
BOOL = np.dtype(np.bool_)

Dtypes: TypeAlias = tuple[np.dtype[Any], ...]
State: TypeAlias = tuple[Any, ...]

# The status that ends every lowered tuple.
NULL, VALUE, OVERFLOW = 0, 1, 2


@dataclass(frozen=True)
class Field:
    """One number of a result: its name in a struct, its type, and whose column type it inherits."""

    dtype: np.dtype[Any]
    name: str = "value"
    # The input whose logical type (timestamp, int32, …) it has; "time span" is a distance of
    # times, "value duration" the type of the value if that is a duration.
    like: str | None = None


# A number with the unit of the values: of durations it is a duration.
MEASURE = Field(FLOAT, like="value duration")
UNITS = Field(INT, like="value duration")


def is_bare(fields: tuple[Field, ...]) -> bool:
    """Whether a result is one number, not a struct, which may have a single field as well."""
    return len(fields) == 1 and fields[0].name == Field.name


@dataclass(frozen=True, eq=False, kw_only=True)
class Numeric:
    """`lift(*numbers) → state`, `combine(older, newer) → state`, `lower(state) → (…, status)`.

    `total` promises that `lower` always gives a value, and leaves the one exception to the kernel:
    no value at all is null, and `lower` is not asked.  Such a state need not remember whether it
    has seen a value, which most columns, having no nulls, would pay for in vain.
    """

    state: Dtypes
    identity: tuple[float, ...]
    lift: Callable[..., State]
    combine: Callable[[State, State], State]
    lower: Callable[[State], State]
    result: tuple[Field, ...]
    total: bool = False


# From the types of the inputs (FLOAT, INT or BOOL each) to a form, or None if there is none.
NumericForm: TypeAlias = Callable[[Dtypes], Numeric | None]
