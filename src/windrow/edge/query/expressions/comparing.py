"""Comparisons and conditions, true, false or null; NaN equals itself and is above all numbers."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow.edge.query.expressions.kinds import is_decimal, is_float, is_text, name_of, same_kind
from windrow.edge.query.expressions.values import (
    Evaluation,
    Expression,
    Failures,
    MismatchError,
    Values,
    first_of,
    literal,
    mask_of,
    settled,
    strict,
)

__all__ = [
    "SIGNS",
    "above",
    "among",
    "between",
    "both",
    "comparison",
    "either",
    "is_nan",
    "is_null",
    "like",
    "opposite",
    "require_boolean",
]

_BOOL = pa.bool_()
SIGNS = {"=": "=", "==": "=", "<>": "<>", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_EXACT = {
    "=": pc.equal,
    "<>": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}


def comparison(sign: str, left: Expression, right: Expression) -> Expression:
    """Two values compared; `<=>` takes null for a value like any other."""
    written = f"({left.written} {SIGNS.get(sign, sign)} {right.written})"
    left, right = _comparable(sign, [left, right])
    if sign == "<=>":
        return _null_safe(left, right, written)
    return strict(_BOOL, written, [left, right], _compare(SIGNS[sign], left.kind))


def _comparable(name: str, values: Sequence[Expression]) -> list[Expression]:
    if all(value.is_null for value in values):
        return [literal(None, _BOOL, value.written) for value in values]
    try:
        found = same_kind(values, name)
    except MismatchError:
        if all(value.is_null or is_decimal(value.kind) for value in values):
            return list(values)  # of more digits than a type has: they are compared all the same
        raise
    kind = found[0].kind
    if pa.types.is_nested(kind) or pa.types.is_binary(kind):
        raise MismatchError(f"{name} of {name_of(kind)} (compare single values)")
    return found


def _compare(sign: str, kind: pa.DataType) -> Callable[[pa.Array, pa.Array], pa.Array]:
    exact: Callable[[pa.Array, pa.Array], pa.Array] = _EXACT[sign]
    if pa.types.is_boolean(kind):
        return lambda a, b: exact(a.cast(pa.int8()), b.cast(pa.int8()))
    if is_decimal(kind):
        return lambda a, b: exact(*(x.cast(pa.decimal256(76, x.type.scale)) for x in (a, b)))
    if not is_float(kind):
        return exact
    return lambda a, b: _compare_floats(sign, a, b)


def _compare_floats(sign: str, a: pa.Array, b: pa.Array) -> pa.Array:
    found = _EXACT[sign](a, b)
    a_nan, b_nan = pc.is_nan(a), pc.is_nan(b)
    if not (a_nan.true_count or b_nan.true_count):
        return found
    as_rank = [
        pc.if_else(nan, pa.scalar(1, pa.int8()), pa.scalar(0, pa.int8())) for nan in (a_nan, b_nan)
    ]
    return pc.if_else(pc.or_(a_nan, b_nan), _EXACT[sign](*as_rank), found)


def _null_safe(left: Expression, right: Expression, written: str) -> Expression:
    equal = _compare("=", left.kind)

    def compute(_: Evaluation, values: Sequence[Values]) -> Values:
        a, b = (value.array for value in values)
        both_null = pc.and_(a.is_null(), b.is_null())
        found = pc.or_(equal(a, b).fill_null(False), both_null)
        return settled(found, first_of(value.failures for value in values))

    return Expression(_BOOL, written, (left, right), compute)


def above(a: pa.Array, b: pa.Array) -> pa.Array:
    """Whether values of one type are above others."""
    return _compare(">", a.type)(a, b)


def between(value: Expression, low: Expression, high: Expression) -> Expression:
    """Whether a value lies between two others, which both count."""
    return both(comparison(">=", value, low), comparison("<=", value, high))


def both(left: Expression, right: Expression) -> Expression:
    """Both of two conditions; the right one is not looked at if the left is false."""
    return _joined("AND", left, right, pc.and_kleene, pc.invert)


def either(left: Expression, right: Expression) -> Expression:
    """One of two conditions; the right one is not looked at if the left is true."""
    return _joined("OR", left, right, pc.or_kleene, lambda decided: decided)


def _joined(
    word: str, left: Expression, right: Expression, join: Any, decides: Callable[[Any], Any]
) -> Expression:
    left, right = require_boolean(left, word), require_boolean(right, word)

    def compute(_: Evaluation, values: Sequence[Values]) -> Values:
        one, other = values
        failures = one.failures
        if other.failures is not None:
            decided = mask_of(decides(one.array))
            failures = first_of([failures, np.where(decided, np.int32(0), other.failures)])
        return settled(join(one.array, other.array), failures)

    written = f"({left.written} {word} {right.written})"
    return Expression(_BOOL, written, (left, right), compute)


def opposite(inner: Expression) -> Expression:
    """Not a condition."""
    inner = require_boolean(inner, "NOT")
    return strict(_BOOL, f"(NOT {inner.written})", [inner], pc.invert)


def require_boolean(inner: Expression, name: str) -> Expression:
    """The condition itself; anything that is not true, false or null is refused."""
    if inner.is_null:
        return literal(None, _BOOL, inner.written)
    if not pa.types.is_boolean(inner.kind):
        raise MismatchError(
            f"{name} takes a condition, and not {name_of(inner.kind)} (compare it, e.g. x > 0)"
        )
    return inner


def is_null(inner: Expression) -> Expression:
    """Whether there is no value."""
    return Expression(
        _BOOL,
        f"({inner.written} IS NULL)",
        (inner,),
        lambda _, values: settled(values[0].array.is_null(), values[0].failures),
    )


def is_nan(inner: Expression) -> Expression:
    """Whether a float is not a number; null is none of those."""
    if not is_float(inner.kind):
        what = "null" if inner.is_null else name_of(inner.kind)
        raise MismatchError(f"isnan takes float or double, and not {what} (leave it out)")
    return Expression(
        _BOOL,
        f"isnan({inner.written})",
        (inner,),
        lambda _, values: settled(
            pc.is_nan(values[0].array).fill_null(False),
            values[0].failures,
        ),
    )


def among(value: Expression, choices: Sequence[Expression]) -> Expression:
    """Whether a value is one of several, which are looked at until one is equal."""
    written = f"({value.written} IN ({', '.join(choice.written for choice in choices)}))"
    value, *choices = _comparable("IN", [value, *choices])
    equal = _compare("=", value.kind)

    def compute(evaluation: Evaluation, values: Sequence[Values]) -> Values:
        one, others = values[0], values[1:]
        failures = one.failures
        found = pa.repeat(pa.scalar(False), evaluation.rows)
        going = mask_of(one.array.is_valid())
        for other in others:
            if other.failures is not None:
                own: Failures = np.where(going, other.failures, np.int32(0))
                failures = first_of([failures, own])
                going &= other.failures == 0
            found = pc.or_kleene(found, equal(one.array, other.array))
            going &= ~mask_of(found)
        if not others:
            found = pc.if_else(one.array.is_valid(), found, pa.scalar(None, _BOOL))
        return settled(found, failures)

    return Expression(_BOOL, written, (value, *choices), compute)


def like(value: Expression, pattern: Expression) -> Expression:
    """Whether text matches a pattern of % (anything) and _ (one character)."""
    for side in (value, pattern):
        if not (is_text(side.kind) or side.is_null):
            raise MismatchError(
                f"LIKE takes text, and not {name_of(side.kind)} (cast it: x::string)"
            )
    if not isinstance(pattern.constant, str):
        raise MismatchError("LIKE takes a pattern in quotes (e.g. name LIKE 'a%')")
    expression = _regular(pattern.constant)
    written = f"({value.written} LIKE {pattern.written})"
    if value.is_null:
        return literal(None, _BOOL, written)
    return strict(_BOOL, written, [value], lambda a: pc.match_substring_regex(a, expression))


def _regular(pattern: str) -> str:
    parts, at = [], 0
    while at < len(pattern):
        sign = pattern[at]
        if sign == "\\":
            at += 1
            if at == len(pattern) or pattern[at] not in "%_\\":
                raise MismatchError("LIKE with a \\ that is not before %, _ or \\ (write \\\\)")
            parts.append(re.escape(pattern[at]))
        else:
            parts.append({"%": ".*", "_": "."}.get(sign) or re.escape(sign))
        at += 1
    return rf"(?s)\A{''.join(parts)}\z"
