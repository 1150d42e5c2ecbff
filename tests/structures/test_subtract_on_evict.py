"""Subtract-on-Evict takes groups only, and folds where a total cannot be undone."""

import math
from pathlib import Path
from typing import Any

import pytest
from mypy import api

from tests.structures.support import counted, from_maximum, last
from windrow import agg
from windrow.errors import NotInvertibleError
from windrow.structures import SubtractOnEvict

CONFIG = Path(__file__).parents[2] / "pyproject.toml"  # and so the cache of `make types` serves

ACCEPTED = """
from windrow import agg
from windrow.structures import SubtractOnEvict

SubtractOnEvict(agg.sum("temp"))
SubtractOnEvict(agg.mean().monoid)
SubtractOnEvict({"n": agg.count()})
SubtractOnEvict(agg.several(n=agg.count()))
"""


def type_errors(source: str, folder: Path) -> list[str]:
    snippet = folder / "snippet.py"
    snippet.write_text(source)
    report, complaints, _ = api.run(["--config-file", str(CONFIG), str(snippet)])
    assert complaints == ""
    return [line for line in report.splitlines() if "snippet.py" in line and "error:" in line]


def test_the_type_checker_tells_groups_from_other_monoids(tmp_path: Path) -> None:
    errors = type_errors(
        ACCEPTED + 'SubtractOnEvict(agg.max())\nSubtractOnEvict({"low": agg.min()})\n', tmp_path
    )
    lines = len(ACCEPTED.splitlines())
    assert [int(error.split(":")[1]) for error in errors] == [lines + 1, lines + 2], errors
    assert "[arg-type]" in errors[0]


def test_an_aggregate_that_cannot_subtract_is_refused_by_name() -> None:
    maximum: Any = agg.max("temp")
    with pytest.raises(NotInvertibleError, match=r"max\('temp'\) cannot; use TwoStacks, or Amta"):
        SubtractOnEvict(maximum)
    with pytest.raises(NotInvertibleError, match=r"and max\(\) cannot"):
        SubtractOnEvict(maximum.monoid)


def test_the_part_of_a_product_that_cannot_subtract_is_named() -> None:
    with pytest.raises(NotInvertibleError, match=r"low=min\(\) cannot"):
        SubtractOnEvict(agg.several(n=agg.count(), low=agg.min()))
    mapping: Any = {"n": agg.count(), "low": agg.min()}
    with pytest.raises(NotInvertibleError, match=r"low=min\(\) cannot"):
        SubtractOnEvict(mapping)


def test_a_policy_that_cannot_subtract_is_named() -> None:
    with pytest.raises(NotInvertibleError, match=r"the policy's peak=max\(\) cannot"):
        SubtractOnEvict(agg.sum(), from_maximum().policy())
    assert SubtractOnEvict(agg.sum(), last(3).policy()).slide() == 0


@pytest.mark.parametrize(
    "aggregate",
    [{"n": agg.count(), "mean": agg.mean()}, agg.several(n=agg.count(), mean=agg.mean())],
    ids=["mapping", "product"],
)
def test_mappings_and_products_of_groups_are_accepted(aggregate: Any) -> None:
    window = SubtractOnEvict(aggregate)
    for value in (1, 2, 6):
        window.insert(value)
    window.evict()
    assert window.query() == {"n": 2, "mean": 4.0}


@pytest.mark.parametrize("odd", [math.inf, -math.inf, math.nan, 1.7e308])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_total_that_cannot_be_undone_is_folded_anew(odd: float, count: int) -> None:
    window = SubtractOnEvict(agg.several(n=agg.count(), inner=agg.sum(), mean=agg.mean()))
    values = [odd, odd, odd, 4, 5]
    for value in values:
        window.insert(value)
    window.evict(count)
    left = values[count:]
    assert window.query() == {
        "n": len(left),
        "inner": pytest.approx(sum(left), nan_ok=True),
        "mean": pytest.approx(sum(left) / len(left), nan_ok=True),
    }


def test_a_slide_over_infinite_totals_folds_what_is_left() -> None:
    slide = last(2)
    window = SubtractOnEvict(agg.sum(), slide.policy())
    for value in (math.inf, 1, math.inf, 2, 3):
        window.insert(value)
    assert window.slide() == 3
    assert window.query() == 5


def test_only_undoable_totals_save_combines() -> None:
    monoid, combines = counted(agg.sum())
    window = SubtractOnEvict(monoid)  # type: ignore[arg-type]
    for value in range(100):
        window.insert(value)
    assert combines.since(lambda: window.evict(50)) == 0
    window.insert(math.inf)
    assert combines.since(lambda: window.evict(10)) == 40


def test_no_rounding_error_survives_an_empty_window() -> None:
    window = SubtractOnEvict(agg.sum())
    for _ in range(3):
        for value in (0.1, 0.2, 0.3):
            window.insert(value)
        window.evict()
        assert window.query() != 0.2 + 0.3, "there is drift to get rid of"
        window.evict(2)
        assert window.query() is None
        window.insert(0.3)
        assert window.query() == 0.3
        window.evict()
