"""Leases: a window has one holder; who was away too long is refused, and changes nothing."""

from collections.abc import Iterator
from typing import Any

import pytest
import redis

from benchmarks.redis_server import RedisServer
from tests.paged.stores.support import ON_REDIS
from windrow.errors import StoreBusyError
from windrow.paged.stores import Batch, Key, RedisStore, Span, StoredWindow
from windrow.paged.stores.redis.layout import Places
from windrow.paged.stores.redis.server import Server

pytestmark = ON_REDIS

ZERO = Key("x", 0)


class Scene:
    """Two stores of one prefix, as two machines have them; the lease under the first one's feet."""

    def __init__(self, client: redis.Redis, prefix: str) -> None:
        self.client = client
        self.here = RedisStore(client, prefix=prefix)
        self.elsewhere = RedisStore(client, prefix=prefix)
        self.lease = Places.of(prefix, "w").lease

    def let_the_lease_run_out(self) -> None:
        assert self.client.pexpire(self.lease, 1)
        while self.client.exists(self.lease):
            pass


@pytest.fixture
def scene(redis_server: RedisServer, prefix: str) -> Iterator[Scene]:
    with redis_server.client() as client:
        yield Scene(client, prefix)


def assert_refused(stored_window: StoredWindow) -> None:
    for batch in (
        Batch(),
        Batch({ZERO: b"stale", Key("new", 0): b"stale"}, [Span("x", 0, 2**63)]),
    ):
        with pytest.raises(StoreBusyError, match=r"name='w' was opened by process .*nothing was"):
            stored_window.write(batch)
    with pytest.raises(StoreBusyError, match=r"name='w' was opened by process .*nothing was"):
        stored_window.get_many([ZERO])


def test_a_second_holder_is_told_who_and_until_when(scene: Scene) -> None:
    with scene.here.open("w") as stored_window:
        stored_window.put_many({ZERO: b"kept"})
        for action in (scene.elsewhere.open, scene.elsewhere.delete):
            with pytest.raises(
                StoreBusyError, match=r"name='w' .*by process \d+ on .*again in (30|29)\.\d s"
            ):
                action("w")
        assert stored_window.get_many([ZERO]) == [b"kept"]
    with scene.elsewhere.open("w") as stored_window:
        assert stored_window.get_many([ZERO]) == [b"kept"]


def test_who_lost_the_lease_to_another_is_refused_and_changes_nothing(scene: Scene) -> None:
    away = scene.here.open("w")
    away.put_many({ZERO: b"old"})
    scene.let_the_lease_run_out()
    with scene.elsewhere.open("w") as successor:
        successor.put_many({ZERO: b"new"})
        assert_refused(away)
        away.close()  # and does not release the other's lease
        assert scene.client.exists(scene.lease)
        assert successor.get_many([ZERO, Key("new", 0)]) == [b"new", None]


def test_who_was_away_is_refused_even_when_the_other_has_gone_again(scene: Scene) -> None:
    away = scene.here.open("w")
    scene.let_the_lease_run_out()
    with scene.elsewhere.open("w") as successor:
        successor.put_many({ZERO: b"new"})
    assert_refused(away)
    with scene.elsewhere.open("w") as successor:
        assert successor.get_many([ZERO, Key("new", 0)]) == [b"new", None]


def test_who_was_away_goes_on_if_nobody_came(scene: Scene) -> None:
    with scene.here.open("w") as away:
        scene.let_the_lease_run_out()
        away.put_many({ZERO: b"written"})
        assert scene.client.pttl(scene.lease) > 29_000
        scene.let_the_lease_run_out()
        assert away.get_many([ZERO]) == [b"written"]
        with pytest.raises(StoreBusyError):
            scene.elsewhere.open("w")


def test_a_copy_of_a_write_that_arrives_after_newer_ones_changes_nothing(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[Any, ...]] = []
    run = Server.run

    def noted(server: Server, *arguments: Any) -> Any:
        sent.append((server, *arguments))
        return run(server, *arguments)

    with scene.here.open("w") as stored_window:
        with monkeypatch.context() as watched:
            watched.setattr(Server, "run", noted)
            stored_window.write(Batch({ZERO: b"old", Key("x", 1): b"old"}))
        again, late = sent * 2
        run(*again)  # sent twice: nothing else has come
        assert stored_window.get_many([ZERO]) == [b"old"]
        stored_window.write(Batch({ZERO: b"new"}, [Span("x", 1, 2)]))
        run(*late)
        assert stored_window.get_many([ZERO, Key("x", 1)]) == [b"new", None]
    with scene.elsewhere.open("w") as stored_window:  # whose writes are numbered anew
        stored_window.write(Batch({ZERO: b"newest"}))
        run(*late)
        assert stored_window.get_many([ZERO, Key("x", 1)]) == [b"newest", None]


def test_writes_renew_the_lease(scene: Scene) -> None:
    with scene.here.open("w") as stored_window:
        scene.client.pexpire(scene.lease, 10_000)
        stored_window.put_many({ZERO: b"."})
        assert scene.client.pttl(scene.lease) > 29_000


def test_reads_renew_the_lease_when_half_of_it_is_over(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr("windrow.paged.stores.redis.stored_window.monotonic", lambda: now)
    with scene.here.open("w") as stored_window:
        scene.client.pexpire(scene.lease, 16_000)
        now += 14
        stored_window.get_many([ZERO])
        assert scene.client.pttl(scene.lease) <= 16_000
        now += 2
        stored_window.get_many([ZERO])
        assert scene.client.pttl(scene.lease) > 29_000
        scene.client.pexpire(scene.lease, 16_000)
        stored_window.get_many([ZERO])
        assert scene.client.pttl(scene.lease) <= 16_000


def test_a_lease_lasts_as_long_as_asked(redis_server: RedisServer, prefix: str) -> None:
    with redis_server.client() as client, RedisStore(client, prefix=prefix, lease=5) as store:
        store.open("w")
        assert 0 < client.pttl(Places.of(prefix, "w").lease) <= 5_000
