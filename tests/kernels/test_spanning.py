"""Stretches over many blocks of rows, against a fold of the rows in each."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow import agg
from windrow.columnar.spans import Spans
from windrow.columnar.states import Summary
from windrow.kernels.trailing import BLOCK

pytestmark = pytest.mark.usefixtures("interpreted_and_compiled")

ROWS = 5 * BLOCK
ORACLES: dict[str, Any] = {
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
    "max": max,
    "sum": sum,
}


def stretches(draw: Any) -> Spans:
    """Stretches that step by anything from nothing to several blocks, and leave rows out."""
    step = st.one_of(st.just(0), st.integers(1, 5), st.integers(BLOCK - 2, 3 * BLOCK))
    count = draw(st.integers(1, 25))
    steps = st.lists(step, min_size=count, max_size=count)
    begins = np.minimum(np.cumsum(draw(steps)), ROWS - 1)
    ends = np.minimum(np.maximum(np.cumsum(draw(steps)), begins + 1), ROWS)
    return Spans(begins, np.maximum.accumulate(ends))


@pytest.mark.parametrize("name", ORACLES)
@given(data=st.data())
def test_each_stretch_gives_the_fold_of_its_rows(name: str, data: st.DataObject) -> None:
    values = np.random.default_rng(data.draw(st.integers(0, 9))).permutation(ROWS).astype(float)
    rows = pa.table({"v": values})
    summary = Summary(getattr(agg, name)("v"), "x", rows.schema, pa.float64())
    spans = stretches(data.draw)

    found = summary.over(summary.fold(rows, np.arange(ROWS + 1)), spans)

    pairs = zip(spans.since, spans.until, strict=True)
    assert found.to_pylist() == [ORACLES[name](values[since:until]) for since, until in pairs]
