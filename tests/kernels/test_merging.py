"""Two orders of times merged in one pass, against Python's own sort."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from windrow.aggregators.kernels.merging import merge_by_time

TIMES = st.lists(st.integers(-9, 9), max_size=6).map(sorted)


def borders(groups: list[list[int]]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum([len(group) for group in groups], dtype=np.int64)])


def flat(groups: list[list[int]]) -> np.ndarray:
    return np.array([time for group in groups for time in group], np.int64)


@given(st.lists(st.tuples(TIMES, TIMES), max_size=5))
def test_asked_times_stand_behind_the_known_ones_up_to_them(
    drawn: list[tuple[list[int], list[int]]],
) -> None:
    known, asked = [group for group, _ in drawn], [group for _, group in drawn]
    expected, number = [], 0
    for own, questions in drawn:
        places = [(time, 0, number + k) for k, time in enumerate(own)]
        places += [(time, 1, -1) for time in questions]
        expected += sorted(places, key=lambda place: place[:2])
        number += len(own)

    merged = merge_by_time(flat(known), borders(known), flat(asked), borders(asked))

    assert merged.ticks.tolist() == [time for time, _, _ in expected]
    assert merged.known.tolist() == [own for _, _, own in expected]
    assert merged.asked.tolist() == [k for k, place in enumerate(expected) if place[1]]
    assert merged.borders.tolist() == (borders(known) + borders(asked)).tolist()
