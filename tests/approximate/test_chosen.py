"""Which method an aggregate's bound means, and what is refused."""

import pickle
from copy import deepcopy
from typing import Any

import pytest

from windrow import agg, monoid
from windrow.algebra.aggregate import Aggregate
from windrow.algebra.lookup import registered
from windrow.approximate import Footprint, MaxLike, SumLike
from windrow.approximate.chosen import methods_for
from windrow.approximate.families import Unbounded, catalogued, family_of
from windrow.approximate.packed import decode_columns, encode_columns
from windrow.errors import InputError

# A user's may be called like one of the catalogue.
MAX = agg.of(monoid(lift=float, combine=max, identity=0.0, name="max"))


@pytest.mark.parametrize(
    ("aggregate", "limit", "methods"),
    [
        (agg.sum("v"), None, ()),
        (agg.sum("v"), 5, (Footprint(5),)),
        (agg.mean("v").within(relative=0.1), None, (SumLike(relative=0.1),)),
        (agg.count().within(absolute=3), 7, (SumLike(absolute=3), Footprint(7))),
        (agg.median("v").within(relative=0.1), None, (SumLike(relative=0.1),)),
        (agg.argmin("a", "b").within(), None, (MaxLike(),)),
        (agg.max("v").within(confidence=0.5), 7, (MaxLike(confidence=0.5), Footprint(7))),
        (MAX.within(absolute=3), None, (SumLike(absolute=3),)),
        (agg.distinct_sketch("v").within(), None, ()),
        (agg.distinct_sketch("v").within(relative=0.1), None, (SumLike(relative=0.1),)),
    ],
    ids=repr,
)
def test_bounds_mean_methods(
    aggregate: Aggregate[Any], limit: int | None, methods: tuple[Any, ...]
) -> None:
    assert methods_for(aggregate, limit) == methods


@pytest.mark.parametrize(
    ("aggregate", "message"),
    [
        (agg.sum("v").within(), "give relative= or absolute= too"),
        (MAX.within(), "give relative= or absolute= too"),
        (agg.min("v").within(relative=0.1), r"use \.within\(confidence=\.\.\.\) alone"),
        (agg.quantile_sketch(0.5, "v").within(confidence=0.995), "confidence of 0.99, not more"),
    ],
    ids=repr,
)
def test_what_bounds_nothing_is_refused(aggregate: Aggregate[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        methods_for(aggregate)


@pytest.mark.parametrize("name", registered())
def test_a_copy_of_an_aggregate_is_of_the_family_of_its_original(name: str) -> None:
    aggregate = registered()[name].example
    assert type(family_of(catalogued(deepcopy(aggregate)))) is type(family_of(aggregate))


def test_a_monoid_of_ones_own_stays_what_it_is() -> None:
    assert catalogued(MAX) is MAX
    assert isinstance(family_of(catalogued(MAX)), Unbounded)


def test_a_bound_travels() -> None:
    bounded = agg.sum("v").within(absolute=2, confidence=0.9)
    assert pickle.loads(pickle.dumps(bounded.tolerance)) == bounded.tolerance
    assert repr(bounded) == "sum('v').within(absolute=2, confidence=0.9)"


@pytest.mark.parametrize(
    "values",
    [
        [],
        [1, -5, 1 << 62],
        [1, 1 << 80],
        [1.5, -0.0, float("inf")],
        [1, 2.0],
        [True, False],
        [None, None],
        [(1, (2.0, None)), (2, (None, "x")), (3, (4.0, b"y"))],
        [(), ()],
        [(1,), (1, 2)],
        [{"a": 1}, [2], frozenset({3})],
    ],
    ids=repr,
)
def test_values_come_back_from_columns_as_they_were(values: list[Any]) -> None:
    content = encode_columns(values)
    assert repr(decode_columns(content, len(values))) == repr(values)
    assert len(content) % 8 == 0
