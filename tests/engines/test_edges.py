"""Edges of many windows, searched at once, against each window asked about each time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.engines import edges
from windrow.engines.edges import Edges
from windrow.windows import Aligned

NARROW = st.builds(Aligned, st.integers(1, 12), st.integers(1, 9), st.integers(-20, 20))
WIDE = st.builds(
    Aligned,
    st.integers(1, 1 << 60),
    st.integers(1, 1 << 60),
    st.integers(-(1 << 62), 1 << 62),
)
WINDOWS = st.lists(NARROW, min_size=1, max_size=6) | st.lists(NARROW | WIDE, min_size=1, max_size=4)


@st.composite
def _windows_and_times(draw: st.DrawFn) -> tuple[list[Aligned], list[int]]:
    windows = draw(WINDOWS)
    limits = [window.time_limits for window in windows]
    lowest, highest = max(low for low, _ in limits), min(high for _, high in limits)
    near = st.integers(-40, 40)
    times = st.lists(near | st.integers(lowest, highest), max_size=12) | st.lists(near, max_size=30)
    return windows, draw(times.flatmap(lambda own: st.sampled_from([own, sorted(own)])))


@pytest.mark.parametrize("few", [0, 1 << 16])
@given(drawn=_windows_and_times())
def test_the_latest_edge_is_found_whatever_the_windows(
    few: int, drawn: tuple[list[Aligned], list[int]]
) -> None:
    windows, times = drawn
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edges, "_FEW", few)
        found = Edges(windows).before(np.array(times, np.int64)).tolist()
    assert found == [max(_edges_before(time, windows)) for time in times]


@given(drawn=_windows_and_times())
def test_times_between_two_windows_are_told_from_those_in_one(
    drawn: tuple[list[Aligned], list[int]],
) -> None:
    windows, times = drawn
    found = Edges(windows).covered(np.array(times, np.int64)).tolist()
    assert found == [any(window.starts(time) for window in windows) for time in times]


def test_a_thousand_windows_are_not_asked_about_each_row() -> None:
    """Counted: what is searched is no larger than the rows and the windows together."""
    windows = [Aligned(1000 + k, 1000 + k) for k in range(1000)]
    times = np.arange(5_000_000, 5_010_000)
    among = Edges(windows)._among(int(times[0]), int(times[-1]), len(times))
    assert among is not None
    assert len(among) <= len(times) + len(windows)


def _edges_before(time: int, windows: list[Aligned]) -> list[int]:
    edges = [(w.offset_us + end, w.every_us) for w in windows for end in (0, w.size_us)]
    return [time - (time - edge) % every for edge, every in edges]
