"""RedisStore: windows on a server that many machines reach; each has one holder, by a lease."""

import os
import socket
from typing import TYPE_CHECKING
from uuid import uuid4

from windrow.arguments import shown
from windrow.errors import InputError, StoreBusyError
from windrow.paged.stores.base import Store, StoredWindow
from windrow.paged.stores.checks import require_name, require_seconds
from windrow.paged.stores.opened import Opened
from windrow.paged.stores.redis.layout import Places, names_among, names_pattern, spaces_among
from windrow.paged.stores.redis.scripts import OPEN, TAKEN
from windrow.paged.stores.redis.server import Server
from windrow.paged.stores.redis.stored_window import RedisStoredWindow, Terms, holder_of

if TYPE_CHECKING:
    from redis import Redis
    from redis.cluster import RedisCluster

__all__ = ["RedisStore"]


class RedisStore(Store):
    """Keeps windows on a Redis server or cluster, under keys that begin with `prefix`.

    `client_or_url` is an address such as `redis://host:6379/0`, or a client of the `redis` package
    (for a cluster, or for other settings), which you close yourself.  `timeout` is how many seconds
    to wait for a server that is given by its address.

    Opening a window takes a lease of `lease` seconds, which reads and writes renew.  If the process
    that holds it vanishes, others may open the window once the lease has expired.  If it comes back
    after that, it gets a `StoreBusyError`, and changes nothing.

    With `ttl`, a window that was neither opened nor written for that many seconds is deleted.  What
    survives a restart of the server depends on its settings: `appendonly yes` keeps data across
    restarts, and `maxmemory-policy noeviction` keeps a full server from dropping windows.

    >>> with RedisStore("redis://127.0.0.1:6379/0", prefix="turbines", ttl=86_400) as store:
    ...     type(store).__name__  # it connects when the first window is opened
    'RedisStore'
    """

    def __init__(
        self,
        client_or_url: "Redis | RedisCluster | str",
        *,
        prefix: str = "windrow",
        ttl: float | None = None,
        lease: float = 30.0,
        timeout: float = 5.0,
    ) -> None:
        if not isinstance(prefix, str) or not prefix:
            raise InputError(f"prefix={shown(prefix)} is not text; give some, or leave it out")
        self._prefix = prefix
        self._terms = Terms(
            lease_ms=_milliseconds("lease", lease),
            ttl_ms=0 if ttl is None else _milliseconds("ttl", ttl),
        )
        self._server = Server(client_or_url, _milliseconds("timeout", timeout) / 1000)
        self._opened: Opened[RedisStoredWindow] = Opened(f"the RedisStore of prefix={prefix!r}")

    def open(self, name: str) -> StoredWindow:
        require_name(name)
        return self._opened.add(name, lambda: self._renewed_stored_window(name))

    def names(self) -> list[str]:
        # By the keys of windows rather than a list of them: those that ran out are off at once.
        self._opened.require_store()
        return sorted(names_among(self._prefix, self._server.scan(names_pattern(self._prefix))))

    def delete(self, name: str) -> None:
        require_name(name)
        with self._opened.unopened(name):
            self._stored_window(name).drop()

    def close(self) -> None:
        if self._opened.close():
            self._server.close()

    def _renewed_stored_window(self, name: str) -> RedisStoredWindow:
        stored_window = self._stored_window(name)
        try:
            stored_window.renew()
        except BaseException:
            stored_window.release()
            raise
        return stored_window

    def _stored_window(self, name: str) -> RedisStoredWindow:
        places = Places.of(self._prefix, name)
        token = f"process {os.getpid()} on {socket.gethostname()}/{uuid4().hex}".encode()
        verdict, *found = self._server.run(
            OPEN, [places.lease, places.window], [token, *self._terms]
        )
        if verdict == TAKEN:
            other, left_ms = found
            raise StoreBusyError(
                f"name={name!r} at {self._server.address} is open already, by {holder_of(other)}; "
                f"close it there, or, if that is no more, open it again in {left_ms / 1000:.1f} s, "
                "when its lease runs out"
            )
        return RedisStoredWindow(
            name,
            places,
            token,
            spaces_among(found[0]),
            self._server,
            self._terms,
            self._opened,
        )


def _milliseconds(argument: str, seconds: float) -> int:
    return round(require_seconds(argument, seconds, 0.001) * 1000)
