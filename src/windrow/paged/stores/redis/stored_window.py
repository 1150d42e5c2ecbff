"""One window on a Redis server: values in hashes, every change checked against the lease."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from contextlib import suppress
from itertools import count
from time import monotonic
from typing import Any, NamedTuple

from windrow.errors import InputError, StoreBusyError, StoreError
from windrow.paged.stores.base import Batch, Key, StoredWindow
from windrow.paged.stores.checks import require_batch, require_keys
from windrow.paged.stores.opened import Opened
from windrow.paged.stores.redis.layout import HOLDER, WRITTEN, Places, field, halves, space_field
from windrow.paged.stores.redis.scripts import CLOSE, DROP, GONE, KEEP, TAKEN, WRITE, Script
from windrow.paged.stores.redis.server import Server

__all__ = ["RedisStoredWindow", "Terms", "holder_of"]

# How many values one command reads: servers serve others between commands.
_CHUNK = 256

# Servers close connections that send more than 1 GB at once, and scripts hold what is sent twice.
_MAX_BATCH_BYTES = 256 << 20


class Terms(NamedTuple):
    """How long a lease and a window last, in milliseconds; a window forever if that is 0."""

    lease_ms: int
    ttl_ms: int


def holder_of(token: bytes) -> str:
    """Who made a token, for people to read."""
    return token.rpartition(b"/")[0].decode(errors="replace") or repr(token)


class RedisStoredWindow(StoredWindow):
    """The values of a window that was opened with a token."""

    def __init__(
        self,
        name: str,
        places: Places,
        token: bytes,
        spaces: set[str],
        server: Server,
        terms: Terms,
        opened: "Opened[RedisStoredWindow]",
    ) -> None:
        self._name = name
        self._places = places
        self._token = token
        self._spaces = spaces  # all that the window ever had: only its holder adds one
        self._server = server
        self._terms = terms
        self._opened = opened
        self._renewed = monotonic()
        self._writes = count(1)

    def get_many(self, keys: Sequence[Key]) -> list[bytes | None]:
        self._opened.require(self._name, self)
        require_keys(keys)
        positions: dict[str, list[int]] = defaultdict(list)
        for position, (space, _) in enumerate(keys):
            positions[space].append(position)
        chunks = [
            (space, wanted[start : start + _CHUNK])
            for space, wanted in positions.items()
            for start in range(0, len(wanted), _CHUNK)
        ]

        def ask(pipeline: Any) -> None:
            for space, wanted in chunks:
                fields = [field(keys[position][1]) for position in wanted]
                pipeline.hmget(self._places.space(space), fields)
            # Tokens come last: one that is ours after all values were read was so throughout.
            pipeline.get(self._places.lease)
            pipeline.hget(self._places.window, HOLDER)

        *replies, on_lease, last = self._server.read(ask)
        self._keep(on_lease, last)
        values: list[bytes | None] = [None] * len(keys)
        for (_, wanted), found in zip(chunks, replies, strict=True):
            for position, value in zip(wanted, found, strict=True):
                values[position] = value
        return values

    def write(self, batch: Batch) -> None:
        self._opened.require(self._name, self)
        require_batch(batch)
        self._require_sendable(batch)
        self._write(batch)

    def count(self, spaces: Collection[str], most: int) -> int:
        self._opened.require(self._name, self)
        asked = sorted(self._spaces.union(spaces))

        def ask(pipeline: Any) -> None:
            for space in asked:
                pipeline.hlen(self._places.space(space))

        sizes: dict[str, int] = dict(zip(asked, self._server.read(ask), strict=True))
        # The hash of the window may be gone, and with it the list of its spaces: whatever is
        # found is on the list again, so that the window can be deleted as a whole.
        unlisted = {space for space, size in sizes.items() if size} - self._spaces
        if unlisted:
            self._write(Batch(), unlisted)
        return min(sum(sizes.values()), most)

    def renew(self) -> None:
        """Let all keys of the window last as the store says."""
        self._write(Batch())

    def close(self) -> None:
        if self._opened.remove(self._name, self):
            self.release()

    def release(self) -> None:
        """Give back the lease, if it is still ours."""
        # Nothing waits to be written: a lease that cannot be given back runs out by itself.
        with suppress(StoreError):
            self._server.run(CLOSE, [self._places.lease], [self._token])

    def drop(self) -> None:
        """Remove the window, its lease with it."""
        reply = self._run(DROP, sorted(self._spaces), ())
        if reply[0] != GONE:  # a client that lost the first reply asks again
            self._require_ours(reply)

    def _write(self, batch: Batch, unlisted: Collection[str] = ()) -> None:
        puts: dict[str, list[bytes]] = defaultdict(list)
        for (space, number), value in batch.puts.items():
            puts[space] += (field(number), value)
        listed = {*puts, *unlisted}
        spaces = sorted(self._spaces | listed)
        key_number = {space: number for number, space in enumerate(spaces, 3)}  # in KEYS

        number = next(self._writes)
        noted: list[bytes | int] = [HOLDER, self._token, WRITTEN, number] if puts else []
        for space in listed - self._spaces:
            noted += (space_field(space), b"")
        deleted = [
            (key_number[space], *halves(first), *halves(end))
            for space, first, end in batch.deleted
            if space in self._spaces
        ]
        arguments: list[bytes | int] = [
            self._terms.ttl_ms,
            number,
            len(noted),
            *noted,
            len(deleted),
        ]
        for span in deleted:
            arguments += span
        for space, pairs in puts.items():
            arguments += (key_number[space], len(pairs), *pairs)
        self._require_ours(self._run(WRITE, spaces, arguments))
        self._spaces |= listed

    def _keep(self, on_lease: bytes | None, last: bytes | None) -> None:
        """Go on only if nobody opened the window since; renew a lease when half of it is over."""
        if on_lease != self._token or last != self._token or self._half_over():
            self._require_ours(self._run(KEEP, (), ()))

    def _half_over(self) -> bool:
        return (monotonic() - self._renewed) * 1000 > self._terms.lease_ms / 2

    def _run(self, script: Script, spaces: Sequence[str], arguments: Sequence[Any]) -> list[Any]:
        places = self._places
        keys = [places.lease, places.window, *map(places.space, spaces)]
        before = monotonic()
        reply = self._server.run(script, keys, [self._token, self._terms.lease_ms, *arguments])
        self._renewed = before
        return reply

    def _require_ours(self, reply: list[Any]) -> None:
        verdict, *who = reply
        if verdict == TAKEN:
            raise StoreBusyError(
                f"name={self._name!r} was opened by {holder_of(who[0])} after this holder had been "
                f"away for more than lease={self._terms.lease_ms / 1000:g} s; nothing was changed: "
                "close this window, and open it again with a longer lease when it is free"
            )
        if verdict == GONE:
            raise StoreError(
                f"name={self._name!r} is not at {self._server.address} any more: it was deleted, "
                "its ttl ran out, or the server dropped it; nothing was changed: open the window "
                "and fill it again, with a longer ttl, or on a server that keeps what it is given"
            )

    def _require_sendable(self, batch: Batch) -> None:
        size = sum(map(len, batch.puts.values()))
        if size > _MAX_BATCH_BYTES:
            raise InputError(
                f"puts hold {size:,} bytes, but a batch on Redis has at most {_MAX_BATCH_BYTES:,}; "
                "write several batches"
            )
