"""Sum-like buckets: as large as the error allows that one of them may cause (A²MTA, method 1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from windrow.algebra.within import require_confidence
from windrow.approximate.additive import Additive
from windrow.approximate.layout import Layout
from windrow.approximate.prediction import require_student
from windrow.arguments import finite, shown
from windrow.errors import InputError

__all__ = ["SumLike"]

Bound = float | Mapping[str, float]


@dataclass(frozen=True)
class SumLike:
    """Updates share a bucket as long as no part of it adds up to more than the bound.

    `absolute` bounds the error of a sum, and of the sum and the count behind a mean, in their own
    units.  `relative` bounds it by a share of the result, as predicted from recent results with the
    given `confidence`.  If the prediction cannot rule out zero, a relative bound means nothing:
    then each update gets its own bucket, and results are exact.  If a window has several
    aggregates, `absolute={"load": 10.0}` bounds only those that are named.

    For aggregates that are not sums, the bound limits the number of updates.  Together with another
    method, which may let more updates share a bucket, errors may exceed the bound; intervals hold
    all the same.

    >>> SumLike(relative=0.001)
    SumLike(absolute=None, relative=0.001, confidence=0.95)
    """

    absolute: Bound | None = None
    relative: Bound | None = None
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if (self.absolute is None) == (self.relative is None):
            raise InputError(
                f"SumLike(absolute={shown(self.absolute)}, relative={shown(self.relative)}): "
                "give one of them, e.g. relative=0.001"
            )
        require_confidence(self.confidence)
        argument = "relative" if self.absolute is None else "absolute"
        given = getattr(self, argument)
        bounds = given if isinstance(given, Mapping) else {"": given}
        if not bounds:
            raise InputError(
                f"SumLike({argument}={shown(given)}) bounds nothing; name an aggregate"
            )
        for name, bound in bounds.items():
            number = finite(bound)
            if number is None or number < 0:
                where = f"{argument}[{shown(name)}]" if name else argument
                raise InputError(f"SumLike: {where}={shown(bound)}; give a number of 0 or more")
        if self.relative is not None:
            require_student(f"SumLike(relative={shown(self.relative)})")

    def dimensions(self, layout: Layout) -> list[tuple[int, str, float]]:
        """What is controlled: the number of an aggregate, its sum or count, and the bound."""
        given = self.relative if self.absolute is None else self.absolute
        names = [part.name for part in layout.parts]
        if isinstance(given, Mapping):
            unknown = [name for name in given if name not in names]
            if unknown:
                raise InputError(
                    f"SumLike: no aggregate is called {unknown[0]!r}; there are {names}"
                )
            bounds = [given.get(name) for name in names]
        else:
            bounds = [given] * len(names)
        return [
            (number, kind, bound)
            for number, (part, bound) in enumerate(zip(layout.parts, bounds, strict=True))
            if bound is not None
            for kind in _kinds(part.family)
        ]


def _kinds(family: Any) -> tuple[str, ...]:
    """Which errors of an aggregate are controlled."""
    if not isinstance(family, Additive) or family.is_count:
        return ("count",)
    return ("sum", "count") if family.divides else ("sum",)
