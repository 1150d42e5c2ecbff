"""Sum-like buckets: as large as the error allows that one of them may cause (A²MTA, method 1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

from windrow.algebra.within import require_confidence
from windrow.approximate.additive import Additive
from windrow.approximate.layout import Bucket, Layout
from windrow.approximate.method import Window
from windrow.approximate.prediction import RecentResults, require_student
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

    def grouper(self, layout: Layout) -> "_Bounded":
        """What decides in a window of such buckets."""
        is_relative = self.relative is not None
        dimensions = [
            _Dimension(part, kind, bound, is_relative=is_relative)
            for part, kind, bound in self.dimensions(layout)
        ]
        return _Bounded(dimensions, self.confidence)

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


class _Dimension:
    """A sum or a count whose error is controlled."""

    def __init__(self, part: int, kind: str, bound: float, *, is_relative: bool) -> None:
        self._part, self._kind, self._bound = part, kind, bound
        self.results = RecentResults() if is_relative else None
        #: The largest error that a bucket may cause; a relative bound is predicted now and then.
        self.allowed = 0.0 if is_relative else bound

    def worst(self, bucket: Bucket) -> Any:
        """The error that a bucket may cause when the window's start lies in it."""
        return bucket.size - 1 if self._kind == "count" else bucket.traces[self._part].worst

    def result(self, buckets: tuple[Bucket, ...], held: int) -> float:
        """The value of this dimension over some buckets, per update in the window."""
        if self._kind == "count":
            return held
        totals = (bucket.traces[self._part].total for bucket in buckets if bucket.size)
        try:
            return sum(map(float, totals))
        except OverflowError:
            return inf

    def predict(self, confidence: float, held: int) -> None:
        """What the bucket that has just begun may cause, by the results of late."""
        if self.results is not None:
            self.allowed = self._bound * (self.results.nearest_to_zero(confidence) * held)


class _Bounded:
    """Sum-like buckets at work."""

    def __init__(self, dimensions: list[_Dimension], confidence: float) -> None:
        self._dimensions = dimensions
        self._relative = [d for d in dimensions if d.results is not None]
        self._confidence = confidence

    def joins(self, fresh: Bucket, joined: Bucket, held: int) -> bool:
        """While no dimension's error may become too large."""
        return all(
            (worst := dimension.worst(joined)) < inf and worst <= dimension.allowed
            for dimension in self._dimensions
        )

    def inserted(self, fresh: Bucket, held: int, window: Window, *, began: bool) -> None:
        """Remember the results that relative bounds refer to."""
        if not self._relative:
            return
        buckets = window()
        for dimension in self._relative:
            result = dimension.result(buckets, held)
            assert dimension.results is not None
            # For each update: windows grow and shrink, and their sums with them.
            ended = dimension.results.add(result / held if isfinite(result) else 0.0, held)
            # A bucket may be open for long: it hears of every epoch.
            if began or ended:
                dimension.predict(self._confidence, held)

    def evicted(self, count: int, held: int) -> None:
        """The start of the window does not matter here."""

    def dump(self) -> Any:
        """The results that relative bounds refer to."""
        return [(d.allowed, *d.results.dump()) for d in self._relative if d.results is not None]

    def load(self, data: Any) -> None:
        """Take over what `dump` gave."""
        for dimension, (allowed, *results) in zip(self._relative, data, strict=True):
            assert dimension.results is not None
            dimension.results.load(results)
            dimension.allowed = allowed
