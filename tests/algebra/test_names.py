"""What aggregates are called: other parameters, another repr, and no snapshot in common."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from windrow import agg, monoid
from windrow.algebra.aggregate import Aggregate
from windrow.algebra.lookup import registered
from windrow.errors import AggregateError, SnapshotError
from windrow.structures import Amta

# Of each aggregate with parameters: some that must all be told apart.
VARIANTS: dict[str, list[Aggregate[Any]]] = {
    "bloom": [agg.bloom(), agg.bloom(capacity=10), agg.bloom(error=0.1)],
    "concat": [agg.concat(), agg.concat(separator=","), agg.concat(separator=", ")],
    "distinct_sketch": [agg.distinct_sketch(), agg.distinct_sketch(lg_k=14)],
    "histogram": [
        agg.histogram([0, 3, 9]),
        agg.histogram([0, 4, 9]),
        agg.histogram([0, 3.5, 9]),
        agg.histogram(range(40)),
        agg.histogram([*range(20), *range(21, 41)]),
        agg.histogram([0, 2**60]),
        agg.histogram([0, 2**60 + 1]),
        agg.histogram([0, 10**400]),
    ],
    "quantile": [agg.quantile(0.3), agg.quantile(0.30000000000000004), agg.quantile(1)],
    "quantile_sketch": [
        agg.quantile_sketch(0.5),
        agg.quantile_sketch(0.9),
        agg.quantile_sketch(0.5, k=400),
    ],
    "stddev": [agg.stddev(), agg.stddev(ddof=0)],
    "top_k": [agg.top_k(2), agg.top_k(4)],
    "variance": [agg.variance(), agg.variance(ddof=0)],
}

WHOLE_NUMBERS: dict[str, Callable[[Any], Aggregate[Any]]] = {
    "bloom": lambda number: agg.bloom(capacity=number),
    "distinct_sketch": lambda number: agg.distinct_sketch(lg_k=number),
    "quantile_sketch": lambda number: agg.quantile_sketch(0.5, k=number),
    "stddev": lambda number: agg.stddev(ddof=number),
    "top_k": agg.top_k,
    "variance": lambda number: agg.variance(ddof=number),
}
ALLOWED = {"distinct_sketch": 10, "quantile_sketch": 100, "stddev": 0, "variance": 0}


def largest(scale: float) -> Any:
    return monoid(
        lift=lambda value: value * scale,
        combine=lambda older, newer: older if older >= newer else newer,
        identity=0.0,
    )


def test_every_aggregate_with_parameters_has_variants_here() -> None:
    plain = {"column", "value", "by"}
    with_parameters = {
        name
        for name, entry in registered().items()
        if set(inspect.signature(entry.factory).parameters) - plain
    }
    assert with_parameters == set(VARIANTS)


@pytest.mark.parametrize("name", VARIANTS)
def test_other_parameters_give_another_repr(name: str) -> None:
    reprs = [repr(variant) for variant in VARIANTS[name]]
    assert len(set(reprs)) == len(reprs)
    assert all(text.startswith(f"{name}(") for text in reprs)


@pytest.mark.parametrize(
    ("aggregate", "text"),
    [
        (agg.bloom("a"), "bloom(capacity=1000, error=0.01, 'a')"),
        (agg.concat("a"), "concat('a')"),
        (agg.concat("a", ", "), "concat(separator=', ', 'a')"),
        (agg.distinct_sketch(), "distinct_sketch(lg_k=12)"),
        (agg.histogram([0, 3, 9.5], "a"), "histogram([0, 3, 9.5], 'a')"),
        (agg.median("a"), "median('a')"),
        (agg.quantile(0.3), "quantile(0.3)"),
        (agg.quantile_sketch(0.5), "quantile_sketch(0.5, k=200)"),
        (agg.stddev("a"), "stddev('a')"),
        (agg.top_k(3, "a"), "top_k(3, 'a')"),
        (agg.variance("a", ddof=0), "variance(ddof=0, 'a')"),
    ],
    ids=repr,
)
def test_a_repr_shows_the_parameters_before_the_columns(
    aggregate: Aggregate[Any], text: str
) -> None:
    assert repr(aggregate) == text


@pytest.mark.parametrize(
    ("one", "equal"),
    [
        (agg.histogram([-0.0, 10.0, 1e300]), agg.histogram([0, 10, int(1e300)])),
        (agg.quantile(-0.0), agg.quantile(0)),
        (agg.quantile(np.float64(0.5)), agg.quantile(0.5)),
        (agg.top_k(np.int64(3)), agg.top_k(3)),  # type: ignore[arg-type]
    ],
    ids=["edges", "zeros", "a float of numpy", "an integer of numpy"],
)
def test_equal_parameters_give_one_repr(one: Aggregate[Any], equal: Aggregate[Any]) -> None:
    assert repr(one) == repr(equal)


@pytest.mark.parametrize(
    ("ours", "foreign"),
    [
        (agg.top_k(4), agg.top_k(2)),
        (agg.histogram([0, 3, 9]), agg.histogram([0, 4, 9])),
        (agg.of(largest(1.0)), agg.of(largest(2.0))),
        (agg.several(top=agg.top_k(4)), agg.several(top=agg.top_k(2))),
    ],
    ids=["top_k", "histogram", "monoids of one's own", "parts of a product"],
)
def test_a_snapshot_over_other_parameters_is_refused(
    ours: Aggregate[Any], foreign: Aggregate[Any]
) -> None:
    kept = Amta(foreign)
    kept.insert(3)
    with pytest.raises(SnapshotError, match="does not fit"):
        Amta(ours).restore(kept.snapshot())


def test_a_snapshot_restores_into_the_same_monoid_written_again() -> None:
    kept, restored = Amta(largest(2.0)), Amta(largest(2.0))
    kept.insert(3.0)
    restored.restore(kept.snapshot())
    assert restored.query() == 6.0


def test_a_monoid_is_called_by_its_name_and_has_a_mark_that_is_not_shown() -> None:
    own = monoid(lift=abs, combine=max, identity=0, name="reach")
    assert repr(own) == "monoid(name='reach')"
    assert repr(agg.of(own, "temp")) == "reach('temp')"
    assert len(own.mark) == 8


def test_a_monoid_without_a_name_is_called_like_its_functions() -> None:
    def reach(value: float) -> float:
        return abs(value)

    def further(older: float, newer: float) -> float:
        return max(older, newer)

    assert repr(agg.of(monoid(lift=reach, combine=max, identity=0))) == "reach()"
    assert repr(agg.of(monoid(lift=abs, combine=further, identity=0))) == "further()"


def test_a_monoid_of_lambdas_is_called_a_monoid() -> None:
    own = monoid(lift=lambda value: value, combine=lambda older, newer: newer, identity=0)
    assert repr(agg.of(own, "temp")) == "monoid('temp')"


def test_functions_without_a_fingerprint_leave_only_the_name() -> None:
    class Scaled:
        def __call__(self, value: float) -> float:
            return 2 * value

    own = monoid(lift=Scaled(), combine=max, identity=0.0, name="scaled")
    assert repr(agg.of(own)) == "scaled()"


def test_a_closure_may_be_assigned_after_the_monoid() -> None:
    own = monoid(lift=lambda value: value * scale, combine=max, identity=0)
    scale = 3
    assert own.lift(2) == 6
    assert own.mark == ""


@pytest.mark.parametrize("name", WHOLE_NUMBERS)
def test_integers_of_numpy_are_whole_numbers(name: str) -> None:
    number = ALLOWED.get(name, 5)
    assert repr(WHOLE_NUMBERS[name](np.int32(number))) == repr(WHOLE_NUMBERS[name](number))


@pytest.mark.parametrize("junk", [True, False, 1.0, "1", None, np.True_, np.arange(2)], ids=repr)
@pytest.mark.parametrize("name", WHOLE_NUMBERS)
def test_what_is_no_whole_number_is_refused(name: str, junk: Any) -> None:
    with pytest.raises(AggregateError, match=r"^(k|lg_k|capacity|ddof)=.*; (use|try) "):
        WHOLE_NUMBERS[name](junk)


@pytest.mark.parametrize("junk", [3, None])
def test_edges_that_are_not_several_are_refused(junk: Any) -> None:
    with pytest.raises(AggregateError, match="give numbers such as"):
        agg.histogram(junk)


def test_of_recommends_how_to_write_a_monoid() -> None:
    with pytest.raises(AggregateError, match=r"build one: windrow\.monoid\(lift=…, combine=…"):
        agg.of(3)  # type: ignore[arg-type]
