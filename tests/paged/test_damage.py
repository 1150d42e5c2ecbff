"""Damaged, lost and foreign pages are named, never used."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.paged.faulty import FaultyStore
from windrow import agg, window
from windrow.errors import DamagedPageError, InputError, SnapshotError, WindowError
from windrow.paged import PagedAmta
from windrow.paged.stores import Key
from windrow.windows import Check

pytestmark = pytest.mark.xdist_group("paged")

PAGE = 8
UPDATES = [float(k % 13) for k in range(40 * PAGE)]


def written() -> FaultyStore:
    store = FaultyStore()
    with PagedAmta(agg.sum(), store, "w", page=PAGE) as held:
        held.extend(UPDATES)
    return store


def read_all(store: FaultyStore) -> list[float]:
    """Each suffix of the window, so that every page is looked at sooner or later."""
    found = []
    with PagedAmta(agg.sum(), store, "w", page=PAGE) as held:
        while len(held):
            found.append(held.query())
            held.evict()
    return found


def read_or_told(store: FaultyStore) -> tuple[list[float], str | None]:
    try:
        return read_all(store), None
    except DamagedPageError as error:
        return [], str(error)


def test_what_is_not_damaged_is_read() -> None:
    assert read_all(written()) == [sum(UPDATES[k:]) for k in range(len(UPDATES))]


@given(data=st.data())
def test_a_flipped_bit_anywhere_is_noticed_or_was_never_read(data: st.DataObject) -> None:
    store = written()
    values = store.values["w"]
    key = data.draw(st.sampled_from(sorted(values)))
    damaged = bytearray(values[key])
    bit = data.draw(st.integers(0, 8 * len(damaged) - 1))
    damaged[bit // 8] ^= 1 << bit % 8
    values[key] = bytes(damaged)
    is_page = key.space[1:].isdigit()
    name = f"page {key.number} of level {key.space[1:]}" if is_page else key.space
    found, told = read_or_told(store)
    if told is None:
        assert is_page
        assert found == [sum(UPDATES[k:]) for k in range(len(UPDATES))]
    else:
        assert name in told
        assert "'w'" in told


def test_every_page_of_the_updates_themselves_is_read() -> None:
    for number in range(len(UPDATES) // PAGE):
        store = written()
        store.values["w"][Key("l0", number)] = b"torn"
        with pytest.raises(DamagedPageError, match=f"page {number} of level 0 of window 'w'"):
            read_all(store)


def test_a_page_in_another_s_place_is_noticed() -> None:
    store = written()
    values = store.values["w"]
    values[Key("l0", 3)] = values[Key("l0", 4)]
    with pytest.raises(DamagedPageError, match=r"page 3 of level 0 .* holds page 4 of level 0"):
        read_all(store)


def test_a_page_that_is_gone_is_named() -> None:
    store = written()
    del store.values["w"][Key("l0", 3)]
    with pytest.raises(DamagedPageError, match="page 3 of level 0 of window 'w' is gone"):
        read_all(store)


@pytest.mark.parametrize("page", [PAGE, 2 * PAGE])
def test_a_window_of_another_aggregate_or_page_is_refused(page: int) -> None:
    store = written()
    other = agg.max() if page == PAGE else agg.sum()
    with pytest.raises(SnapshotError, match="was not written by"):
        PagedAmta(other, store, "w", page=page)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"page": 7}, "page=7"),
        ({"page": 4}, "page=4"),
        ({"cached_pages": 3}, "cached_pages=3"),
        ({"outage": "wait"}, "outage='wait'"),
        ({"buffer_bytes": 0}, "buffer_bytes=0"),
        ({"wait_s": -1}, "wait_s=-1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, int], told: str) -> None:
    with pytest.raises(InputError, match=told):
        PagedAmta(agg.sum(), FaultyStore(), "w", **settings)  # type: ignore[arg-type]


def test_checked_policies_are_refused() -> None:
    checked = window.policy(keep=lambda w: w.n < 3, using={"n": agg.count()}, check=Check.VERIFY)
    with pytest.raises(WindowError, match="use Amta to verify"):
        PagedAmta(agg.sum(), FaultyStore(), "w", checked)


def test_what_is_no_store_is_refused() -> None:
    with pytest.raises(InputError, match=r"store=\{\}"):
        PagedAmta(agg.sum(), {}, "w")  # type: ignore[arg-type]
