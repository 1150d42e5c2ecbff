"""Results in exactly the Arrow type that a query promises."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.catalogue.filters import BloomFilter
from windrow.algebra.optional import same
from windrow.algebra.rounding import half_up
from windrow.columnar.answers import in_units
from windrow.columnar.arrays import whole
from windrow.columnar.digits import quantizer
from windrow.errors import ResultOverflowError

__all__ = ["typed"]

_REFUSALS = (
    pa.ArrowInvalid,
    pa.ArrowTypeError,
    pa.ArrowNotImplementedError,
    ArithmeticError,
    TypeError,
    ValueError,
)


def typed(
    answer: pa.Array | pa.ChunkedArray | Sequence[Any],
    result: pa.DataType,
    aggregate: Aggregate[Any],
) -> pa.Array:
    """Results, as a roll gives them or as Python values, in the type of a result column.

    Null stays null and NaN stays NaN.  Decimals are rounded half up to the scale, as in Spark; a
    Bloom filter becomes its bytes, the lowest bits first; a struct of bins becomes a list.

    >>> from decimal import Decimal
    >>> from windrow import agg
    >>> typed([Decimal("0.125"), None], pa.decimal128(9, 2), agg.mean()).to_pylist()
    [Decimal('0.13'), None]
    """
    try:
        if isinstance(answer, pa.Array | pa.ChunkedArray):
            return _cast(whole(answer), result)
        return _built(answer, result)
    except _REFUSALS as problem:
        raise ResultOverflowError(
            f"{aggregate!r} has results that do not fit {result} ({problem}); "
            f"{_way_out(aggregate, result)}"
        ) from None


def _way_out(aggregate: Aggregate[Any], result: pa.DataType) -> str:
    if aggregate.monoid.returns is not None:
        return "say another type where it is made: windrow.monoid(..., returns=...)"
    if pa.types.is_decimal(result):
        return "cast its column to double first, or to a decimal of fewer digits"
    return "cast its column to double or decimal first"


def _cast(array: pa.Array, result: pa.DataType) -> pa.Array:
    kind = array.type
    if kind == result:
        return array
    if pa.types.is_null(kind):
        return pa.nulls(len(array), result)
    if pa.types.is_struct(kind):
        return _from_struct(array, result)
    if pa.types.is_decimal(kind) and pa.types.is_decimal(result):
        return _rescaled(array, result)
    if pa.types.is_duration(result) and pa.types.is_floating(kind):
        return in_units(array, result)
    if pa.types.is_floating(result) and not pa.types.is_nested(kind):
        return array.cast(result, safe=False)  # a long integer becomes the nearest float
    if pa.types.is_nested(kind) or pa.types.is_decimal(result) or pa.types.is_boolean(result):
        return _built(array.to_pylist(), result)
    if pa.types.is_date(result) and pa.types.is_integer(kind):
        return array.cast(pa.int32()).cast(result)
    return array.cast(result)


def _from_struct(array: pa.Array, result: pa.DataType) -> pa.Array:
    fields = array.flatten()  # null where the struct is
    if pa.types.is_struct(result):
        columns = [_cast(own, result.field(k).type) for k, own in enumerate(fields)]
        missing = array.is_null() if array.null_count else None
        return pa.StructArray.from_arrays(columns, fields=list(result), mask=missing)
    if not pa.types.is_list(result) or array.null_count:
        return _built(array.to_pylist(), result)
    values = pa.array(np.stack([np.asarray(own) for own in fields], axis=1).ravel())
    offsets = np.arange(len(array) + 1, dtype=np.int32) * len(fields)
    return pa.ListArray.from_arrays(pa.array(offsets), _cast(values, result.value_type), result)


def _rescaled(array: pa.Array, result: pa.DataType) -> pa.Array:
    if array.type.scale > result.scale:
        # Rounding may carry into one digit more than the column has so far.
        wide = array.cast(pa.decimal256(76, array.type.scale))
        array = pc.round(wide, result.scale, "half_towards_infinity")
    return array.cast(result)


def _built(values: Sequence[Any], result: pa.DataType) -> pa.Array:
    convert = _converter(result)
    plain = [None if value is None else convert(value) for value in values]
    return pa.array(plain, result)


def _converter(kind: pa.DataType) -> Callable[[Any], Any]:
    """What makes Python's value one that Arrow takes for this type."""
    if pa.types.is_floating(kind):
        return float  # Arrow refuses whole numbers beyond 2⁵³, and decimals
    if pa.types.is_boolean(kind):
        return bool
    if pa.types.is_decimal(kind):
        return quantizer(kind)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        item = _converter(kind.value_type)
        return lambda found: [None if x is None else item(x) for x in _items(found)]
    if pa.types.is_struct(kind):
        return _record_maker(kind)
    if pa.types.is_integer(kind):
        return _integer
    if pa.types.is_duration(kind):
        return _duration
    return _bytes if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) else same


def _items(found: Any) -> Any:
    return found.values() if isinstance(found, dict) else found


def _record_maker(kind: pa.DataType) -> Callable[[Any], dict[str, Any]]:
    makers = [(field.name, _converter(field.type)) for field in kind]

    def record(found: Any) -> dict[str, Any]:
        if hasattr(found, "_asdict"):
            found = found._asdict()
        values = [found[name] for name, _ in makers] if isinstance(found, dict) else found
        return {
            name: None if value is None else make(value)
            for (name, make), value in zip(makers, values, strict=True)
        }

    return record


def _integer(number: Any) -> int:
    whole_number = int(number)
    if whole_number != number:
        raise ValueError(f"{number!r} is no whole number")
    return whole_number


def _duration(value: Any) -> Any:
    """Numbers are of the unit of the column."""
    return half_up(value) if isinstance(value, int | float) else value


def _bytes(value: Any) -> Any:
    return bytes(value) if isinstance(value, BloomFilter) else value
