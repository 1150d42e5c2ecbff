"""Selecting from runs equals sorting all of them together, equal keys in the order they lie."""

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.columnar.arrays import read_only
from windrow.kernels.selection import neighbours

pytestmark = pytest.mark.usefixtures("interpreted_and_compiled")

FIRST, LAST = -(1 << 63), (1 << 63) - 1
KEYS = st.integers(-2, 2) | st.integers(-100, 100) | st.sampled_from((FIRST, -1, 0, 1, LAST))


@given(st.lists(st.lists(KEYS, max_size=40).map(sorted), min_size=1, max_size=12), st.data())
def test_places_are_those_of_a_stable_sort(runs: list[list[int]], data: st.DataObject) -> None:
    keys = [key for run in runs for key in run]
    offsets = [*accumulate(map(len, runs), initial=0)]
    bounds = st.integers(0, len(runs))
    windows = []
    for since, until in data.draw(st.lists(st.tuples(bounds, bounds).map(sorted), max_size=8)):
        if offsets[since] < offsets[until]:
            rank = data.draw(st.integers(0, offsets[until] - offsets[since] - 1))
            windows.append((since, until, rank))
    columns = np.array(windows, np.int64).reshape(-1, 3).T

    firsts, seconds = neighbours(
        read_only(np.array(keys, np.int64)),
        read_only(np.array(offsets)),
        *map(read_only, columns),
    )

    for (since, until, rank), first, second in zip(windows, firsts, seconds, strict=True):
        places = sorted(range(offsets[since], offsets[until]), key=keys.__getitem__)
        assert first == places[rank]
        assert second == places[min(rank + 1, len(places) - 1)]
