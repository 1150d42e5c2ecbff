"""RedisStore on a cluster: all keys of a window lie together, and everything works there too."""

import time
from collections.abc import Iterator

import pytest
from hypothesis.stateful import run_state_machine_as_test
from redis.cluster import LoadBalancingStrategy, RedisCluster
from redis.crc import key_slot

from benchmarks.redis_server import RedisServer
from tests.examples import examples
from tests.paged.stores.machine import machine_of
from tests.paged.stores.support import ON_REDIS, Recipe
from tests.paged.stores.test_contract import NAMES
from tests.paged.stores.test_state_machine import RUNS, STEPS
from windrow.errors import InputError, StoreUnreachableError
from windrow.paged.stores import Key, RedisStore
from windrow.paged.stores.redis.layout import Places

pytestmark = ON_REDIS


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """One node that has all slots is a cluster."""
    with RedisServer(tmp_path_factory.mktemp("redis"), "--cluster-enabled", "yes") as server:
        with server.client() as client:
            client.execute_command("CLUSTER", "ADDSLOTS", *range(16384))
        wait_until_up(server)
        yield server


def wait_until_up(server: RedisServer) -> None:
    """A node joins its cluster a while after it started."""
    deadline = time.monotonic() + 20
    with server.client() as client:
        while b"cluster_state:ok" not in client.execute_command("CLUSTER", "INFO"):
            assert time.monotonic() < deadline
            time.sleep(0.02)


@pytest.fixture
def client(cluster: RedisServer) -> Iterator[RedisCluster]:
    with RedisCluster(host="127.0.0.1", port=cluster.port) as client:
        yield client


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("prefix", ["windrow", "{x}", "{", "}"])
def test_all_keys_of_a_window_lie_in_one_slot(prefix: str, name: str) -> None:
    places = Places.of(prefix, name)
    keys = [places.lease, places.window, places.space("x"), places.space("y")]
    assert len({key_slot(key.encode()) for key in keys}) == 1


def test_windows_spread_over_slots() -> None:
    slots = {key_slot(Places.of("windrow", f"window {n}").lease.encode()) for n in range(100)}
    assert len(slots) > 90


def test_a_cluster_keeps_what_dictionaries_keep(client: RedisCluster) -> None:
    recipe = Recipe(lambda: RedisStore(client, prefix="machine", ttl=1000), lasting=True)
    run_state_machine_as_test(machine_of(recipe), settings=examples(RUNS, **STEPS))


def test_windows_are_found_on_all_slots(client: RedisCluster) -> None:
    with RedisStore(client) as store:
        for name in NAMES:
            with store.open(name) as stored_window:
                stored_window.put_many({Key("x", 0): b"."})
        assert store.names() == sorted(NAMES)


def test_a_client_that_reads_from_replicas_is_refused(cluster: RedisServer) -> None:
    anywhere = LoadBalancingStrategy.ROUND_ROBIN
    with (
        RedisCluster(
            host="127.0.0.1", port=cluster.port, load_balancing_strategy=anywhere
        ) as client,
        pytest.raises(InputError, match=r"reads from replicas.*reads from primaries"),
    ):
        RedisStore(client)


def test_a_cluster_that_stops_is_named(cluster: RedisServer, client: RedisCluster) -> None:
    with RedisStore(client, prefix="stops") as store, store.open("w") as stored_window:
        stored_window.put_many({Key("x", 0): b"kept"})
        cluster.stop()
        for action in (
            lambda: stored_window.get_many([Key("x", 0)]),
            lambda: stored_window.put_many({Key("x", 0): b"lost"}),
            store.names,
        ):
            with pytest.raises(
                StoreUnreachableError, match=rf"127\.0\.0\.1:{cluster.port}.*check that it runs"
            ):
                action()
        cluster.start()
        wait_until_up(cluster)
        assert stored_window.get_many([Key("x", 0)]) == [b"kept"]
