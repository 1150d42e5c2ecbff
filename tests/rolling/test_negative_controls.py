"""The oracles of this folder catch kernels that are wrong."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.rolling.support import require_folds, window_at
from windrow import agg, roll, window
from windrow.algebra.aggregate import Aggregate
from windrow.columnar import loops as compiled
from windrow.kernels import trailing as kernels

pytestmark = [
    pytest.mark.xdist_group("kernels of numbers"),
    pytest.mark.usefixtures("always_compiled"),
]

TABLE: dict[str, list[Any]] = {"v": [float(n * 7 % 11) for n in range(40)]}


def swapped(monoid: Any) -> Any:
    """The same monoid, whose kernels combine the newer with the older."""

    def numeric(dtypes: Any) -> Any:
        form = monoid.numeric(dtypes)
        inner = form.combine

        def combine(older: Any, newer: Any) -> Any:
            return inner(newer, older)

        return replace(form, combine=combine)

    return replace(monoid, numeric=numeric)


def require_right(aggregate: Any, true: Any, rows: int) -> None:
    trailing = window.trailing(rows=rows)
    found = roll({"v": np.array(TABLE["v"])}, {"it": aggregate}, trailing)
    windows = {row: window_at(row, trailing) for row in range(40)}
    require_folds(found, {"it": true}, TABLE, windows)


@pytest.mark.parametrize("name", ["first", "last"])
def test_swapped_arguments_are_caught(name: str) -> None:
    aggregate = getattr(agg, name)("v")
    wrong = Aggregate(swapped(aggregate.monoid), ("v",))
    require_right(aggregate, aggregate, rows=5)
    with pytest.raises(AssertionError, match="it at row"):
        require_right(wrong, aggregate, rows=5)


def test_a_window_one_row_too_wide_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = kernels.trailing_kernel

    def wider(operator: Any, **options: Any) -> Any:
        run = right(operator, **options)

        def too_wide(
            columns: Any, masks: Any, ticks: Any, groups: Any, width: Any, *rest: Any
        ) -> Any:
            return run(columns, masks, ticks, groups, width + 1, *rest)

        return too_wide

    compiled._trailing.cache_clear()
    monkeypatch.setattr(compiled, "trailing_kernel", wider)
    try:
        with pytest.raises(AssertionError, match="it at row"):
            require_right(agg.first("v"), agg.first("v"), rows=5)
    finally:
        compiled._trailing.cache_clear()
