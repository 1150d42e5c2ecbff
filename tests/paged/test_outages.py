"""A store that cannot be reached: an error at once, or memory for a while; nothing is lost."""

import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.paged.faulty import FaultyStore
from windrow import agg
from windrow.errors import DamagedPageError, StoreUnreachableError, WindowError
from windrow.paged import Outage, PagedAmta
from windrow.window import policy

pytestmark = pytest.mark.xdist_group("paged")

PAGE = 8


def numbers(count: int, first: int = 0) -> list[float]:
    return [float(k) for k in range(first, first + count)]


def insert_all(window: PagedAmta, values: list[float]) -> None:
    for value in values:
        window.insert(value)


def come_and_go(window: PagedAmta) -> None:
    for k in range(100):
        window.extend(numbers(20, 20 * k))
        if k % 3 == 2:
            window.evict(13)
    window.flush()


@pytest.mark.parametrize("waits", [False, True])
def test_by_default_the_caller_hears_of_it_and_may_try_again(waits: bool) -> None:
    store = FaultyStore(waits=waits)
    window = PagedAmta(agg.sum(), store, "w", page=PAGE)
    window.extend(numbers(100))
    window.flush()
    store.down = True
    with pytest.raises(StoreUnreachableError):
        insert_all(window, numbers(10_000, 100))
    taken = window.inserted
    assert window.query() == sum(numbers(taken))
    store.down = False
    window.extend(numbers(1000, taken))
    window.close()
    again = PagedAmta(agg.sum(), store, "w", page=PAGE)
    assert again.inserted == taken + 1000
    assert again.query() == sum(numbers(taken + 1000))


def test_a_window_goes_on_in_memory_and_catches_up() -> None:
    store = FaultyStore(waits=True)
    window = PagedAmta(agg.sum(), store, "w", page=PAGE, outage=Outage.BUFFER)
    store.down = True
    window.extend(numbers(5_000))
    assert window.query() == sum(numbers(5_000))
    store.down = False
    window.close()
    assert PagedAmta(agg.sum(), store, "w", page=PAGE).query() == sum(numbers(5_000))


def test_the_buffer_is_bounded_and_whoever_fills_it_waits() -> None:
    store = FaultyStore(waits=True)
    window = PagedAmta(
        agg.sum(), store, "w", page=PAGE, outage=Outage.BUFFER, buffer_bytes=10_000, wait_s=0.2
    )
    store.down = True
    with pytest.raises(StoreUnreachableError):
        window.extend(numbers(100_000))
    assert 0 < window.inserted < 100_000
    taken = window.inserted
    store.down = False
    window.extend(numbers(100, taken))
    assert window.query() == sum(numbers(taken + 100))


def test_a_store_that_answers_late_delays_nobody_but_who_flushes() -> None:
    store = FaultyStore(waits=True)
    window = PagedAmta(agg.sum(), store, "w", page=PAGE)
    store.delay_s = 0.05
    window.extend(numbers(1_000))
    assert store.writes < 3
    window.flush()
    assert PagedAmta(agg.sum(), store, "w", page=PAGE).query() == sum(numbers(1_000))


@pytest.mark.parametrize("after", range(12))
def test_whatever_write_is_the_last_the_window_resumes_as_a_prefix(after: int) -> None:
    store = FaultyStore(waits=True)
    window = PagedAmta(agg.sum(), store, "w", page=PAGE)
    store.fails_after = after
    with pytest.raises(StoreUnreachableError):
        come_and_go(window)
    again = PagedAmta(agg.sum(), store, "w", page=PAGE)
    held = numbers(again.inserted - again.evicted, again.evicted)
    assert again.query() == (sum(held) if held else None)
    assert again.evicted % 13 == 0


class FailingStore(FaultyStore):
    """Answers so many times more."""

    left: int | None = None

    def answer(self) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise StoreUnreachableError("down")


@pytest.mark.parametrize("answers", range(12))
def test_a_slide_that_an_outage_cut_off_goes_on_where_it_was(answers: int) -> None:
    """The half that goes is half of what there was before, not of what the outage left."""
    half = policy(
        drop=lambda evicted, after, before: evicted.n * 2 <= before.n, using={"n": agg.count()}
    )
    store = FailingStore()
    window = PagedAmta(agg.sum(), store, "w", half, page=PAGE, cached_pages=4)
    window.extend(numbers(3_000))
    window.evict(1_000)
    window.extend(numbers(7_000, 3_000))
    store.left = answers
    try:
        window.slide()
    except StoreUnreachableError:
        store.left = None
        window.slide()
    assert window.evicted == 5_500


