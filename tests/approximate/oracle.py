"""Approximate windows beside a list of all their updates."""

import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from tests.structures.support import Slide
from windrow import agg
from windrow.algebra.aggregate import Aggregate
from windrow.approximate import ApproximateAmta, Interval


def exact_sum(values: Sequence[Any]) -> Any:
    """Without rounding."""
    return sum(map(Fraction, values)) if values else None


def exact_mean(values: Sequence[Any]) -> Any:
    return exact_sum(values) / len(values) if values else None


def _defined(function: Callable[[Sequence[Any]], Any], least: int = 1) -> Callable[..., Any]:
    return lambda values: function(values) if len(values) >= least else None


# Aggregates that bound their results, and what they are of a list.
Bounded: TypeAlias = Mapping[str, tuple[Aggregate[Any], Callable[[Sequence[Any]], Any]]]

BOUNDED: Bounded = {
    "count": (agg.count(), len),
    "sum": (agg.sum(), exact_sum),
    "mean": (agg.mean(), exact_mean),
    "max": (agg.max(), _defined(max)),
    "min": (agg.min(), _defined(min)),
    "range": (agg.range(), _defined(lambda values: max(values) - min(values))),
    "distinct": (agg.distinct(), lambda values: len(set(values))),
    "variance": (agg.variance(), _defined(statistics.variance, 2)),
    "stddev": (agg.stddev(ddof=0), _defined(statistics.pstdev)),
}


def check(found: Interval, exact: Any) -> None:
    """An interval holds the exact result, and is exact if it says so."""
    if found.exact:
        assert (found.low, found.high) == (found.value, found.value)
        assert is_near(found.value, exact), f"{found} is said to be exact, and is {exact}"
    elif found.low is not None:
        assert exact is not None
        assert found.low <= exact <= found.high, f"{found} does not hold {float(exact)}"
        assert found.low <= found.value <= found.high


def is_near(value: Any, exact: Any) -> bool:
    if value is None or exact is None:
        return value is exact
    return math.isclose(value, exact, rel_tol=1e-9, abs_tol=1e-9)


def followed(window: ApproximateAmta, steps: Iterable[Any]) -> Iterator[list[Any]]:
    """After each step, an update or a number of them that leave: what the window holds."""
    values: list[Any] = []
    for step in steps:
        if isinstance(step, tuple):
            count = min(step[0], len(values))
            window.evict(count)
            del values[:count]
        else:
            window.insert(step)
            values.append(step)
        yield values


def slid(window: ApproximateAmta, slide: Slide, values: Iterable[Any]) -> Iterator[list[Any]]:
    """After each update what the policy leaves in the window."""
    held: list[Any] = []
    for value in values:
        window.insert(value)
        window.slide()
        held.append(value)
        del held[: slide.leaving(held)]
        yield held


def after(asked: Any, method: Any, values: Iterable[Any], evicted: int) -> Any:
    """The results when some of all have left."""
    window = ApproximateAmta(asked, method)
    for value in values:
        window.insert(value)
    window.evict(evicted)
    return window.query()


def window_of(bounded: Bounded, *methods: Any, slide: Slide | None = None) -> ApproximateAmta:
    """A window of all of these aggregates."""
    asked = {name: aggregate for name, (aggregate, _) in bounded.items()}
    policy = None if slide is None else slide.policy()
    return ApproximateAmta(asked, *methods, policy=policy)


def check_all(window: ApproximateAmta, bounded: Bounded, values: Sequence[Any]) -> None:
    """Check every one of them."""
    for name, found in results(window).items():
        check(found, bounded[name][1](values))


def results(window: ApproximateAmta) -> dict[str, Interval]:
    """The results of a window of several aggregates."""
    found: dict[str, Interval] = window.query()
    return found
