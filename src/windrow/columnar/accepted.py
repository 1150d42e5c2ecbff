"""Which columns an aggregate of the catalogue takes; all others are refused before anything runs.

Python can add up text, Spark cannot: here it is refused.  One rule serves `roll`, queries on Spark
and nodes; the structures themselves take any values that can be computed with.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.lookup import entry_of
from windrow.algebra.registry import Takes
from windrow.columnar.inputs import TIME_TYPE, reads_time
from windrow.errors import InputError

__all__ = ["Wanted", "require_accepted", "wanted_by"]


@dataclass(frozen=True)
class Wanted:
    """What one input of an aggregate takes: in words, by a column's type, and value by value."""

    words: str
    takes: Takes
    fits: Callable[[pa.DataType], bool]
    holds: Callable[[Any], bool]


def wanted_by(aggregate: Aggregate[Any]) -> tuple[Wanted | None, ...]:
    """What each input of an aggregate takes; None for one that takes anything."""
    entry, inputs = entry_of(aggregate), aggregate.monoid.inputs
    if entry is None or entry.name in _PASSED_ON:
        return (None,) * len(inputs)
    wanted = _WANTED.get(entry.takes, _SINGLE)
    return tuple(None if name == _TAKEN else wanted for name in inputs)


def require_accepted(
    name: str,
    aggregate: Aggregate[Any],
    types: Sequence[pa.DataType],
    written: str,
    ways_out: Mapping[Takes, str],
) -> None:
    """Refuse columns whose type an aggregate does not support; `written` is its name."""
    if not types:
        return
    read = zip(types, reads_time(aggregate), wanted_by(aggregate), strict=True)
    for kind, is_time, wanted in read:
        own = TIME_TYPE if is_time else kind
        if wanted is not None and not pa.types.is_null(own) and not wanted.fits(own):
            raise InputError(
                f"{name}={written} reads a column of type {own}, and takes {wanted.words}; "
                f"{ways_out[wanted.takes]}"
            )


# Any value will do, as it is only passed on; of argmax and argmin, the one that they take.
_PASSED_ON = frozenset({"count", "first", "last", "collect"})
_TAKEN = "taken"


def _is_number_type(kind: pa.DataType) -> bool:
    checks = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_boolean)
    return any(check(kind) for check in checks)


def _is_quantity_type(kind: pa.DataType) -> bool:
    return _is_number_type(kind) or bool(pa.types.is_duration(kind))


def _is_position_type(kind: pa.DataType) -> bool:
    return _is_quantity_type(kind) or bool(pa.types.is_timestamp(kind) or pa.types.is_date(kind))


def _is_text_type(kind: pa.DataType) -> bool:
    checks = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return any(check(kind) for check in checks)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real | Decimal | np.bool_)


def _is_quantity(value: Any) -> bool:
    return _is_number(value) or isinstance(value, timedelta)


_WANTED = {
    Takes.NUMBERS: Wanted("numbers", Takes.NUMBERS, _is_number_type, _is_number),
    Takes.QUANTITIES: Wanted(
        "numbers and durations", Takes.QUANTITIES, _is_quantity_type, _is_quantity
    ),
    Takes.POSITIONS: Wanted(
        "numbers, times and durations",
        Takes.POSITIONS,
        _is_position_type,
        lambda value: _is_quantity(value) or isinstance(value, date),
    ),
    Takes.BOOLEANS: Wanted(
        "booleans",
        Takes.BOOLEANS,
        pa.types.is_boolean,
        lambda value: isinstance(value, bool | np.bool_),
    ),
    Takes.TEXT: Wanted("text", Takes.TEXT, _is_text_type, lambda value: isinstance(value, str)),
}
_SINGLE = Wanted(
    "single values",
    Takes.ANYTHING,
    lambda kind: not pa.types.is_nested(kind),
    lambda value: not isinstance(value, list | tuple | dict | set | frozenset | np.ndarray),
)
