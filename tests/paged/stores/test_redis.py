"""RedisStore: prefixes, times to live, and what is said when a server is away, full or unfit."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
import redis.asyncio

from benchmarks.redis_server import RedisServer
from tests.paged.stores.support import ON_REDIS
from windrow.errors import InputError, StoreError, StoreUnreachableError
from windrow.paged.stores import Batch, Key, RedisStore, Span

pytestmark = ON_REDIS

PREFIXES = ["p", "p:", "p:q", "p:{q}", "{p}", "p}:{", "p%3A", "*", "p*", "p/q", "ä", " "]


@pytest.fixture
def client(redis_server: RedisServer) -> Iterator[redis.Redis]:
    with redis_server.client() as client:
        yield client


@pytest.fixture
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A server to stop, to fill and to misuse."""
    with RedisServer(tmp_path_factory.mktemp("redis")) as server:
        yield server


def keys_of(client: redis.Redis, prefix: str) -> list[bytes]:
    # The fixture's prefixes have a blank, and no other character that is escaped.
    return sorted(client.scan_iter(match=prefix.replace(" ", "%20") + ":*"))


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_prefixes_do_not_touch(redis_server: RedisServer, client: redis.Redis) -> None:
    stores = [RedisStore(client, prefix=prefix) for prefix in PREFIXES]
    for prefix, store in zip(PREFIXES, stores, strict=True):
        for name in (prefix, "w"):
            with store.open(name) as stored_window:
                stored_window.put_many({Key("window", 0): f"{prefix} {name}".encode()})
    for prefix, store in zip(PREFIXES, stores, strict=True):
        assert store.names() == sorted({prefix, "w"})
        for name in (prefix, "w"):
            with store.open(name) as stored_window:
                assert stored_window.get_many([Key("window", 0)]) == [f"{prefix} {name}".encode()]
        for name in (prefix, "w"):
            store.delete(name)
        assert store.names() == []
    for store in stores:
        store.close()
    assert client.ping()  # a client that was given stays open


def test_a_readable_prefix_stays_readable(client: redis.Redis) -> None:
    with RedisStore(client, prefix="app:pages") as store, store.open("turbine 7") as stored_window:
        stored_window.put_many({Key("leaves", 0): b"."})
        assert sorted(client.scan_iter(match="app:pages:*")) == [
            b"app:pages:{turbine%207}:lease",
            b"app:pages:{turbine%207}:space:leaves",
            b"app:pages:{turbine%207}:window",
        ]
    with RedisStore(client, prefix="app:pages") as store:
        store.delete("turbine 7")
    assert list(client.scan_iter(match="app:pages:*")) == []


def test_deleting_a_window_leaves_no_keys(client: redis.Redis, prefix: str) -> None:
    with RedisStore(client, prefix=prefix) as store:
        with store.open("w") as stored_window:
            stored_window.put_many({Key(space, 0): b"." for space in ("x", "y", "z")})
        assert len(keys_of(client, prefix)) == 4
        store.delete("w")
        assert keys_of(client, prefix) == []
        store.delete("w")
        assert keys_of(client, prefix) == []


def test_a_server_that_forgot_the_scripts_gets_them_again(client: redis.Redis, prefix: str) -> None:
    with RedisStore(client, prefix=prefix) as store, store.open("w") as stored_window:
        client.script_flush()
        stored_window.put_many({Key("x", 0): b"kept"})
        client.script_flush()
        assert stored_window.get_many([Key("x", 0)]) == [b"kept"]


# Time to live --------------------------------------------------------------------------------


def test_all_keys_of_a_window_run_out_together(client: redis.Redis, prefix: str) -> None:
    with RedisStore(client, prefix=prefix, ttl=1000) as store:
        with store.open("w") as stored_window:
            stored_window.put_many({Key("x", 0): b".", Key("y", 0): b"."})
        for key in keys_of(client, prefix):
            client.expire(key, 100)
        with store.open("w") as stored_window:
            stored_window.put_many({Key("z", 0): b"."})  # renews x and y too
        left_ms = [client.pttl(key) for key in keys_of(client, prefix)]
        assert len(left_ms) == 4
        assert all(990_000 < left <= 1_000_000 for left in left_ms)


