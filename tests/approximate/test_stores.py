"""Windows of buckets in a store are what they are in memory, through restarts and crashes."""

from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.approximate.stored import (
    METHODS,
    PAGE,
    SLIDES,
    FlakyStore,
    call,
    check_all,
    facts,
    operations,
    steps,
    window,
)
from tests.examples import examples
from tests.paged.faulty import FaultyStore
from windrow.approximate import ApproximateAmta, Footprint
from windrow.errors import (
    StoreUnreachableError,
)
from windrow.paged import Outage
from windrow.paged.stores import Key, Store

setups = st.tuples(st.sampled_from(sorted(METHODS)), st.sampled_from([None, *SLIDES]))


def test_any_steps_give_what_they_give_in_memory(store: Store) -> None:
    names = map(str, count())

    @examples(15)
    @given(setup=setups, drawn=steps("reopen"))
    def compare(setup: Any, drawn: list[tuple[str, Any]]) -> None:
        (method, slide), name = setup, next(names)

        def opened() -> ApproximateAmta:
            return window(store, METHODS[method](), slide, name=name)

        memory, kept = window(None, METHODS[method](), slide), opened()
        for kind, given_ in drawn:
            if kind == "reopen":
                kept.close()
                kept = opened()
            elif kind != "slide" or slide is not None:
                for operation in operations(kind, given_, memory):
                    assert call(kept, *operation) == call(memory, *operation)
            assert facts(kept) == facts(memory)
        kept.close()

    compare()


@pytest.mark.parametrize("waits", [False, True])
@given(setup=setups, drawn=steps("down", "flaky", "up"))
def test_whatever_fails_has_not_happened(
    waits: bool, setup: Any, drawn: list[tuple[str, Any]]
) -> None:
    (method, slide), store = setup, FlakyStore(waits=waits)
    memory, kept = (window(s, METHODS[method](), slide) for s in (None, store))
    for kind, given_ in drawn:
        if store.turns(kind):
            continue
        if kind != "slide" or slide is not None:
            for operation in operations(kind, given_, memory):
                try:
                    told = call(kept, *operation)
                except StoreUnreachableError:
                    break
                assert told == call(memory, *operation)
        try:
            found = facts(kept)
        except StoreUnreachableError:  # a cut that pages have to tell, and they cannot be read
            assert not store.is_up
        else:
            assert found == facts(memory)
    store.turns("up")
    assert facts(kept) == facts(memory)
    kept.close()
    assert facts(window(store, METHODS[method](), slide)) == facts(memory)


@given(drawn=steps())
def test_a_query_writes_nothing(drawn: list[tuple[str, Any]]) -> None:
    store, slide = FlakyStore(), SLIDES[-1]
    kept = window(store, METHODS["footprint"](), slide)
    for kind, given_ in drawn:
        for operation in operations(kind, given_, kept):
            call(kept, *operation)
        before = store.writes
        kept.query()
        assert store.writes == before
    kept.close()


def test_a_window_that_buffers_goes_on_in_memory_and_catches_up() -> None:
    store, memory = FaultyStore(waits=True), window(None)
    kept = window(store, outage=Outage.BUFFER)
    store.down = True
    for number in range(40 * PAGE):
        for each in (kept, memory):
            each.insert(number % 13)
    assert facts(kept) == facts(memory)
    assert not kept.is_local
    store.down = False
    kept.close()
    assert facts(window(store)) == facts(memory)


WIDTH, UPDATES = 90, 300


def advance(kept: ApproximateAmta, past: dict[Any, Any] | None = None) -> None:
    """Take the updates that are missing; after a crash the last eviction may be, too."""
    while True:
        if len(kept) > WIDTH:
            kept.evict(len(kept) - WIDTH)
        if past is not None:
            past[kept.inserted, len(kept)] = facts(kept)
        if kept.inserted == UPDATES:
            return
        kept.insert(7 * kept.inserted % 23 - 4)
        if past is not None:
            past[kept.inserted, len(kept)] = facts(kept)


def advance_and_flush(kept: Any) -> None:
    advance(kept)
    kept.flush()


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize("method", ["absolute", "hop", "footprint", "all"])
def test_whatever_write_is_the_last_the_window_goes_on_from_a_prefix(
    method: str, waits: bool
) -> None:
    past: dict[Any, Any] = {}
    memory = window(None, METHODS[method]())
    advance(memory, past)
    for writes in (0, 1, 5, 23):
        store = FaultyStore(waits=waits)
        store.fails_after = writes
        killed = window(store, METHODS[method](), wait_s=5.0)
        with pytest.raises(StoreUnreachableError):
            advance_and_flush(killed)  # the write that fails may be under way at the end
        # A copy: who was killed goes on trying to write, as no process that is dead would.
        left = FaultyStore(waits=waits)
        left.values = {name: dict(values) for name, values in store.values.items()}
        again = window(left, METHODS[method]())
        assert facts(again) == past[again.inserted, len(again)]
        assert again.inserted <= killed.inserted
        advance(again)
        assert facts(again) == facts(memory)
        again.close()


def test_killed_again_and_again_it_gets_to_the_end() -> None:
    store, kept = FaultyStore(), window(None)
    advance(kept)
    for _ in range(UPDATES):
        killed = window(store)
        if killed.inserted == UPDATES:
            break
        for _ in range(2 * PAGE):  # a head more at least
            killed.insert(7 * killed.inserted % 23 - 4)
            if len(killed) > WIDTH:
                killed.evict(len(killed) - WIDTH)
            if killed.inserted == UPDATES:
                killed.flush()
                break
    assert killed.inserted == UPDATES
    check_all(killed, [7 * number % 23 - 4 for number in range(UPDATES - len(killed), UPDATES)])


def test_levels_that_are_dropped_leave_no_page_behind_however_many_there_were() -> None:
    """Their places come round: more levels are dropped than a page can number."""
    store, memory = FaultyStore(), window(None, [Footprint(1)])
    kept, places, rounds = window(store, [Footprint(1)]), {0}, 0
    for turn in range(200):
        for each in (kept, memory):
            each.max_buckets = 200
            for number in range(40):
                each.insert(number % 13)
            each.max_buckets = 2 if turn % 2 else 30
            if turn % 7 == 6:
                each.evict(len(each))
        assert facts(kept) == facts(memory)
        if turn % 5 == 2:
            kept.close()
            pages = [key for key in store.values["w"] if key.space[1:].isdigit()]
            assert len(pages) <= 2 * kept.buckets // PAGE + 10
            before, places = places, {int(key.space[1:]) for key in pages} or places
            rounds += max(places) < min(before)
            kept = window(store, [Footprint(1)])
    assert rounds
    kept.evict(len(kept))
    kept.close()
    assert set(store.values["w"]) == {Key("head", 0), Key("seal", 0)}


def test_updates_that_only_join_buckets_are_written_too_and_not_too_often() -> None:
    store = FaultyStore()
    kept = window(store, [Footprint(1)])
    for number in range(100 * PAGE):
        kept.insert(number)
    assert 99 <= store.writes <= 101
    assert window(store, [Footprint(1)]).inserted >= 99 * PAGE