# What a window is made of, and what it says of updates.
KINDS: dict[str, tuple[Any, Any]] = {
    "numbers": (agg.sum, lambda values: sum(values) if values else None),
    "objects": (agg.collect, list),
}
# Updates that come, updates that leave, and whether the store is down meanwhile.
STEPS = st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300), st.booleans()), max_size=25)


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@given(steps=STEPS)
def test_whatever_fails_has_not_happened(
    kind: str, waits: bool, steps: list[tuple[int, int, bool]]
) -> None:
    made, said = KINDS[kind]
    store = FaultyStore(waits=waits)
    window = PagedAmta(made(), store, "w", page=PAGE, cached_pages=4)
    for coming, leaving, down in steps:
        store.down = down
        taken, gone = window.inserted, window.evicted
        for value in numbers(coming, taken):
            try:
                window.insert(value)
            except StoreUnreachableError:
                break
            taken += 1
        leaving = min(leaving, taken - gone)
        with suppress(StoreUnreachableError):
            window.evict(leaving)
            gone += leaving
        store.down = False
        assert (window.inserted, window.evicted) == (taken, gone)
        assert window.query() == said(numbers(taken - gone, gone))
    window.close()


class HesitantStore(FaultyStore):
    """Its next write begins during an outage, and fails when the outage is over."""

    def __init__(self) -> None:
        super().__init__(waits=True)
        self.begun, self.over = threading.Event(), threading.Event()
        self.hesitates = True

    def answer(self) -> None:
        if self.hesitates and threading.current_thread() is not threading.main_thread():
            self.hesitates = False
            self.begun.set()
            self.over.wait()
            raise StoreUnreachableError("the store was down; try again")


def test_whoever_flushes_does_not_hear_of_an_outage_that_is_over() -> None:
    store = HesitantStore()
    window = PagedAmta(agg.sum(), store, "w", page=PAGE)
    insert_all(window, numbers(1_000))
    store.begun.wait()
    threading.Timer(0.2, store.over.set).start()  # the flush waits by then
    window.flush()
    assert store.values["w"]


@pytest.mark.parametrize("kind", KINDS)
def test_who_buffers_waits_for_pages_too(kind: str) -> None:
    made, said = KINDS[kind]
    store = FaultyStore(waits=True)
    window = PagedAmta(made(), store, "w", page=PAGE, outage=Outage.BUFFER, wait_s=20)
    insert_all(window, numbers(3_000))
    window.flush()
    store.down = True
    back = threading.Timer(0.3, lambda: setattr(store, "down", False))
    back.start()
    window.evict(1_500)
    assert window.query() == said(numbers(1_500, 1_500))
    window.close()


def test_who_buffers_hears_of_a_page_that_does_not_come_in_time() -> None:
    store = FaultyStore(waits=True)
    window = PagedAmta(agg.sum(), store, "w", page=PAGE, outage=Outage.BUFFER, wait_s=0.2)
    window.extend(numbers(3_000))
    window.flush()
    store.down = True
    with pytest.raises(StoreUnreachableError):
        window.evict(1_500)
    window.extend(numbers(100, 3_000))  # goes on in memory
    store.down = False
    window.evict(1_500)
    assert window.query() == sum(numbers(1_600, 1_500))


class StrangeStore(FaultyStore):
    """Fails in a way that no store of ours does."""

    strange = False

    def answer(self) -> None:
        if self.strange:
            raise TimeoutError("took too long")
        super().answer()


def test_an_error_of_a_strange_store_is_told_and_tried_again() -> None:
    store = StrangeStore(waits=True)
    window = PagedAmta(agg.sum(), store, "w", page=PAGE)
    store.strange = True
    window.extend(numbers(100))
    with pytest.raises(TimeoutError):
        window.flush()
    store.strange = False
    window.close()
    assert PagedAmta(agg.sum(), store, "w", page=PAGE).query() == sum(numbers(100))