def test_a_window_without_ttl_is_kept_even_if_it_once_had_one(
    client: redis.Redis, prefix: str
) -> None:
    with RedisStore(client, prefix=prefix, ttl=1000) as store, store.open("w") as stored_window:
        stored_window.put_many({Key("x", 0): b"."})
    with RedisStore(client, prefix=prefix) as store, store.open("w"):
        pass
    assert {client.ttl(key) for key in keys_of(client, prefix)} == {-1}


def test_a_window_whose_ttl_ran_out_is_forgotten(client: redis.Redis, prefix: str) -> None:
    with RedisStore(client, prefix=prefix, ttl=0.05) as store:
        with store.open("w") as stored_window:
            stored_window.put_many({Key("x", 0): b"."})
        wait_until(lambda: store.names() == [])
        with store.open("w") as stored_window:
            assert stored_window.get_many([Key("x", 0)]) == [None]


def test_a_holder_whose_window_ran_out_does_not_go_on_as_if_it_were_there(
    client: redis.Redis, prefix: str
) -> None:
    with RedisStore(client, prefix=prefix, ttl=1000) as store, store.open("w") as stored_window:
        stored_window.put_many({Key("x", 0): b"."})
        for key in keys_of(client, prefix):
            if not key.endswith(b":lease"):
                client.delete(key)
        for action in (
            lambda: stored_window.get_many([Key("x", 0)]),
            lambda: stored_window.put_many({Key("x", 1): b"."}),
        ):
            with pytest.raises(StoreError, match=r"name='w' is not at .*its ttl ran out.*again"):
                action()
        assert all(key.endswith(b":lease") for key in keys_of(client, prefix))


# Servers that are away, full or unfit --------------------------------------------------------


def test_a_server_that_stops_is_named_and_serves_again_when_it_is_back(
    own_server: RedisServer,
) -> None:
    with RedisStore(own_server.url) as store:
        stored_window = store.open("w")
        stored_window.put_many({Key("x", 0): b"kept"})
        own_server.stop()
        for action in (
            lambda: stored_window.get_many([Key("x", 0)]),
            lambda: stored_window.put_many({Key("x", 0): b"lost"}),
            lambda: store.open("other"),
            store.names,
            lambda: store.delete("other"),
        ):
            with pytest.raises(
                StoreUnreachableError, match=rf"127\.0\.0\.1:{own_server.port} .*check that it runs"
            ):
                action()
        own_server.start()
        assert stored_window.get_many([Key("x", 0)]) == [b"kept"]
        stored_window.put_many({Key("x", 0): b"goes on"})
        assert stored_window.get_many([Key("x", 0)]) == [b"goes on"]


def test_closing_needs_no_server(own_server: RedisServer) -> None:
    store = RedisStore(own_server.url)
    stored_window = store.open("w")
    own_server.stop()
    stored_window.close()
    store.close()


def test_a_server_that_hangs_is_waited_for_no_longer_than_the_timeout(
    own_server: RedisServer,
) -> None:
    with RedisStore(own_server.url, timeout=0.5) as store, store.open("w") as stored_window:
        # Whoever waits for a frozen server without a limit never comes back.
        with (
            own_server.frozen(),
            pytest.raises(StoreUnreachableError, match=r"does not answer .*check"),
        ):
            stored_window.put_many({Key("x", 0): b"."})
        assert stored_window.get_many([Key("x", 1)]) == [None]


