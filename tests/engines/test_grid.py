"""Windows over slices, some at a time, against every window of the grid looked at by itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow import window
from windrow.engines import grid
from windrow.engines.edges import Edges
from windrow.windows import Hopping

KEYS = st.lists(st.sets(st.integers(-40, 40), min_size=1, max_size=8).map(sorted), max_size=4)
WINDOWS = st.tuples(st.integers(1, 12), st.integers(1, 7)).map(
    lambda drawn: window.hopping(f"{drawn[0]} us", every=f"{drawn[1]} us")
)
LIMITS = st.one_of(st.none(), st.integers(-45, 45))


@pytest.mark.parametrize("at_once", [1, 7, 1 << 16])
@given(keys=KEYS, hopping=WINDOWS, closed=LIMITS, until=LIMITS, data=st.data())
def test_all_windows_are_found_with_their_slices(
    at_once: int,
    keys: list[list[int]],
    hopping: Hopping,
    closed: int | None,
    until: int | None,
    data: st.DataObject,
) -> None:
    times = sorted({time for own in keys for time in own})
    edges = Edges([hopping]).before(np.array(times, np.int64))
    start_of = dict(zip(times, edges.tolist(), strict=True))
    slices = [sorted({start_of[time] for time in own}) for own in keys]
    flat = [start for own in slices for start in own]
    borders = np.concatenate([[0], np.cumsum([len(own) for own in slices], dtype=np.int64)])
    marks = st.lists(st.booleans(), min_size=len(flat), max_size=len(flat))
    fresh = data.draw(st.one_of(st.none(), marks))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grid, "_AT_ONCE", at_once)
        asked = None if fresh is None else np.array(fresh, np.bool_)
        found = [
            hop
            for hops in grid.windows_over(
                np.array(flat, np.int64), borders, hopping, closed, until, asked
            )
            for hop in zip(*(array.tolist() for array in hops), strict=True)
        ]

    expected = []
    for first, end in zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True):
        for start in range(-80, 80):
            own = [k for k in range(first, end) if start <= flat[k] < start + hopping.size_us]
            is_open = closed is None or start + hopping.size_us > closed
            is_over = until is None or start + hopping.size_us <= until
            asks = any(fresh is None or fresh[k] for k in own)
            if start % hopping.every_us == 0 and is_open and is_over and asks:
                expected.append((start, own[0], own[-1] + 1))
    assert found == expected
