"""A store that cannot be reached: an error at once, or memory for a while; nothing is lost."""

import pytest

from tests.paged.faulty import FaultyStore
from windrow import agg
from windrow.aggregators import Outage, PagedAmta
from windrow.errors import StoreUnreachableError
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
