"""Computing with numbers, in Spark's types: what does not fit fails, as in its ANSI mode."""

from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow.edge.query.expressions.kinds import (
    LIMITS,
    as_decimal,
    as_kind,
    common,
    digit,
    fitting,
    is_decimal,
    is_float,
    is_int,
    is_number,
    name_of,
)
from windrow.edge.query.expressions.values import (
    Evaluation,
    Expression,
    Mask,
    MismatchError,
    Values,
    first_of,
    in_turn,
    mask_of,
    settled,
    strict,
)

__all__ = [
    "absolute",
    "binary",
    "ceiling",
    "fitted",
    "floor",
    "negative",
    "rounded",
    "saturated",
    "square_root",
    "whole_of_floats",
]

_WIDE = pa.decimal256(76, 0)
_CONTEXT = Context(prec=400, rounding=ROUND_HALF_UP)  # of a double, too, all digits are there
_LIMIT = 1e9  # of numbers that rounding can be trusted with if they are scaled as floats
_UNCHECKED = {"+": pc.add, "-": pc.subtract, "*": pc.multiply}
_CHECKED = {"+": pc.add_checked, "-": pc.subtract_checked, "*": pc.multiply_checked}


def binary(sign: str, left: Expression, right: Expression) -> Expression:
    """One of + - * / %."""
    written = f"({left.written} {sign} {right.written})"
    for side in (left, right):
        if not is_number(side.kind):
            what = "null" if side.is_null else name_of(side.kind)
            raise MismatchError(f"{sign} takes numbers, and not {what} (cast it, e.g. x::double)")
    if (is_decimal(left.kind) or is_decimal(right.kind)) and not (
        is_float(left.kind) or is_float(right.kind)
    ):
        return _of_decimals(sign, left, right, written)
    kind = pa.float64() if sign == "/" else common(left.kind, right.kind, sign)
    left, right = as_kind(left, kind), as_kind(right, kind)
    if sign in "/%":
        divide = _quotient if sign == "/" else _remainder
        return _dividing(kind, written, left, right, divide)
    if is_float(kind):
        return strict(kind, written, [left, right], _UNCHECKED[sign])
    return strict(
        kind, written, [left, right], _checked(sign, kind), f"does not fit {name_of(kind)}"
    )


def _checked(sign: str, kind: pa.DataType) -> Callable[..., Any]:
    """Integers that are null where the result does not fit."""

    def apply(a: pa.Array, b: pa.Array) -> Any:
        try:
            return _CHECKED[sign](a, b)
        except pa.ArrowInvalid:  # some do not fit
            wide = pa.decimal256(20, 0)
            a, b = a.cast(pa.int64()).cast(wide), b.cast(pa.int64()).cast(wide)
            return _narrowed(_UNCHECKED[sign](a, b), kind)

    return apply


def _narrowed(exact: pa.Array, kind: pa.DataType) -> tuple[pa.Array, Mask]:
    """Whole decimals as integers, and where they do not fit."""
    lowest, highest = (pa.scalar(Decimal(limit), _WIDE) for limit in LIMITS[kind])
    exact = exact.cast(_WIDE)
    bad = mask_of(pc.or_(pc.less(exact, lowest), pc.greater(exact, highest)))
    return pc.if_else(pa.array(bad), pa.scalar(None, _WIDE), exact).cast(kind), bad


def _dividing(
    kind: pa.DataType,
    written: str,
    left: Expression,
    right: Expression,
    divide: Callable[[pa.Array, pa.Array], pa.Array],
    fit: Callable[[pa.Array], tuple[pa.Array, Mask]] | None = None,
) -> Expression:
    """A quotient or a remainder; Spark looks at the divisor first."""

    def compute(evaluation: Evaluation, values: Sequence[Values]) -> Values:
        a, b = values[0].array, values[1].array
        zero = mask_of(pc.and_(pc.equal(b, digit(0, b.type)), a.is_valid()))
        failed = evaluation.failing(zero, f"{written}: division by zero")
        if failed is not None:
            b = pc.if_else(pa.array(zero), pa.scalar(None, b.type), b)
        array, over = divide(a, b), None
        if fit is not None:
            array, bad = fit(array)
            over = evaluation.failing(bad, f"{written}: does not fit {name_of(kind)}")
        return settled(array, first_of([in_turn([values[1], values[0]]), failed, over]))

    return Expression(kind, written, (left, right), compute)


