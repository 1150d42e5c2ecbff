"""Functions of text; characters are code points, as in Spark."""

from collections.abc import Callable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from windrow.edge.query.expressions.kinds import LIMITS, as_kind, is_int, is_text, name_of
from windrow.edge.query.expressions.values import (
    Evaluation,
    Expression,
    MismatchError,
    Values,
    first_of,
    literal,
    settled,
    strict,
)

__all__ = ["concatenated", "in_lower_case", "in_upper_case", "length", "part"]

_TEXT = pa.string()


def in_upper_case(inner: Expression) -> Expression:
    """In capitals."""
    return _cased("upper", inner, pc.ascii_upper, str.upper)


def in_lower_case(inner: Expression) -> Expression:
    """In small letters."""
    return _cased("lower", inner, pc.ascii_lower, str.lower)


def _cased(
    name: str,
    inner: Expression,
    ascii_alone: Callable[[pa.Array], pa.Array],
    any_text: Callable[[str], str],
) -> Expression:
    inner = _text(name, inner)

    def apply(a: pa.Array) -> pa.Array:
        if pc.all(pc.string_is_ascii(a), min_count=0).as_py():
            return ascii_alone(a)
        # Arrow changes letters one by one, and one may become several
        return pa.array([None if x is None else any_text(x) for x in a.to_pylist()], _TEXT)

    return strict(_TEXT, f"{name}({inner.written})", [inner], apply)


def length(inner: Expression) -> Expression:
    """How many characters there are."""
    inner = _text("length", inner)
    written = f"length({inner.written})"
    return strict(pa.int32(), written, [inner], lambda a: pc.utf8_length(a).cast(pa.int32()))


def concatenated(inners: Sequence[Expression]) -> Expression:
    """Texts one after the other; null if one of them is."""
    inners = [_text("concat", inner) for inner in inners]
    written = f"concat({', '.join(inner.written for inner in inners)})"
    if not inners:
        return literal("", _TEXT, written)

    def compute(_: Evaluation, values: Sequence[Values]) -> Values:
        found = pc.binary_join_element_wise(*(value.array for value in values), "")
        return settled(found, first_of(value.failures for value in values))

    return Expression(_TEXT, written, tuple(inners), compute)


def part(inner: Expression, start: Expression, count: Expression | None) -> Expression:
    """Some characters from a place on, which counts from 1, or from the end if it is negative."""
    inner = _text("substring", inner)
    places = [_place(one) for one in (start, count) if one is not None]
    written = f"substring({', '.join(one.written for one in (inner, *places))})"

    def apply(a: pa.Array, starts: pa.Array, counts: pa.Array | None = None) -> pa.Array:
        most = [LIMITS[pa.int32()][1]] * len(a) if counts is None else counts.to_pylist()
        rows = zip(a.to_pylist(), starts.to_pylist(), most, strict=True)
        return pa.array([None if None in row else _substring(*row) for row in rows], _TEXT)

    first, *others = [one.constant for one in places]
    most = others[0] if others else LIMITS[pa.int32()][1]
    if isinstance(first, int) and isinstance(most, int) and first >= 0 and most >= 0:
        begin = max(first - 1, 0)
        end = begin + most
        return strict(_TEXT, written, [inner], lambda a: pc.utf8_slice_codeunits(a, begin, end))
    return strict(_TEXT, written, [inner, *places], apply)


def _substring(text: str, start: int, count: int) -> str:
    first = start - 1 if start > 0 else start + len(text) if start < 0 else 0
    end = first + count
    return text[max(first, 0) : max(end, 0)]


def _place(inner: Expression) -> Expression:
    if inner.is_null:
        return literal(None, pa.int32(), inner.written)
    if not is_int(inner.kind) or inner.kind == pa.int64():
        raise MismatchError(
            f"substring takes places of type int, and not {name_of(inner.kind)} "
            "(cast them, e.g. cast(x as int))"
        )
    return as_kind(inner, pa.int32())


def _text(name: str, inner: Expression) -> Expression:
    if inner.is_null:
        return literal(None, _TEXT, inner.written)
    if not is_text(inner.kind):
        raise MismatchError(
            f"{name} takes text, and not {name_of(inner.kind)} (cast it: x::string)"
        )
    return inner
