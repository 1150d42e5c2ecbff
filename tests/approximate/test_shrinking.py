"""A store out of reach: windows with a footprint go on in memory, with fewer and larger buckets."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.redis_server import RedisServer
from tests.approximate.stored import (
    PAGE,
    SLIDES,
    FlakyStore,
    call,
    check_all,
    facts,
    follow,
    operations,
    shrinking,
    steps,
)
from tests.paged.stores.support import ON_REDIS
from windrow import agg, window
from windrow.approximate import ApproximateAmta, Footprint
from windrow.approximate.paged_buckets import PagedBuckets
from windrow.errors import StoreError, StoreUnreachableError
from windrow.paged import Outage
from windrow.paged.stores import RedisStore
from windrow.structures import Amta

limits = st.sampled_from([1, 2, 5, 40, 300])


def value(number: int) -> int:
    return 7 * number % 23 - 4


def fill(kept: ApproximateAmta, values: list[int], count: int) -> None:
    for number in range(len(values), len(values) + count):
        kept.insert(value(number))
        values.append(value(number))


@pytest.mark.parametrize("waits", [False, True])
@given(
    limit=limits,
    slide=st.sampled_from([None, *SLIDES]),
    drawn=steps("down", "flaky", "up", "reopen"),
)
def test_nothing_is_lost_or_counted_twice_however_the_store_fails(
    waits: bool, limit: int, slide: Any, drawn: list[tuple[str, Any]]
) -> None:
    store = FlakyStore(waits=waits)
    kept, values = shrinking(store, limit, slide), list[int]()
    taken = 0
    for kind, given_ in drawn:
        if store.turns(kind):
            continue
        if kind == "reopen":
            store.turns("up")
            kept.flush()
            assert not kept.is_local
            told = facts(kept)
            kept.close()
            kept = shrinking(store, limit, slide)
            assert facts(kept) == told
        elif kind != "slide" or slide is not None:
            for operation in operations(kind, given_, kept):
                call(kept, *operation)
                follow(values, *operation, slide)
                taken += operation[0] == "insert"
        assert kept.inserted == taken
        assert kept.max_buckets is not None
        assert kept.buckets <= kept.max_buckets
        if slide is None:
            assert (len(kept), kept.evicted) == (len(values), taken - len(values))
        check_all(kept, values)
    store.turns("up")
    kept.flush()
    check_all(kept, values)
    told = facts(kept)
    kept.close()
    assert facts(shrinking(store, limit, slide)) == told


def until(condition: Callable[[], bool], otherwise: Callable[[], None]) -> None:
    """Wait, busily; a test that waits for ever fails at last."""
    for _ in range(2_000):
        if condition():
            return
        otherwise()
        time.sleep(0.005)
    raise AssertionError("it took too long")


@pytest.mark.parametrize("waits", [False, True])
def test_buckets_are_fewer_while_the_store_is_away_and_as_many_again_later(waits: bool) -> None:
    store = FlakyStore(waits=waits)
    kept, values = shrinking(store, 300), list[int]()

    def slide_on() -> None:
        fill(kept, values, 20)
        kept.evict(len(kept) - 2_000)
        check_all(kept, values[-2_000:])

    fill(kept, values, 2_100)
    slide_on()
    before = kept.buckets
    assert 150 <= before <= 300
    store.turns("down")
    until(lambda: kept.is_local, slide_on)
    for _ in range(20):
        slide_on()
    assert kept.is_local
    assert 2 <= kept.buckets <= PAGE
    assert (kept.outages, kept.max_buckets) == (1, 300)
    store.turns("up")
    until(lambda: not kept.is_local, slide_on)
    for _ in range(110):
        slide_on()
    assert 150 <= kept.buckets <= 300
    assert len(store.values["w"]) > 150 // PAGE
    told = facts(kept)
    kept.close()
    assert facts(shrinking(store, 300)) == told


def test_a_window_that_fits_at_home_loses_nothing() -> None:
    store = FlakyStore()
    kept, values = shrinking(store, 300), list[int]()
    fill(kept, values, PAGE - 1)
    store.turns("down")
    fill(kept, values, 1)
    kept.evict(3)
    found = kept.query()
    assert all(interval.exact for interval in found.values())
    assert found["all"].value == values[3:]


def test_what_happens_during_an_outage_is_lost_with_the_process_and_told_so() -> None:
    store = FlakyStore()
    kept, values = shrinking(store, 300), list[int]()
    fill(kept, values, 100)
    kept.flush()
    store.turns("down")
    fill(kept, values, 500)
    with pytest.raises(StoreUnreachableError):
        kept.flush()
    with pytest.raises(StoreUnreachableError):
        kept.close()
    store.turns("up")
    again = shrinking(store, 300)
    assert again.inserted == 100
    again_values = values[:100]
    check_all(again, again_values)
    fill(again, again_values, 500)
    assert again_values == values
    check_all(again, values)


def test_a_window_that_is_new_must_reach_its_store() -> None:
    store = FlakyStore()
    store.turns("down")
    with pytest.raises(StoreUnreachableError):
        shrinking(store)


class LostStore(FlakyStore):
    """Another process has taken the window over."""

    lost = False

    def answer(self) -> None:
        if self.lost:
            raise StoreError("another holds the window; leave it to him")
        super().answer()


@pytest.mark.parametrize("waits", [False, True])
def test_only_a_store_out_of_reach_is_borne_with(waits: bool) -> None:
    store = LostStore(waits=waits)
    kept, values = shrinking(store, 300), list[int]()
    fill(kept, values, 100)
    store.turns("down")
    until(lambda: kept.is_local, lambda: fill(kept, values, 1))
    store.lost = True
    with pytest.raises(StoreError, match="another holds"):
        until(lambda: not kept.is_local, lambda: fill(kept, values, 1))
    assert kept.inserted == len(values)
    check_all(kept, values)


def test_a_row_at_home_that_lacks_a_bucket_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    at_home = PagedBuckets.at_home
    monkeypatch.setattr(PagedBuckets, "at_home", lambda pages: at_home(pages)[1:])
    store = FlakyStore()
    kept, values = shrinking(store, 300), list[int]()
    fill(kept, values, 200)
    store.turns("down")
    fill(kept, values, PAGE)
    with pytest.raises(AssertionError):
        check_all(kept, values)


@ON_REDIS
def test_a_server_that_stops_and_starts_again(tmp_path: Path) -> None:
    with RedisServer(tmp_path) as server, RedisStore(server.url) as store:
        kept, values = shrinking(store, 300), list[int]()
        fill(kept, values, 600)
        kept.evict(100)
        kept.flush()
        server.stop()
        until(lambda: kept.is_local, lambda: fill(kept, values, 1))
        fill(kept, values, 300)
        kept.evict(150)
        check_all(kept, values[250:])
        assert kept.buckets <= PAGE
        server.start()
        until(lambda: not kept.is_local, lambda: fill(kept, values, 1))
        fill(kept, values, 100)
        told = facts(kept)
        check_all(kept, values[250:])
        kept.close()
        with shrinking(store, 300) as again:
            assert facts(again) == told
            assert again.inserted == len(values)


def test_a_cut_in_several_buckets_is_told_while_the_store_is_away() -> None:
    halve = window.policy(
        drop=lambda evicted, after, before: evicted.s <= before.s / 2 and before.n > 1500,
        using={"s": agg.sum(), "n": agg.count()},
    )
    store = FlakyStore()
    kept = ApproximateAmta(
        agg.sum(),
        Footprint(700),
        policy=halve,
        store=store,
        name="w",
        page=8,
        cached_pages=4,
        outage=Outage.SHRINK,
    )
    exact = Amta(agg.sum(), policy=halve)
    for number in range(2500):
        kept.insert(value(number))
        exact.insert(value(number))
        if number % 50 == 49:
            kept.slide()
            exact.slide()
        if number % 40 == 0:
            store.down = True
            found = kept.query()
            assert found.low <= exact.query() <= found.high
            store.down = False
    assert kept.outages > 0
