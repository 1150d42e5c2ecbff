"""Pages that evictions will need are read before they are asked for, off the caller's path."""

import threading
from collections.abc import Sequence

import numpy as np
import pytest

from tests.paged.faulty import FaultyStore
from windrow import agg
from windrow.errors import StoreUnreachableError
from windrow.paged import PagedAmta
from windrow.paged.stores import Key, StoredWindow

pytestmark = pytest.mark.xdist_group("paged")

PAGE, HELD = 8, 4_000


class WatchedStore(FaultyStore):
    """Notes which pages the window's own thread reads, and which are read ahead of it."""

    def __init__(self) -> None:
        super().__init__(waits=True)
        self.own: list[Key] = []
        self.ahead: list[Key] = []
        self.fails_ahead: Exception | None = None

    def open(self, name: str) -> StoredWindow:
        stored_window = super().open(name)
        read = stored_window.get_many

        def get_many(keys: Sequence[Key]) -> list[bytes | None]:
            if threading.current_thread() is threading.main_thread():
                self.own += keys
            else:
                self.ahead += keys
                if self.fails_ahead is not None:
                    raise self.fails_ahead
            return read(keys)

        stored_window.get_many = get_many  # type: ignore[method-assign]
        return stored_window


def slid(store: WatchedStore) -> None:
    """Have a window slide once through all it holds, and check what it says."""
    values = np.arange(2 * HELD, dtype=np.float64) % 997
    with PagedAmta(agg.sum(), store, "w", page=PAGE) as window:
        window.extend(values[:HELD])
        window.flush()
        sums = np.cumsum(values)
        found = np.concatenate([window.advance(part) for part in np.split(values[HELD:], 40)])
        assert found.tolist() == (sums[HELD:] - sums[:-HELD]).tolist()


def test_a_window_that_slides_finds_its_pages_brought() -> None:
    store = WatchedStore()
    slid(store)
    pages = [key for key in store.ahead if key.space == "l0"]
    assert len(pages) == len(set(pages)) > HELD // PAGE * 0.8
    assert len(store.own) < len(store.ahead) / 5


def test_a_window_of_texts_finds_its_pages_brought() -> None:
    store, held = WatchedStore(), 600
    letters = [chr(97 + number * 7 % 26) for number in range(2 * held)]
    with PagedAmta(agg.concat(), store, "w", page=PAGE, cached_pages=4) as window:
        for letter in letters[:held]:
            window.insert(letter)
        window.flush()
        for number in range(held):
            window.insert(letters[held + number])
            window.evict()
            assert window.query() == "".join(letters[number + 1 : number + 1 + held])
    pages = [key for key in store.ahead if key.space == "l0"]
    assert len(pages) == len(set(pages)) > held // PAGE * 0.8
    assert len(store.own) < len(store.ahead) / 5


@pytest.mark.parametrize("error", [StoreUnreachableError("not now"), TimeoutError()], ids=repr)
def test_what_could_not_be_read_ahead_is_read_when_it_is_needed(error: Exception) -> None:
    store = WatchedStore()
    store.fails_ahead = error
    slid(store)
    assert store.ahead
    assert len([key for key in store.own if key.space == "l0"]) > HELD // PAGE * 0.8


def test_evictions_that_jump_expect_nothing() -> None:
    store = WatchedStore()
    with PagedAmta(agg.sum(), store, "w", page=PAGE) as window:
        window.extend(np.ones(HELD))
        window.flush()
        for left in (3_000, 2_000, 1_000):
            window.evict(len(window) - left)
            assert window.query() == left
    assert not store.ahead
