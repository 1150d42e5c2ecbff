"""Pages without their head, or with a head that is not theirs, are told of and never taken as new.

In every store, and for windows of numbers, of objects and of buckets.
"""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
import redis

from benchmarks.redis_server import RedisServer
from tests.paged.faulty import FaultyStore
from tests.paged.stores.support import ON_REDIS
from windrow import agg
from windrow.approximate import ApproximateAmta, SumLike
from windrow.errors import DamagedPageError, SnapshotError
from windrow.paged import PagedAmta
from windrow.paged.stores import Key, MemoryStore, RedisStore, Span, Store
from windrow.paged.stores.redis.layout import Places

pytestmark = pytest.mark.xdist_group("paged")

PAGE = 8
HEAD, SEAL = Key("head", 0), Key("seal", 0)

Made = Callable[[Store], PagedAmta | ApproximateAmta]
KINDS: dict[str, Made] = {
    "numbers": lambda store: PagedAmta(agg.sum(), store, "w", page=PAGE),
    "objects": lambda store: PagedAmta(agg.collect(), store, "w", page=PAGE),
    "buckets": lambda store: ApproximateAmta(
        agg.sum(), SumLike(absolute=0), store=store, name="w", page=PAGE
    ),
}


def fill(made: Made, store: Store, count: int = 5 * PAGE) -> None:
    with made(store) as window:
        for number in range(count):
            window.insert(float(number))


def lose(store: Store, keys: Iterable[Key]) -> None:
    with store.open("w") as stored_window:
        for space, number in keys:
            stored_window.delete_range(Span(space, number, number + 1))


@pytest.mark.parametrize("kind", KINDS)
def test_pages_without_a_head_are_no_new_window(store: Store, kind: str) -> None:
    fill(KINDS[kind], store)
    for lost in ([HEAD], [HEAD, SEAL]):
        lose(store, lost)
        for _ in range(2):
            with pytest.raises(DamagedPageError) as told:
                KINDS[kind](store)
            assert "window 'w' has " in str(told.value)
            assert "page(s) in the store, but no head" in str(told.value)
            assert "store.delete('w')" in str(told.value)
    store.delete("w")
    with KINDS[kind](store) as window:
        assert window.inserted == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_head_that_is_put_back_makes_the_window_whole(store: Store, kind: str) -> None:
    fill(KINDS[kind], store)
    with store.open("w") as stored_window:
        (head,) = stored_window.get_many([HEAD])
    assert head is not None
    lose(store, [HEAD])
    with pytest.raises(DamagedPageError, match="no head"):
        KINDS[kind](store)
    with store.open("w") as stored_window:
        stored_window.put_many({HEAD: head})
    with KINDS[kind](store) as window:
        assert window.inserted == 5 * PAGE


def test_many_pages_are_not_counted_to_the_last(store: Store) -> None:
    with store.open("w") as stored_window:
        stored_window.put_many({Key("l0", number): b"." for number in range(1_500)})
        assert stored_window.count(["l0", "l1"], 1_000) == 1_000
        assert stored_window.count(["l0"], 10_000) == 1_500
    with pytest.raises(DamagedPageError, match="has 1,000 or more pages"):
        KINDS["objects"](store)


def test_a_window_that_was_opened_and_got_nothing_is_new_again(store: Store) -> None:
    store.open("w").close()
    KINDS["objects"](store).close()
    with KINDS["objects"](store) as window:
        assert window.inserted == 0


@ON_REDIS
def test_a_server_that_dropped_all_but_pages_is_told_of(
    redis_server: RedisServer, prefix: str
) -> None:
    """Even the hash that lists the window's spaces is gone, and yet it can be deleted."""
    places = Places.of(prefix, "w")
    with RedisStore(redis_server.url, prefix=prefix) as store, redis_server.client() as client:
        fill(KINDS["objects"], store)
        client.delete(places.window, places.space("head"), places.space("seal"))
        with pytest.raises(DamagedPageError, match="but no head"):
            KINDS["objects"](store)
        store.delete("w")
        assert not keys_of(client, places)
        with KINDS["objects"](store) as window:
            assert window.inserted == 0


def keys_of(client: "redis.Redis", places: Places) -> list[bytes]:
    return list(client.scan_iter(match=f"{places.spaces}*"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_stale_head_beside_newer_pages_is_told_of(kind: str) -> None:
    store = FaultyStore()
    fill(KINDS[kind], store, 3 * PAGE + 1)
    stale = store.values["w"][HEAD]
    fill(KINDS[kind], store, 2 * PAGE)
    store.values["w"][HEAD] = stale
    with pytest.raises(DamagedPageError, match="is not the one that was written last"):
        KINDS[kind](store)


@pytest.mark.parametrize("kind", KINDS)
def test_a_head_without_its_seal_is_told_of(kind: str) -> None:
    store = FaultyStore()
    fill(KINDS[kind], store)
    del store.values["w"][SEAL]
    with pytest.raises(DamagedPageError, match="the seal of window 'w' is gone"):
        KINDS[kind](store)


@pytest.mark.parametrize("kind", KINDS)
def test_a_head_whose_pages_are_gone_is_told_of(kind: str) -> None:
    store = FaultyStore()
    fill(KINDS[kind], store)
    kept = {key: value for key, value in store.values["w"].items() if key in (HEAD, SEAL)}
    store.values["w"] = kept
    with pytest.raises(DamagedPageError, match=r"page \d+ of level 0 of window 'w' is gone"):
        KINDS[kind](store)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("length", [0, 3, 8, 12, 30, 100])
def test_a_head_that_was_cut_off_is_told_of(kind: str, length: int) -> None:
    store = FaultyStore()
    fill(KINDS[kind], store)
    store.values["w"][HEAD] = store.values["w"][HEAD][:length]
    with pytest.raises(DamagedPageError, match=r"the head of window 'w' .*store\.delete\('w'\)"):
        KINDS[kind](store)


def test_heads_of_other_windows_and_of_other_aggregates_are_refused() -> None:
    stores: list[FaultyStore] = []
    for kind in ("numbers", "objects"):
        stores.append(FaultyStore())
        fill(KINDS[kind], stores[-1])
    ours, theirs = stores
    ours.values["w"] = theirs.values["w"]
    with pytest.raises(SnapshotError, match="was not written by"):
        KINDS["numbers"](ours)


def test_a_window_of_the_same_kind_under_another_name_is_none_of_ours() -> None:
    store = FaultyStore()
    fill(KINDS["objects"], store)
    store.values["other"] = store.values["w"]
    with pytest.raises(SnapshotError, match="window 'other' of this store was not written by"):
        PagedAmta(agg.collect(), store, "other", page=PAGE)


def test_memory_counts_what_it_has() -> None:
    stored_window: Any = MemoryStore().open("w")
    assert stored_window.count(["l0"], 10) == 0
    stored_window.put_many({Key("l0", 1): b"", Key("l1", 7): b""})
    assert stored_window.count(["l0", "l1", "l2"], 10) == 2