def test_whoever_waits_for_a_store_waits_no_longer_than_he_said() -> None:
    store = FaultyStore(waits=True)
    window = PagedAmta(agg.sum(), store, "w", page=PAGE, wait_s=0.2)
    store.down = True
    window.extend(numbers(100))
    with pytest.raises(StoreUnreachableError):
        window.flush()
    store.delay_s = 5
    start = time.monotonic()
    with pytest.raises(StoreUnreachableError):
        window.flush()
    assert time.monotonic() - start < 4
    store.delay_s, store.down = 0, False


@pytest.mark.parametrize("waits", [False, True])
def test_a_closed_window_says_so(waits: bool) -> None:
    with PagedAmta(agg.sum(), FaultyStore(waits=waits), "w") as window:
        window.extend(numbers(5))
        window.close()
        window.close()
        calls = (window.query, window.flush, window.slide, window.evict)
        for call in (*calls, lambda: window.insert(1.0), lambda: window.extend([1.0])):
            with pytest.raises(WindowError, match="window 'w' is closed"):
                call()
    assert window.inserted == 5


def test_a_state_that_cannot_be_kept_does_not_come_in() -> None:
    window = PagedAmta(agg.collect(), FaultyStore(), "w", page=PAGE)
    for k in range(3 * PAGE):
        window.insert(float(k))
        with pytest.raises(Exception, match="object"):
            window.insert(object())
        assert window.inserted == k + 1
    assert window.query() == numbers(3 * PAGE)


def test_pages_of_another_window_are_noticed() -> None:
    store = FaultyStore()
    for name, first in (("one", 0), ("other", 7)):
        with PagedAmta(agg.sum(), store, name, page=PAGE) as window:
            window.extend(numbers(1_000, first))
    pages: Sequence[Any] = [key for key in store.values["one"] if key.space == "l0"]
    for key in pages:
        store.values["one"][key] = store.values["other"][key]
    with pytest.raises(DamagedPageError, match="another window"):
        PagedAmta(agg.sum(), store, "one", page=PAGE)


def test_an_advance_that_fails_on_its_way_tells_the_results_it_had() -> None:
    store = FaultyStore()
    window = PagedAmta(agg.sum(), store, "w", page=PAGE)
    window.extend(numbers(1_000))
    store.fails_after = 3
    with pytest.raises(StoreUnreachableError) as told:
        window.advance(numbers(5_000, 1_000))
    taken = window.inserted - 1_000
    assert 0 < taken < 5_000
    found: Any = told.value.results
    assert found.tolist() == [sum(numbers(1_000, k + 1)) for k in range(taken)]
    store.fails_after = None
    rest = window.advance(numbers(5_000 - taken, 1_000 + taken))
    assert rest[-1] == sum(numbers(1_000, 5_000))


def fail_inside(window: PagedAmta, error: BaseException) -> None:
    with window:
        window.insert(1.0)
        raise error


def test_what_was_accepted_is_kept_when_somebody_else_fails() -> None:
    store = FaultyStore(waits=True)
    with pytest.raises(KeyError):
        fail_inside(PagedAmta(agg.collect(), store, "w", page=PAGE), KeyError("theirs"))
    with PagedAmta(agg.collect(), store, "w", page=PAGE) as window:
        assert window.query() == [1.0]
    window, store.fails_after = PagedAmta(agg.collect(), store, "w", page=PAGE), 0
    with pytest.raises(KeyError) as told:
        fail_inside(window, KeyError("theirs"))
    assert "window 'w' could not be written either: the store is full" in told.value.__notes__[0]


def insert_slowly(window: PagedAmta, count: int) -> None:
    for number in range(count):
        time.sleep(0.01)
        window.insert(float(number))


@pytest.mark.parametrize("kind", KINDS)
def test_a_write_that_failed_shows_before_the_next_one_is_due(kind: str) -> None:
    store = FaultyStore(waits=True)
    window = PagedAmta(KINDS[kind][0](), store, "w", page=1024)
    store.down = True
    with pytest.raises(StoreUnreachableError):
        window.flush()
    with pytest.raises(StoreUnreachableError):
        insert_slowly(window, 500)  # not as many as a head is written for
    store.down = False
    window.close()
