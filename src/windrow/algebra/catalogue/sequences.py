"""Sequences: all values in their order, as a list or as one text."""

from functools import cache
from typing import Any, Final

from windrow.algebra.aggregate import Aggregate, Reads
from windrow.algebra.monoid import Kind, Monoid
from windrow.algebra.registry import Takes, register
from windrow.algebra.rope import Rope
from windrow.arguments import shown
from windrow.errors import AggregateError, InputError

__all__ = ["collect", "concat"]


@register(Takes.ANYTHING, bulky=True)
def collect(column: Reads = None) -> Aggregate[Monoid[Rope[Any], list[Any]]]:
    """All values in a list, oldest first.

    Nulls are skipped, NaN is kept, and nothing gives an empty list: as Spark's `collect_list`,
    which does not define the order.

    >>> from windrow.testing import fold
    >>> fold(collect(), [3, None, 1])
    [3, 1]
    """
    return Aggregate(_COLLECT, (column,))


@register(Takes.TEXT, bulky=True)
def concat(column: Reads = None, separator: str = "") -> Aggregate[Monoid[Rope[str], str | None]]:
    """All texts joined into one, oldest first.

    Nulls are skipped, and the text of nothing is null: as Spark's `listagg`.

    >>> from windrow.testing import fold
    >>> fold(concat(separator="-"), ["wind", None, "row"])
    'wind-row'
    """
    if not isinstance(separator, str):
        raise AggregateError(f'separator={shown(separator)} is not text; use separator=", "')
    return Aggregate(_concat(separator), (column,))


def _join(older: Rope[Any], newer: Rope[Any]) -> Rope[Any]:
    return older + newer


@cache
def _concat(separator: str) -> Monoid[Rope[str], str | None]:
    def lower(state: Rope[str]) -> str | None:
        return separator.join(state) if state else None

    return Monoid(
        name="concat",
        parameters=f"separator={separator!r}" if separator else "",
        lift=_lift_text,
        combine=_join,
        lower=lower,
        identity=Rope(),
        kind=Kind.HOLISTIC,
    )


def _lift_text(value: Any) -> Rope[str]:
    if not isinstance(value, str):
        raise InputError(
            f"concat joins text, got {shown(value)}; use collect, or str() the values first"
        )
    return Rope((value,))


_COLLECT: Final[Monoid[Rope[Any], list[Any]]] = Monoid(
    name="collect",
    lift=lambda value: Rope((value,)),
    combine=_join,
    lower=list,
    identity=Rope(),
    kind=Kind.HOLISTIC,
)
