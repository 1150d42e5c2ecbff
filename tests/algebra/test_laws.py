"""The laws, over every aggregate of the catalogue, and on monoids that break them."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import strategies as st

from windrow import agg
from windrow.algebra.aggregate import several
from windrow.algebra.lookup import registered
from windrow.algebra.monoid import Group, Kind, Monoid
from windrow.algebra.numeric import INT, VALUE, Field, Numeric
from windrow.testing import check_monoid_laws, columns_for, strategy_for


def every_column() -> Iterator[Any]:
    for name, entry in registered().items():
        for column, strategy in columns_for(entry).items():
            yield pytest.param(entry.example, strategy, id=f"{name} of {column}")


@pytest.mark.parametrize(("aggregate", "strategy"), list(every_column()))
def test_every_aggregate_keeps_the_laws_on_a_column_of_one_type(
    aggregate: Any, strategy: Any
) -> None:
    check_monoid_laws(aggregate, strategy)


@pytest.mark.parametrize("name", list(registered()))
def test_every_aggregate_keeps_the_laws_on_mixed_values(name: str) -> None:
    entry = registered()[name]
    check_monoid_laws(entry.example, strategy_for(entry))


def test_the_register_holds_every_aggregate_on_offer() -> None:
    assert set(registered()) | {"TIME", "BloomFilter", "IncreasingRun", "of", "several"} == set(
        agg.__all__
    )


def test_a_product_keeps_the_laws() -> None:
    both = several(low=agg.min(), joined=agg.collect())
    check_monoid_laws(both, st.integers())
    check_monoid_laws({"n": agg.count(), "total": agg.sum()}, st.integers())


def test_an_aggregate_of_columns_keeps_the_laws() -> None:
    rows = st.fixed_dictionaries({"sensor": st.text(), "temp": st.integers()})
    check_monoid_laws(agg.argmax("sensor", by="temp"), rows)


def number(combine: Any, identity: Any = 0, **traits: Any) -> Monoid[Any, Any]:
    shape = {"name": "broken", "lift": lambda v: v, "lower": lambda s: s, **traits}
    return Monoid(combine=combine, identity=identity, **shape)


def broken(law: str, monoid: Monoid[Any, Any], strategy: st.SearchStrategy[Any]) -> str:
    with pytest.raises(AssertionError, match=f"broken breaks the law of {law}") as caught:
        check_monoid_laws(monoid, strategy)
    return str(caught.value)


def test_an_operator_that_is_not_associative_is_caught_with_its_smallest_values() -> None:
    message = broken("associativity", number(lambda a, b: a - b), st.integers(0, 9))
    assert "older=[], middle=[], newer=[1]" in message


def test_an_average_of_averages_is_caught() -> None:
    average = number(lambda a, b: b if a is None else a if b is None else (a + b) / 2, None)
    broken("associativity", average, st.integers(0, 9))


def test_a_wrong_identity_is_caught() -> None:
    broken("identity", number(lambda a, b: a * b, identity=0), st.integers())
    broken("identity", number(max, identity=0), st.integers())


def test_an_order_that_was_declared_not_to_matter_is_caught() -> None:
    keeps_order = number(lambda a, b: a + b, identity="", commutative=True)
    broken("commutativity", keeps_order, st.text())


def test_a_combine_that_changes_its_older_argument_is_caught() -> None:
    def extend(older: list[int], newer: list[int]) -> list[int]:
        older.extend(newer)
        return older

    greedy = number(extend, identity=[], lift=lambda v: [v], lower=tuple)
    broken("unchanged arguments", greedy, st.integers())


def test_a_combine_that_changes_its_newer_argument_is_caught() -> None:
    def absorb(older: dict[int, int], newer: dict[int, int]) -> dict[int, int]:
        newer.update(older)
        return newer

    greedy = number(absorb, identity={}, lift=lambda v: {v: 1}, lower=len)
    broken("unchanged arguments", greedy, st.integers())


def test_a_subtraction_that_forgets_is_caught() -> None:
    shape: dict[str, Any] = {"lift": abs, "lower": abs, "identity": 0}
    never = Group(name="broken", combine=max, subtract=lambda total, older: total, **shape)
    broken("subtraction", never, st.integers())


def test_a_subtraction_may_decline() -> None:
    shape: dict[str, Any] = {"lift": abs, "lower": abs, "identity": 0}
    check_monoid_laws(
        Group(name="max", combine=max, subtract=lambda total, older: NotImplemented, **shape),
        st.integers(),
    )


def test_a_state_that_cannot_travel_is_caught() -> None:
    def compose(older: Any, newer: Any) -> Any:
        return lambda: older() + newer()

    lazy = number(compose, lambda: 0, lift=lambda v: lambda: v, lower=lambda s: s())
    broken("being kept", lazy, st.integers())


def test_a_null_that_counts_is_caught() -> None:
    class Counting(Monoid[int, int]):
        def lift_row(self, *values: Any) -> int:
            return 1

    counting = Counting(name="broken", lift=len, combine=lambda a, b: a + b, lower=int, identity=0)
    # Its rows are lifted one by one, nulls included; the laws ask the monoid itself.
    broken("null skipping", counting, st.text())


def numeric(lift: Any, combine: Any) -> Monoid[Any, Any]:
    form = Numeric(
        state=(INT,),
        identity=(0,),
        lift=lift,
        combine=combine,
        lower=lambda state: (state[0], VALUE),
        result=(Field(INT),),
    )
    return number(lambda a, b: a + b, numeric=lambda dtypes: form)


def test_a_numeric_form_that_disagrees_is_caught() -> None:
    add = numeric(lambda v: (v,), lambda a, b: (a[0] + b[0],))
    check_monoid_laws(add, st.integers())
    saturating = numeric(lambda v: (v,), lambda a, b: (min(a[0] + b[0], 99),))
    broken("numeric form", saturating, st.integers(0, 60))


def test_a_numeric_form_whose_types_drift_is_caught() -> None:
    drifting = numeric(lambda v: (v,), lambda a, b: ((a[0] + b[0]) / 1,))
    broken("numeric form", drifting, st.integers())


def test_equality_can_be_given() -> None:
    rounding = number(lambda a, b: round(a + b, 1), identity=0.0, lift=float)
    values = st.floats(0, 9)
    with pytest.raises(AssertionError, match="breaks the law of"):
        check_monoid_laws(rounding, values)
    check_monoid_laws(rounding, values, equal=lambda a, b: abs(a - b) <= 2.5)


def test_sketches_are_compared_by_results_within_their_error() -> None:
    def blurred(error: float) -> Monoid[Any, Any]:
        # Every combination loses a little.
        return number(
            lambda a, b: (a + b) * (1 - error) if a and b else a + b,
            lift=float,
            kind=Kind.SKETCH,
        )

    check_monoid_laws(blurred(0.001), st.integers(1, 9))
    broken("associativity", blurred(0.2), st.integers(1, 9))
