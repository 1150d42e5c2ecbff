"""Casts between simple types, as Spark casts in its ANSI mode: what does not fit fails.

What depends on the zone of a session of Spark, or on its version of Java, is refused.
"""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow.columnar.ddl import parse_type
from windrow.edge.query.expressions.arithmetic import fitted, saturated, whole_of_floats
from windrow.edge.query.expressions.kinds import (
    LIMITS,
    digit,
    is_decimal,
    is_float,
    is_int,
    is_number,
    is_text,
    name_of,
)
from windrow.edge.query.expressions.values import (
    Expression,
    Mask,
    MismatchError,
    literal,
    mask_of,
    strict,
)
from windrow.errors import AggregateError

__all__ = ["cast", "kind_called"]

_TIME = pa.timestamp("us", tz="UTC")
_SECOND = 1_000_000
_BLANK = "".join(map(chr, range(0x21))) + "\x7f"  # what Spark trims off numbers
_WHOLE = re.compile(r"[+-]?[0-9]+")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[dDfF]?")
_WORDS = {"nan": "nan", "inf": "inf", "infinity": "inf"}
_WORDS |= {f"{sign}{word}": f"{sign}inf" for sign in "+-" for word in ("inf", "infinity")}
_TRUE = frozenset({"t", "true", "y", "yes", "1"})
_FALSE = frozenset({"f", "false", "n", "no", "0"})

# An array in another type, or with the rows that do not fit it.
_Cast = Callable[[pa.Array], Any]


def kind_called(text: str) -> pa.DataType:
    """The simple type of a name."""
    try:
        kind = parse_type(text)
    except AggregateError:
        kind = None
    if kind is None or not _is_simple(kind):
        raise MismatchError(
            f"no cast to {text!r} (there are boolean, tinyint, smallint, int, bigint, float, "
            "double, decimal(p, s), string, timestamp)"
        )
    return kind


def _is_simple(kind: pa.DataType) -> bool:
    return is_number(kind) or is_text(kind) or kind in {pa.bool_(), _TIME}


def cast(inner: Expression, kind: pa.DataType) -> Expression:
    """A value in another type."""
    written = f"CAST({inner.written} AS {name_of(kind)})"
    if inner.is_null:
        return literal(None, kind, written)
    if inner.kind == kind:
        return inner.computed()
    found = _cast_to(inner.kind, kind)
    if found is None:
        raise MismatchError(
            f"no cast of {name_of(inner.kind)} to {name_of(kind)}{_why(inner.kind, kind)}"
        )
    return strict(kind, written, [inner], found, f"does not fit {name_of(kind)}")


def _why(given: pa.DataType, kind: pa.DataType) -> str:
    if is_text(kind) and is_float(given):
        return " (versions of Java write numbers differently; cast it to a decimal first)"
    if pa.types.is_temporal(given) or pa.types.is_temporal(kind):
        return (
            " (it depends on the zone of a session of Spark; between timestamps and numbers of "
            "seconds there are casts)"
        )
    return " (leave it out)"


def _cast_to(given: pa.DataType, kind: pa.DataType) -> _Cast | None:
    if is_text(given):
        return _from_text(kind)
    if is_text(kind):
        return _to_text(given)
    if pa.types.is_boolean(given) and is_number(kind):
        one = digit(1, kind)
        zero = digit(0, kind)
        return lambda a: pc.if_else(a, one, zero)
    if pa.types.is_boolean(kind) and is_number(given):
        zero = digit(0, given)
        return lambda a: pc.not_equal(a, zero)
    if given == _TIME and is_int(kind):
        return lambda a: _into(_seconds(a), kind)
    if given == _TIME and kind == pa.float64():
        return lambda a: pc.divide(a.cast(pa.int64()).cast(kind, safe=False), float(_SECOND))
    if kind == _TIME and is_int(given):
        return _time_of_whole
    if kind == _TIME and given == pa.float64():
        return _time_of_float
    return _of_numbers(given, kind) if is_number(given) and is_number(kind) else None


def _of_numbers(given: pa.DataType, kind: pa.DataType) -> _Cast:
    if is_float(kind):
        if is_decimal(given):
            return lambda a: a.cast(pa.string()).cast(kind)
        return lambda a: a.cast(kind, safe=False)
    if is_int(kind):
        if is_int(given):
            return lambda a: _into(a.cast(pa.int64()), kind)
        if is_float(given):
            return lambda a: whole_of_floats(a, kind)
        return lambda a: _whole_of_decimal(a, kind)
    if is_int(given):
        return lambda a: _to_decimal(
            [None if x is None else Decimal(x) for x in a.to_pylist()], kind
        )
    if given == pa.float64():
        return lambda a: _to_decimal(_exactly(a), kind)
    if is_decimal(given):
        return lambda a: _to_decimal(a.to_pylist(), kind)
    return lambda a: _to_decimal(_exactly(a.cast(pa.float64())), kind)


