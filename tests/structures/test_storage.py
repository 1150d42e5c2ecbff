"""The storage below the structures: rings, levels and aligned blocks."""

from hypothesis import given
from hypothesis import strategies as st

from tests.structures.support import FREE
from windrow.structures import Daba
from windrow.structures.levels import Levels, Ring, blocks_back_to


@given(moves=st.lists(st.tuples(st.integers(1, 40), st.integers(0, 60)), min_size=1, max_size=30))
def test_a_ring_holds_what_is_live_and_clears_what_is_dead(
    moves: list[tuple[int, int]],
) -> None:
    ring, oldest, newest = Ring(), 0, -1
    for puts, deaths in moves:
        for _ in range(puts):
            newest += 1
            ring.put(newest, newest, oldest)
        assert [ring[number] for number in range(oldest, newest + 1)] == list(
            range(oldest, newest + 1)
        )
        oldest = min(oldest + deaths, newest)
        ring = Ring(ring.dump())
    for _ in range(500):
        newest, oldest = newest + 1, oldest + 1
        ring.put(newest, newest, oldest)
    live = newest - oldest + 1
    filled = [entry for entry in ring.dump() if entry is not None]
    assert len(filled) <= live + 2
    assert len(ring.dump()) <= max(8, 8 * live)


def test_levels_answer_by_node_and_by_block_and_let_go_of_their_top() -> None:
    levels = Levels()
    for number in range(8):
        levels.put(0, number, str(number), 0)
    levels.put(1, 2, "45", 2)
    assert levels.node(0, 5) == levels.block(5, 6) == "5"
    assert levels.node(1, 2) == levels.block(4, 6) == "45"
    levels.replace(1, 2, "5")
    assert levels.block(4, 6) == "5"
    copy = Levels(levels.dump())
    levels.trim(1)
    assert (len(levels), len(copy)) == (1, 2)
    assert copy.block(4, 6) == "5"


@given(start=st.integers(0, 3000), length=st.integers(0, 3000))
def test_aligned_blocks_cover_a_stretch_newest_first(start: int, length: int) -> None:
    end = start + length
    position = end
    for block_start, block_end in blocks_back_to(start, end):
        assert block_end == position
        size = block_end - block_start
        assert size & (size - 1) == 0
        assert block_start % size == 0
        position = block_start
    assert position == start
    assert len(list(blocks_back_to(start, end))) <= 2 * length.bit_length()


@given(calls=st.lists(st.booleans(), max_size=200))
def test_the_six_positions_of_daba_stay_in_order(calls: list[bool]) -> None:
    window = Daba(FREE)
    for insert in calls:
        if insert or not len(window):
            window.insert("a")
        else:
            window.evict()
        front, left, right, accrued, back, end = window._dump()[0]
        assert front <= left <= right <= accrued <= back <= end
        assert right - left == accrued - right, "left and right are of one length"
        assert front < left or front == back