def _quotient(a: pa.Array, b: pa.Array) -> pa.Array:
    return pc.divide(a, b)


def _remainder(a: pa.Array, b: pa.Array) -> pa.Array:
    """With the sign of the dividend."""
    known = mask_of(pc.and_(a.is_valid(), b.is_valid()))
    dividend, divisor = (x.fill_null(1).to_numpy(zero_copy_only=False) for x in (a, b))
    if divisor.dtype.kind == "i":  # the lowest integer by -1 would overflow
        divisor = np.where(divisor == -1, divisor.dtype.type(1), divisor)
    with np.errstate(all="ignore"):
        found = np.fmod(dividend, divisor)
    return pa.array(found, a.type, mask=~known)


def _of_decimals(sign: str, left: Expression, right: Expression, written: str) -> Expression:
    left, right = as_decimal(left), as_decimal(right)
    p1, s1, p2, s2 = left.kind.precision, left.kind.scale, right.kind.precision, right.kind.scale
    scale = max(s1, s2)
    if sign in "+-":
        kind = fitting(max(p1 - s1, p2 - s2) + scale + 1, scale)
    elif sign == "*":
        kind = fitting(p1 + p2 + 1, s1 + s2)
    elif sign == "/":
        behind = max(6, s1 + p2 + 1)
        kind = fitting(p1 - s1 + s2 + behind, behind)
    else:
        kind = fitting(min(p1 - s1, p2 - s2) + scale, scale)
    if sign in "/%":
        divide = _map(_divided if sign == "/" else _CONTEXT.remainder)
        return _dividing(kind, written, left, right, divide, lambda found: fitted(found, kind))

    def apply(a: pa.Array, b: pa.Array) -> tuple[pa.Array, Mask]:
        try:
            wide = [x.cast(pa.decimal256(x.type.precision, x.type.scale)) for x in (a, b)]
            return fitted(_UNCHECKED[sign](*wide), kind)
        except pa.ArrowInvalid:  # more digits than Arrow has
            return fitted(_map(_PYTHON[sign])(a, b), kind)

    return strict(kind, written, [left, right], apply, f"does not fit {name_of(kind)}")


_PYTHON = {"+": _CONTEXT.add, "-": _CONTEXT.subtract, "*": _CONTEXT.multiply}


def _divided(a: Decimal, b: Decimal) -> Decimal:
    """As Spark divides: with 38 digits behind the point, before it rounds to those of the type."""
    return _CONTEXT.divide(a, b).quantize(Decimal("1e-38"), context=_CONTEXT)


def _map(function: Callable[[Decimal, Decimal], Decimal]) -> Callable[..., Any]:
    """A function of Python's decimals, one by one."""

    def apply(a: pa.Array, b: pa.Array) -> list[Decimal | None]:
        pairs = zip(a.to_pylist(), b.to_pylist(), strict=True)
        return [None if x is None or y is None else function(x, y) for x, y in pairs]

    return apply


