"""What a bucket remembers beside its aggregate: a monoid over the rows that come in."""

from collections.abc import Callable
from typing import Any

from windrow.algebra.monoid import Monoid
from windrow.algebra.optional import optional, same

__all__ = ["trace_of"]


def trace_of(
    name: str, lift: Callable[[Any], Any], combine: Callable[[Any, Any], Any]
) -> Monoid[Any, Any]:
    """A trace; that of no update is None."""
    return Monoid(
        name=name,
        lift=lift,
        combine=optional(combine),
        lower=same,
        identity=None,
        inputs=("row",),
        nullable=frozenset({"row"}),
    )
