"""What a store cannot hold is refused, and windows in one are opened and closed in turn."""

import pickle
from typing import Any

import pytest

from tests.approximate.stored import (
    PAGE,
    call,
    window,
)
from tests.paged.faulty import FaultyStore
from tests.structures.support import last
from windrow import agg, monoid
from windrow.approximate import ApproximateAmta, Footprint, SumLike
from windrow.errors import (
    AggregateError,
    InputError,
    SnapshotError,
    StoreBusyError,
    WindowError,
)
from windrow.paged import Outage, PagedAmta
from windrow.paged.stores import MemoryStore


def test_states_that_are_no_plain_values_need_a_codec() -> None:
    highest = monoid(
        lift=lambda x: complex(x, 1),
        combine=lambda older, newer: max(older, newer, key=abs),
        identity=0j,
        lower=abs,
    )
    store = MemoryStore()

    def opened(**more: Any) -> ApproximateAmta:
        return ApproximateAmta(agg.of(highest), SumLike(absolute=2), store=store, name="w", **more)

    with pytest.raises(AggregateError, match=r"monoid.* a value of type complex.*codec="):
        opened()
    for known in (0, 40):
        with opened(codec=(pickle.dumps, pickle.loads)) as kept:
            assert kept.inserted == known
            for number in range(40):
                kept.insert(number)
            assert kept.query().value == abs(complex(39, 1))


def test_a_value_that_cannot_be_kept_does_not_come_in() -> None:
    kept = ApproximateAmta(agg.collect(), Footprint(9), store=FaultyStore(), name="w", page=PAGE)
    for number in range(3 * PAGE):
        kept.insert(number)
        with pytest.raises(AggregateError, match="of type object"):
            kept.insert(object())
        assert kept.inserted == number + 1
    assert kept.query().value == list(range(3 * PAGE))


def test_a_window_of_other_methods_is_refused() -> None:
    store = FaultyStore()
    window(store, [Footprint(9)]).close()
    for other in ([Footprint(8)], [SumLike(absolute=1)]):
        with pytest.raises(SnapshotError, match="was not written by"):
            window(store, other)


def test_a_window_is_open_once_and_not_after_it_was_closed() -> None:
    store = MemoryStore()
    with window(store, slide=last(3)) as kept:
        kept.insert(1)
        assert not kept.is_local
        with pytest.raises(StoreBusyError, match="'w' is open already"):
            window(store, slide=last(3))
    kept.close()
    calls = (kept.query, kept.flush, kept.slide, kept.evict, lambda: kept.insert(1))
    for closed in (*calls, lambda: call(kept, "limit", 3)):
        with pytest.raises(WindowError, match=r"'w' is closed.*ApproximateAmta\(\.\.\.\)"):
            closed()
    assert kept.inserted == 1


def test_what_failed_inside_a_with_closes_the_window_and_is_told() -> None:
    store = MemoryStore()
    with pytest.raises(ZeroDivisionError), window(store) as kept:
        kept.insert(1 // 0)
    window(store).close()


def test_a_window_in_memory_has_nothing_to_write() -> None:
    with window(None) as kept:
        kept.insert(1)
        kept.flush()
        assert kept.is_local
    assert (kept.inserted, kept.evicted, kept.outages) == (1, 0, 0)


def test_what_is_in_a_store_is_its_own_snapshot() -> None:
    kept = window(MemoryStore())
    with pytest.raises(WindowError, match=r"snapshot\(\): window 'w' lies in a store.*flush\(\)"):
        kept.snapshot()
    with pytest.raises(WindowError, match=r"restore\(\.\.\.\): window 'w' lies in a store"):
        kept.restore(window(None).snapshot())


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"store": {}, "name": "w"}, r"store=\{\} is not a store"),
        ({"store": MemoryStore()}, r"name='\.\.\.'"),
        ({"name": "w"}, r"name='w' is for a window in a store; give store="),
        ({"outage": Outage.BUFFER}, "outage=.*is for a window in a store"),
        ({"codec": (repr, eval)}, "codec=.*is for a window in a store"),
        ({"store": MemoryStore(), "name": "w", "page": 7}, "page=7: give a power of two"),
        ({"store": MemoryStore(), "name": "w", "cached_pages": 3}, "cached_pages=3"),
        (
            {"store": MemoryStore(), "name": "w", "outage": "shrink"},
            "outage=.*SHRINK makes buckets fewer",
        ),
        ({"store": MemoryStore(), "name": "w", "buffer_bytes": 0}, "buffer_bytes=0"),
        ({"store": MemoryStore(), "name": "w", "wait_s": -1.0}, r"wait_s=-1\.0"),
        ({"store": MemoryStore(), "name": ""}, "name=''"),
        (
            {"store": MemoryStore(), "name": "w", "outage": Outage.SHRINK},
            r"outage=Outage\.SHRINK.*give Footprint\(\.\.\.\)",
        ),
    ],
)
def test_places_that_make_no_sense_are_refused(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        ApproximateAmta(agg.sum(), SumLike(absolute=1), **wrong)


def test_a_window_of_all_updates_cannot_shrink() -> None:
    with pytest.raises(InputError, match="ApproximateAmta with a Footprint"):
        PagedAmta(agg.sum(), MemoryStore(), "w", outage=Outage.SHRINK)