def fitted(found: pa.Array | list[Decimal | None], kind: pa.DataType) -> tuple[pa.Array, Mask]:
    """Decimals rounded half up to a type, and where they have too many digits for it."""
    if isinstance(found, list):
        unit, limit = Decimal(1).scaleb(-kind.scale), Decimal(10) ** (kind.precision - kind.scale)
        rounded = [None if x is None else x.quantize(unit, context=_CONTEXT) for x in found]
        bad = np.array([x is not None and abs(x) >= limit for x in rounded], np.bool_)
        kept = [None if over else x for x, over in zip(rounded, bad.tolist(), strict=True)]
        return pa.array(kept, kind), bad
    if found.type.scale > kind.scale:
        found = pc.round(found, kind.scale, "half_towards_infinity")
    with localcontext(_CONTEXT):
        most = (Decimal(10) ** kind.precision - 1).scaleb(-kind.scale)
    bad = mask_of(pc.greater(pc.abs(found), pa.scalar(most, pa.decimal256(76, found.type.scale))))
    if bad.any():
        found = pc.if_else(pa.array(bad), pa.scalar(None, found.type), found)
    return found.cast(kind), bad


def negative(inner: Expression) -> Expression:
    """Minus a number."""
    return _signed("-", inner, pc.negate, f"(- {inner.written})")


def absolute(inner: Expression) -> Expression:
    """A number without its sign."""
    return _signed("abs", inner, pc.abs, f"abs({inner.written})")


def _signed(name: str, inner: Expression, function: Any, written: str) -> Expression:
    _require_number(name, inner)
    if not is_int(inner.kind):
        return strict(inner.kind, written, [inner], function)
    lowest = pa.scalar(LIMITS[inner.kind][0], inner.kind)

    def apply(a: pa.Array) -> tuple[pa.Array, Mask]:
        bad = mask_of(pc.equal(a, lowest))
        if bad.any():
            a = pc.if_else(pa.array(bad), pa.scalar(None, a.type), a)
        return function(a), bad

    return strict(inner.kind, written, [inner], apply, f"does not fit {name_of(inner.kind)}")


def square_root(inner: Expression) -> Expression:
    """The square root; NaN of what is below zero."""
    _require_number("sqrt", inner)
    written = f"sqrt({inner.written})"
    return strict(pa.float64(), written, [as_kind(inner, pa.float64())], pc.sqrt)


def floor(inner: Expression) -> Expression:
    """The largest whole number that is not above."""
    return _whole("floor", inner, pc.floor)


def ceiling(inner: Expression) -> Expression:
    """The smallest whole number that is not below."""
    return _whole("ceil", inner, pc.ceil)


def _whole(name: str, inner: Expression, function: Any) -> Expression:
    _require_number(name, inner)
    written = f"{name}({inner.written})"
    if is_decimal(inner.kind) and inner.kind.scale == 0:
        return inner.computed()
    if is_decimal(inner.kind):
        kind = fitting(inner.kind.precision - inner.kind.scale + 1, 0)
        wide = pa.decimal256(inner.kind.precision + 1, inner.kind.scale)
        return strict(kind, written, [inner], lambda a: fitted(function(a.cast(wide)), kind)[0])
    if is_int(inner.kind):
        return strict(pa.int64(), written, [inner], lambda a: a.cast(pa.int64()))

    def apply(a: pa.Array) -> tuple[pa.Array, Mask]:
        zero = pa.scalar(0.0)  # which Spark gives for NaN
        a = function(pc.if_else(pc.is_nan(a), zero, a))
        found, bad = whole_of_floats(a, pa.int64())
        bad = bad | mask_of(pc.equal(a, 2.0**63))  # which only a cast takes for the highest
        return found, bad

    floats = as_kind(inner, pa.float64())
    return strict(pa.int64(), written, [floats], apply, "does not fit bigint")


def whole_of_floats(floats: pa.Array, kind: pa.DataType) -> tuple[pa.Array, Mask]:
    """Floats without what is behind their point as integers, and where they do not fit."""
    lowest, highest = LIMITS[kind]
    wide = floats.cast(pa.float64())
    # Spark compares with the nearest floats: 2⁶³ itself becomes the highest integer
    fits = pc.and_(
        pc.less_equal(pc.floor(wide), float(highest)),
        pc.greater_equal(pc.ceil(wide), float(lowest)),
    )
    bad = mask_of(pc.invert(fits))
    whole = saturated(pc.trunc(wide))
    if bad.any():
        whole = pc.if_else(pa.array(bad), pa.scalar(None, pa.int64()), whole)
    return whole.cast(kind), bad


