"""What a crash can lose is a stated number of updates, however slow the store is."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchmarks.redis_server import RedisServer
from tests.paged.bounded_process import accepted, opened_store, opened_window
from tests.paged.faulty import FaultyStore
from windrow import agg
from windrow.approximate import ApproximateAmta, SumLike
from windrow.errors import StoreBusyError, StoreUnreachableError
from windrow.paged import Outage, PagedAmta
from windrow.paged.stores import Store

pytestmark = pytest.mark.xdist_group("paged")

KINDS = ["numbers", "objects", "buckets"]
PAGE = 8
MOST = 200


class HeldStore(FaultyStore):
    """Takes writes only while it is let."""

    def __init__(self) -> None:
        super().__init__(waits=True)
        self.open_gate = threading.Event()
        self.open_gate.set()

    def answer(self) -> None:
        if threading.current_thread().name == "windrow-pages":
            self.open_gate.wait(20)
        super().answer()


def opened(kind: str, store: Store, **settings: Any) -> PagedAmta | ApproximateAmta:
    if kind == "buckets":
        return ApproximateAmta(
            agg.sum(), SumLike(absolute=1), store=store, name="w", page=PAGE, **settings
        )
    return PagedAmta(
        agg.sum() if kind == "numbers" else agg.collect(), store, "w", page=PAGE, **settings
    )


def call_often(times: int, call: Callable[..., Any], *given: Any) -> None:
    for _ in range(times):
        call(*given)


def patiently(call: Callable[..., Any], *given: Any) -> None:
    """Call again what a busy machine made the window give up."""
    for _ in range(200):
        with suppress(StoreUnreachableError):
            call(*given)
            return
    raise AssertionError


def found_in(store: FaultyStore, kind: str) -> int:
    """What a process would find that opened the store now."""
    copy = FaultyStore()
    copy.values = {name: dict(values) for name, values in store.values.items()}
    return opened(kind, copy).inserted


@pytest.mark.parametrize("most", [1, 2, 3, 10, 100, 1000])
@pytest.mark.parametrize("kind", KINDS)
def test_a_window_takes_no_more_than_it_may_lose(kind: str, most: int) -> None:
    store = HeldStore()
    window = opened(kind, store, max_unwritten_updates=most, wait_s=0.05)
    for _ in range(3 * PAGE):
        patiently(window.insert, 1.0)
        assert window.inserted - found_in(store, kind) <= most
    patiently(window.flush)
    before = window.inserted
    store.open_gate.clear()
    with pytest.raises(StoreUnreachableError, match="max_unwritten_updates"):
        call_often(2 * most + 1, window.insert, 1.0)
    assert window.inserted - before == most
    assert found_in(store, kind) == before
    with pytest.raises(StoreUnreachableError, match="max_unwritten_updates"):
        window.evict()
    store.open_gate.set()
    patiently(window.insert, 1.0)
    patiently(window.flush)
    assert found_in(store, kind) == before + most + 1


@pytest.mark.parametrize("kind", KINDS)
def test_evictions_count_as_updates_do(kind: str) -> None:
    store = HeldStore()
    window = opened(kind, store, max_unwritten_updates=40, wait_s=0.05)
    for _ in range(100):
        patiently(window.insert, 1.0)
    patiently(window.flush)
    store.open_gate.clear()
    with pytest.raises(StoreUnreachableError, match="max_unwritten_updates"):
        call_often(100, window.evict)
    assert window.evicted == 40
    store.open_gate.set()


def test_a_column_stops_where_the_bound_is_reached() -> None:
    store = HeldStore()
    window = opened("numbers", store, max_unwritten_updates=1000, wait_s=0.05)
    store.open_gate.clear()
    with pytest.raises(StoreUnreachableError):
        window.extend([1.0] * 100_000)  # type: ignore[union-attr]
    assert window.inserted == 1000
    store.open_gate.set()
    patiently(lambda: window.extend([1.0] * (100_000 - window.inserted)))  # type: ignore[union-attr]
    patiently(window.flush)
    assert found_in(store, "numbers") == 100_000


@pytest.mark.parametrize("kind", KINDS)
def test_who_buffers_goes_beyond_it_only_while_the_store_fails(kind: str) -> None:
    store = HeldStore()
    window = opened(kind, store, max_unwritten_updates=20, wait_s=20, outage=Outage.BUFFER)
    store.down = True
    for _ in range(30 * PAGE):
        window.insert(1.0)
    assert found_in(store, kind) == 0
    store.down = False
    window.flush()  # until the store has caught up
    for _ in range(30 * PAGE):
        window.insert(1.0)
        assert window.inserted - found_in(store, kind) <= 20
    window.close()


@contextmanager
def filling(
    kind: str, place: str, most: int, delay_s: float, file: Path, outage: str = "raise"
) -> Iterator[None]:
    """A process fills a window, and is killed at the end of the block."""
    file.write_bytes(bytes(8))
    told = [kind, place, str(most), str(delay_s), outage, str(file)]
    command = [sys.executable, "-m", "tests.paged.bounded_process", *told]
    with subprocess.Popen(command) as process:
        try:
            deadline = time.monotonic() + 120
            while accepted(file) < 5 * min(most, MOST) and process.poll() is None:
                assert time.monotonic() < deadline
                time.sleep(0.01)
            yield
        finally:
            process.kill()


def lost(kind: str, place: str, file: Path) -> int:
    """How many updates are missing that the process had given to its window."""
    deadline = time.monotonic() + 20
    while True:
        try:
            with opened_store(place) as store, opened_window(kind, store) as window:
                return accepted(file) - window.inserted
        except StoreBusyError:  # the lease of the process that was killed
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_a_process_killed_beside_a_slow_disk_loses_no_more(tmp_path: Path) -> None:
    place, file = str(tmp_path / "pages"), tmp_path / "accepted"
    with filling("objects", place, MOST, 0.05, file):
        time.sleep(0.2)
    assert lost("objects", place, file) <= MOST


def test_without_the_bound_it_would_lose_more(tmp_path: Path) -> None:
    """So that the tests above can fail."""
    place, file = str(tmp_path / "pages"), tmp_path / "accepted"
    with filling("objects", place, 10**9, 0.05, file):
        pass
    assert lost("objects", place, file) > MOST


def test_a_process_killed_while_a_server_hangs_loses_no_more(
    redis_server: RedisServer, tmp_path: Path
) -> None:
    file = tmp_path / "accepted"
    with filling("objects", redis_server.url, MOST, 0.0, file), redis_server.frozen():
        time.sleep(0.5)
        reached = accepted(file)
        time.sleep(0.3)
        assert accepted(file) == reached  # it waits
    assert lost("objects", redis_server.url, file) <= MOST


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("most", [1, 50, 5_000])
def test_killed_at_any_moment_it_loses_no_more(kind: str, most: int, tmp_path: Path) -> None:
    random, file = Random(most), tmp_path / "accepted"
    for number in range(8):
        place = str(tmp_path / f"pages {number % 2}")
        with filling(kind, place, most, random.choice([0.0, 0.002, 0.02]), file):
            time.sleep(random.random() / 2)
        assert lost(kind, place, file) <= most