def _into(whole: pa.Array, kind: pa.DataType) -> tuple[pa.Array, Mask]:
    lowest, highest = LIMITS[kind]
    bad = mask_of(pc.or_(pc.less(whole, lowest), pc.greater(whole, highest)))
    if bad.any():
        whole = pc.if_else(pa.array(bad), pa.scalar(None, whole.type), whole)
    return whole.cast(kind), bad


def _whole_of_decimal(decimals: pa.Array, kind: pa.DataType) -> tuple[pa.Array, Mask]:
    lowest, highest = LIMITS[kind]
    found = [None if x is None else int(x) for x in decimals.to_pylist()]
    bad = np.array([x is not None and not lowest <= x <= highest for x in found], np.bool_)
    kept = [None if over else x for x, over in zip(found, bad.tolist(), strict=True)]
    return pa.array(kept, kind), bad


def _exactly(floats: pa.Array) -> list[Decimal | None]:
    """The digits that a number is written with."""
    return [None if x is None else Decimal(repr(x)) for x in floats.to_pylist()]


def _to_decimal(found: list[Decimal | None], kind: pa.DataType) -> tuple[pa.Array, Mask]:
    # Spark gives null for NaN and the infinities, in ANSI mode too
    return fitted([None if x is None or not x.is_finite() else x for x in found], kind)


def _seconds(times: pa.Array) -> pa.Array:
    """Whole seconds since 1970, rounded down."""
    us = times.cast(pa.int64())
    known = mask_of(us.is_valid())
    return pa.array(us.fill_null(0).to_numpy(zero_copy_only=False) // _SECOND, mask=~known)


def _time_of_whole(seconds: pa.Array) -> tuple[pa.Array, Mask]:
    wide = seconds.cast(pa.int64())
    most = LIMITS[pa.int64()][1] // _SECOND
    bad = mask_of(pc.greater(pc.abs(wide), most))
    if bad.any():
        wide = pc.if_else(pa.array(bad), pa.scalar(None, pa.int64()), wide)
    return pc.multiply(wide, _SECOND).cast(_TIME), bad


def _time_of_float(seconds: pa.Array) -> tuple[pa.Array, Mask]:
    bad = mask_of(pc.invert(pc.is_finite(seconds)))
    us = pc.multiply(seconds, float(_SECOND))
    return (
        pc.if_else(pa.array(bad), pa.scalar(None, pa.int64()), saturated(pc.trunc(us))).cast(_TIME),
        bad,
    )


def _from_text(kind: pa.DataType) -> _Cast | None:
    if is_int(kind):
        lowest, highest = LIMITS[kind]

        def whole(text: str) -> int | None:
            text = text.strip(_BLANK)
            found = int(text) if _WHOLE.fullmatch(text) and len(text) < 100 else None
            return None if found is None or not lowest <= found <= highest else found

        return _each(whole, kind)
    if is_float(kind):
        return _each(_float, kind)
    if pa.types.is_boolean(kind):
        return _each(_boolean, kind)
    return None


def _float(text: str) -> float | None:
    text = text.strip(_BLANK)
    if _FLOAT.fullmatch(text):
        return float(text.rstrip("dDfF"))
    word = _WORDS.get(text.lower())
    return None if word is None else float(word)


def _boolean(text: str) -> bool | None:
    text = text.strip(_BLANK).lower()
    return text in _TRUE if text in _TRUE | _FALSE else None


def _each(read: Callable[[str], Any], kind: pa.DataType) -> _Cast:
    """Texts one by one; those that cannot be read fail."""

    def apply(texts: pa.Array) -> tuple[pa.Array, Mask]:
        found = [None if text is None else read(text) for text in texts.to_pylist()]
        array = pa.array(found, kind)
        return array, mask_of(array.is_null()) & mask_of(texts.is_valid())

    return apply


def _to_text(given: pa.DataType) -> _Cast | None:
    if is_int(given) or pa.types.is_boolean(given):
        return lambda a: a.cast(pa.string())
    if is_decimal(given):
        return lambda a: pa.array(
            [None if x is None else format(x, "f") for x in a.to_pylist()], pa.string()
        )
    return None