def saturated(numbers: pa.Array) -> pa.Array:
    """Floats as 64-bit integers, as Java casts them: the nearest, and 0 for NaN."""
    known = mask_of(numbers.is_valid())
    floats = numbers.fill_null(0.0).to_numpy(zero_copy_only=False)
    inside = np.abs(floats) < 2.0**63
    whole = np.where(inside, floats, 0.0).astype(np.int64)
    lowest, highest = LIMITS[pa.int64()]
    whole = np.where(floats >= 2.0**63, highest, np.where(floats <= -(2.0**63), lowest, whole))
    return pa.array(whole, pa.int64(), mask=~known)


def rounded(inner: Expression, digits: int) -> Expression:
    """Rounded half up to a number of digits behind the point."""
    _require_number("round", inner)
    kind, written = inner.kind, f"round({inner.written}, {digits})"
    if abs(digits) > 30:
        raise MismatchError(f"round to {digits} digits (give at most 30)")
    if kind == pa.float32():
        raise MismatchError("round of float (cast it first: round(cast(x as double), 1))")
    if is_float(kind):
        return strict(kind, written, [inner], lambda a: _rounded_floats(a, digits))
    if is_int(kind) and digits >= 0:
        return inner.computed()
    target = kind
    if is_decimal(kind):
        whole = kind.precision - kind.scale + 1
        behind = min(max(digits, 0), kind.scale)
        target = fitting(max(whole, 1 - digits) if digits < 0 else whole + behind, behind)

    def apply(a: pa.Array) -> tuple[pa.Array, Mask]:
        with localcontext(_CONTEXT):
            unit = Decimal(1).scaleb(-digits)
            found = [
                None if x is None else (Decimal(x) / unit).quantize(Decimal(1)) * unit
                for x in a.to_pylist()
            ]
        if is_decimal(target):
            return fitted(found, target)
        return _narrowed(pa.array(found, pa.decimal128(38, 0)), kind)

    return strict(target, written, [inner], apply, f"does not fit {name_of(target)}")


def _rounded_floats(numbers: pa.Array, digits: int) -> pa.Array:
    """By the digits that a number is written with; those in doubt one by one."""
    known = mask_of(numbers.is_valid())
    floats = numbers.fill_null(0.0).to_numpy(zero_copy_only=False)
    factor = 10.0 ** abs(digits)
    with np.errstate(all="ignore"):
        scaled = np.abs(floats) * factor if digits >= 0 else np.abs(floats) / factor
        whole = np.floor(scaled + 0.5)
        found = np.copysign(whole / factor if digits >= 0 else whole * factor, floats)
        # -0.4 becomes 0, as decimals have no -0
        found = np.where(whole == 0, 0.0, found)
        doubt = ~(np.abs(scaled - np.floor(scaled) - 0.5) > 1e-6) | ~(scaled < _LIMIT)
    doubt &= np.isfinite(floats)
    if abs(digits) > 15:  # powers of ten are not exact any more
        doubt = np.isfinite(floats)
    found = np.where(np.isfinite(floats), found, floats)
    unit = Decimal(1).scaleb(-digits)
    for at in np.flatnonzero(doubt & known).tolist():
        exact = Decimal(repr(float(floats[at])))
        with localcontext(Context(prec=1_000, rounding=ROUND_HALF_UP)):
            found[at] = float((exact / unit).quantize(Decimal(1)) * unit) + 0.0
    return pa.array(found, mask=~known)


def _require_number(name: str, inner: Expression) -> None:
    if not is_number(inner.kind):
        what = "null" if inner.is_null else name_of(inner.kind)
        raise MismatchError(f"{name} takes a number, and not {what} (cast it, e.g. x::double)")
