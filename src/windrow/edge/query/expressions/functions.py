"""The functions that nodes know, by name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from windrow.edge.query.expressions import arithmetic, choosing, comparing, texts
from windrow.edge.query.expressions.values import Expression, MismatchError

__all__ = ["FUNCTIONS", "call"]

_ANY = 1_000


@dataclass(frozen=True)
class _Function:
    least: int
    most: int
    make: Callable[[Sequence[Expression]], Expression]


def call(name: str, arguments: Sequence[Expression]) -> Expression:
    """A call of a function, in any case."""
    function = FUNCTIONS[name.lower()]
    if not function.least <= len(arguments) <= function.most:
        least, most = function.least, function.most
        wanted = f"{least} to {most}" if most < _ANY else f"{least} or more"
        raise MismatchError(
            f"{name} takes {least if least == most else wanted} arguments, and not {len(arguments)}"
        )
    return function.make(arguments)


def _if(arguments: Sequence[Expression]) -> Expression:
    condition, value, other = arguments
    return choosing.case([(condition, value)], other)


def _round(arguments: Sequence[Expression]) -> Expression:
    digits = arguments[1].constant if len(arguments) > 1 else 0
    if isinstance(digits, bool) or not isinstance(digits, int):
        raise MismatchError("round takes a whole number of digits (e.g. round(x, 2))")
    return arithmetic.rounded(arguments[0], digits)


def _part(arguments: Sequence[Expression]) -> Expression:
    text, start, *count = arguments
    return texts.part(text, start, count[0] if count else None)


FUNCTIONS: Mapping[str, _Function] = {
    "abs": _Function(1, 1, lambda given: arithmetic.absolute(given[0])),
    "ceil": _Function(1, 1, lambda given: arithmetic.ceiling(given[0])),
    "coalesce": _Function(1, _ANY, choosing.coalesce),
    "concat": _Function(0, _ANY, texts.concatenated),
    "floor": _Function(1, 1, lambda given: arithmetic.floor(given[0])),
    "greatest": _Function(2, _ANY, lambda given: choosing.extreme("greatest", given)),
    "if": _Function(3, 3, _if),
    "isnan": _Function(1, 1, lambda given: comparing.is_nan(given[0])),
    "least": _Function(2, _ANY, lambda given: choosing.extreme("least", given)),
    "length": _Function(1, 1, lambda given: texts.length(given[0])),
    "lower": _Function(1, 1, lambda given: texts.in_lower_case(given[0])),
    "nullif": _Function(2, 2, lambda given: choosing.null_if(given[0], given[1])),
    "round": _Function(1, 2, _round),
    "sqrt": _Function(1, 1, lambda given: arithmetic.square_root(given[0])),
    "substring": _Function(2, 3, _part),
    "upper": _Function(1, 1, lambda given: texts.in_upper_case(given[0])),
}