def test_a_full_server_refuses_puts_as_a_whole_and_takes_deletions(
    own_server: RedisServer,
) -> None:
    with RedisStore(own_server.url) as store, store.open("w") as stored_window:
        stored_window.put_many({Key("x", 0): b"old", Key("x", 1): b"old"})
        with own_server.client() as admin:
            admin.config_set("maxmemory", "1")
            with pytest.raises(StoreError, match=r"refused .*; delete windows, or raise its max"):
                stored_window.write(Batch({Key("x", 2): b"new"}, [Span("x", 0, 1)]))
            assert stored_window.get_many([Key("x", 0), Key("x", 2)]) == [b"old", None]
            stored_window.delete_range(Span("x", 0, 1))
            assert stored_window.get_many([Key("x", 0), Key("x", 1)]) == [None, b"old"]
            admin.config_set("maxmemory", "0")
        stored_window.put_many({Key("x", 2): b"new"})


def test_a_server_whose_disk_fails_says_so(tmp_path: Path) -> None:
    server = RedisServer(tmp_path, "--save", "3600 1")
    server.start()
    try:
        (tmp_path / "dump.rdb" / "in its place").mkdir(parents=True)
        with (
            RedisStore(server.url) as store,
            store.open("w") as stored_window,
            server.client() as admin,
        ):
            admin.bgsave()
            wait_until(lambda: admin.info("persistence")["rdb_last_bgsave_status"] != "ok")
            with pytest.raises(StoreError, match=r"refused .*; it cannot write to its own disk"):
                stored_window.put_many({Key("x", 0): b"."})
            admin.config_set("save", "")
            stored_window.put_many({Key("x", 0): b"."})
    finally:
        server.stop()


def test_a_replica_refuses_and_points_to_its_primary(own_server: RedisServer) -> None:
    with RedisStore(own_server.url) as store, store.open("w") as stored_window:
        with own_server.client() as admin:
            admin.replicaof("127.0.0.1", "1")
            with pytest.raises(StoreError, match=r"refused .*give the address of its primary"):
                stored_window.put_many({Key("x", 0): b"."})
            admin.replicaof("NO", "ONE")
        stored_window.put_many({Key("x", 0): b"."})


def test_a_user_without_rights_is_told_which_to_ask_for(own_server: RedisServer) -> None:
    with own_server.client() as admin:
        admin.acl_setuser("reader", enabled=True, passwords=["+secret"], categories=["+@read"])
    url = own_server.url.replace("//", "//reader:secret@")
    with RedisStore(url) as store, pytest.raises(StoreError, match="allow the user scripts") as no:
        store.open("w")
    assert "secret" not in str(no.value)
    url = url.replace("secret", "guess")
    with RedisStore(url) as store, pytest.raises(StoreUnreachableError, match="password") as wrong:
        store.open("w")
    assert "guess" not in str(wrong.value)


# Arguments -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "advice"),
    [
        ("localhost:6379", "give one like redis://host:6379/0"),
        (7, "give an address like"),
        (redis.asyncio.Redis(), "give an address like"),
        (redis.Redis(decode_responses=True), "give a client with decode_responses=False"),
        ("redis://host?decode_responses=yes", "give a client with decode_responses=False"),
    ],
)
def test_what_is_no_client_of_pages_is_refused(wrong: Any, advice: str) -> None:
    with pytest.raises(InputError, match=f"client_or_url .*{advice}"):
        RedisStore(wrong)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), "30 s", 0.0001])
@pytest.mark.parametrize("argument", ["ttl", "lease", "timeout"])
def test_what_is_no_time_is_refused(argument: str, seconds: Any) -> None:
    with pytest.raises(InputError, match=rf"{argument}=.* is no time; give seconds"):
        RedisStore("redis://localhost", **{argument: seconds})


def test_an_empty_prefix_is_refused() -> None:
    with pytest.raises(InputError, match=r"prefix='' .*; give some"):
        RedisStore("redis://localhost", prefix="")


def test_a_batch_too_large_to_send_is_refused(
    redis_server: RedisServer, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("windrow.paged.stores.redis.stored_window._MAX_BATCH_BYTES", 10)
    with RedisStore(redis_server.url, prefix=prefix) as store, store.open("w") as stored_window:
        with pytest.raises(InputError, match=r"puts hold 11 bytes.*; write several batches"):
            stored_window.put_many({Key("x", 0): b"." * 11})
        stored_window.put_many({Key("x", 0): b"." * 10})
