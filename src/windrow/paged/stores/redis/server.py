"""A Redis server or cluster: how it is reached, where it is, and what its errors mean."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from redis import Redis
from redis.backoff import ExponentialBackoff
from redis.cluster import RedisCluster
from redis.exceptions import (
    ClusterDownError,
    MovedError,
    NoScriptError,
    RedisClusterException,
    RedisError,
)
from redis.exceptions import ConnectionError as NoConnectionError
from redis.exceptions import TimeoutError as NoReplyError
from redis.retry import Retry

from windrow.errors import InputError, StoreError, StoreUnreachableError
from windrow.paged.stores.redis.scripts import Script

__all__ = ["Server"]

# A cluster whose nodes all fail to answer is a RedisClusterException, not a RedisError.
_UNREACHABLE = (NoConnectionError, NoReplyError, ClusterDownError, RedisClusterException, OSError)

# What the server says, in this or another of its releases, and what to do about it.
_ADVICE = (
    (("OutOfMemory", "OOM"), "delete windows, or raise its maxmemory"),
    (("MISCONF",), "it cannot write to its own disk: make room there, and see its log"),
    (("ReadOnly", "READONLY"), "it is a replica: give the address of its primary"),
    (("NoPermission", "NOPERM"), "allow the user scripts, hashes and all keys of the prefix"),
)


class Server:
    """Runs scripts and reads hashes; every error it raises is a `StoreError`."""

    def __init__(self, client_or_url: "Redis | RedisCluster | str", timeout: float) -> None:
        self._owned = isinstance(client_or_url, str)
        self._client: Any = _checked(
            _connected(client_or_url, timeout) if isinstance(client_or_url, str) else client_or_url
        )
        self.address = _address(self._client)

    def run(self, script: Script, keys: Sequence[str], arguments: Sequence[Any]) -> list[Any]:
        """Run a script, which the server may not know yet."""
        with self._explained():
            try:
                return self._client.evalsha(script.sha, len(keys), *keys, *arguments) or []
            except NoScriptError:
                return self._client.eval(script.text, len(keys), *keys, *arguments) or []

    def read(self, ask: Callable[[Any], None]) -> list[Any]:
        """The replies to all commands that `ask` gives a pipeline, sent at once."""
        with self._explained(), self._client.pipeline(transaction=False) as pipeline:
            ask(pipeline)
            replies: list[Any] = pipeline.execute()
        return replies

    def scan(self, pattern: str) -> list[bytes]:
        """All keys of a pattern, on all nodes; the server goes on serving others meanwhile."""
        with self._explained():
            return list(self._client.scan_iter(match=pattern, count=1000))

    def close(self) -> None:
        """Leave the connections of a client that others may use alone."""
        if self._owned:
            self._client.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except _UNREACHABLE as error:
            raise StoreUnreachableError(
                f"the Redis server at {self.address} does not answer ({_said(error)}); check that "
                "it runs, that address, user name and password are right, and the network between"
            ) from error
        except MovedError as error:
            raise StoreError(
                f"the Redis server at {self.address} is part of a cluster; "
                "give client_or_url=redis.cluster.RedisCluster(...)"
            ) from error
        except RedisError as error:
            raise StoreError(
                f"the Redis server at {self.address} refused ({_said(error)}); {_advice(error)}"
            ) from error


def _connected(url: str, timeout: float) -> Any:
    try:
        return Redis.from_url(
            url,
            socket_timeout=timeout,
            socket_connect_timeout=timeout,
            # Whatever was sent may be sent again: scripts that are run twice change nothing more.
            retry=Retry(ExponentialBackoff(cap=0.5, base=0.05), 2),
        )
    except ValueError as error:
        raise InputError(
            f"client_or_url is no address of a server ({error}); give one like "
            "redis://host:6379/0, rediss://user:password@host or unix://path, or a client"
        ) from error


def _checked(client: Any) -> Any:
    if not isinstance(client, Redis | RedisCluster):
        raise InputError(
            f"client_or_url is a {type(client).__name__}; give an address like "
            "redis://host:6379/0, a redis.Redis or a redis.cluster.RedisCluster"
        )
    if client.get_encoder().decode_responses:
        raise InputError(
            "client_or_url has decode_responses=True, but pages are no text; "
            "give a client with decode_responses=False"
        )
    if getattr(client, "read_from_replicas", False) or getattr(
        client, "load_balancing_strategy", None
    ):
        raise InputError(
            "client_or_url reads from replicas, which may lag behind what was just written; "
            "give a client that reads from primaries"
        )
    return client


def _address(client: Any) -> str:
    """Where a server or cluster is, without user name and password."""
    # Asked once: a client of a cluster forgets nodes that do not answer.
    if isinstance(client, RedisCluster):
        return ", ".join(sorted(node.name for node in client.nodes_manager.startup_nodes.values()))
    where = client.connection_pool.connection_kwargs
    return str(where.get("path") or f"{where.get('host')}:{where.get('port')}")


def _advice(error: Exception) -> str:
    said = f"{type(error).__name__} {_said(error)}"
    for words, advice in _ADVICE:
        if any(word in said for word in words):
            return advice
    return "its log may say more"


def _said(error: Exception) -> str:
    """What went wrong, without the bytes of the command that a pipeline puts before it."""
    return str(error).rpartition("caused error: ")[2]
