"""Messages between nodes by ZeroMQ: a parent binds, its children connect.

With keys, a connection belongs to the node whose key it was opened with, and all that comes over it
is that node's, whatever it says; unknown keys get no connection.  Without keys a node is believed
its name, which is for tests and for one machine.

Messages may be lost, doubled and reordered here: the cores see to it that nothing is.
"""

import ipaddress
import secrets
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import zmq
from zmq.utils import z85
from zmq.utils.monitor import recv_monitor_message

from windrow.edge.keys import Keys
from windrow.errors import InputError, MessageError
from windrow.wire.messages import Frame, Message, decode, encode

__all__ = ["Above", "Below", "Received", "is_loopback", "require_safe"]

MOST_BYTES = 64 << 20  # of a message
_HEARTBEAT_MS, _SILENCE_MS = 5_000, 15_000
_RECONNECT_MS, _MOST_RECONNECT_MS = 100, 1_000
_MOST_WAITING = 100_000  # messages that a connection does not take at the moment
_ZAP = "inproc://zeromq.zap.01"
_DOMAIN = b"windrow"
_AT_ONCE = 1_000  # messages, after which others get their turn


@dataclass(frozen=True)
class Received:
    """A message, and the node that the connection belongs to."""

    sender: str
    message: Message


class Below:
    """A parent's side."""

    def __init__(
        self,
        context: "zmq.Context[zmq.Socket[bytes]]",
        address: str,
        keys: Keys | None,
        *,
        insecure: bool = False,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        require_safe(address, keys, insecure=insecure)
        self.counts: Counter[str] = Counter()
        self.traffic: Counter[str] = Counter()
        self._keys = keys
        self._routes: dict[str, bytes] = {}  # where each child is heard from
        self._zap: zmq.Socket[bytes] | None = None
        if keys is not None:
            self._zap = context.socket(zmq.REP)
            self._zap.linger = 0
            self._zap.bind(_ZAP)
        self._socket = _socket(context, zmq.ROUTER, most_bytes)
        self._socket.router_mandatory = True
        if keys is not None:
            self._socket.curve_server = True
            self._socket.curve_secretkey = keys.secret
            self._socket.curve_publickey = keys.public
            self._socket.zap_domain = _DOMAIN
        _open(self._socket.bind, address)
        self.address: str = self._socket.last_endpoint.decode()

    @property
    def sockets(self) -> list[Any]:
        """What to wait for."""
        return [self._socket] if self._zap is None else [self._zap, self._socket]

    def received(self) -> Iterator[Received]:
        """What has come; not all if it is much."""
        if self._zap is not None:
            self._admit(self._zap)
        for _ in range(_AT_ONCE):
            try:
                parts = self._socket.recv_multipart(zmq.NOBLOCK, copy=False)
            except zmq.Again:
                return
            found = self._read(parts)
            if found is not None:
                yield found

    def send(self, to: str, message: Message) -> None:
        """Send a message, unless the child is away."""
        route = self._routes.get(to)
        if route is None:
            self.counts["messages to absent nodes"] += 1
            return
        try:
            self._socket.send_multipart([route, encode(message)], zmq.NOBLOCK)
        except zmq.Again:
            self.counts["messages to slow nodes"] += 1
        except zmq.ZMQError:  # it has gone
            self.counts["messages to absent nodes"] += 1
            del self._routes[to]

    def admit(self, name: str, key: str) -> None:
        """Let a node in that was unknown when this one began."""
        if self._keys is not None and key:
            self._keys.names[key.encode()] = name

    def close(self) -> None:
        """Let go of all connections."""
        for socket in self.sockets:
            socket.close(0)

    def _read(self, parts: "list[zmq.Frame]") -> Received | None:
        sender = self._sender(parts)
        if sender is None or len(parts) != 2:
            self.counts["messages of nobody"] += 1
            return None
        self._routes[sender] = parts[0].bytes
        try:
            message = decode(parts[1].buffer)
            _count(self.traffic, message, len(parts[1]))
            return Received(sender, message)
        except MessageError:
            self.counts["unreadable messages"] += 1
            return None

    def _sender(self, parts: "list[zmq.Frame]") -> str | None:
        if self._keys is None:
            name, _, _ = parts[0].bytes.rpartition(b"/")
            return name.decode(errors="replace") or None
        try:
            return str(parts[-1].get("User-Id"))  # as `_admit` has said
        except zmq.ZMQError:
            return None

    def _admit(self, zap: "zmq.Socket[bytes]") -> None:
        """Answer those who ask for a connection (RFC 27 of ZeroMQ)."""
        assert self._keys is not None
        for _ in range(_AT_ONCE):
            try:
                parts = zap.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            number = parts[1] if len(parts) > 1 else b""
            key = parts[6] if len(parts) > 6 and parts[5] == b"CURVE" else b""
            name = self._keys.names.get(z85.encode(key)) if len(key) == 32 else None
            answer = (b"200", b"OK", name.encode(), b"") if name else (b"400", b"", b"", b"")
            if name is None:
                self.counts["connections refused"] += 1
            zap.send_multipart([b"1.0", number, *answer])


class Above:
    """A child's side."""

    def __init__(
        self,
        context: "zmq.Context[zmq.Socket[bytes]]",
        name: str,
        address: str,
        parent: str,
        keys: Keys | None,
        *,
        insecure: bool = False,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        require_safe(address, keys, insecure=insecure)
        self.counts: Counter[str] = Counter()
        self.traffic: Counter[str] = Counter()
        self.connected = False
        self._socket = _socket(context, zmq.DEALER, most_bytes)
        self._socket.immediate = True  # nothing waits for a parent who is away
        self._socket.reconnect_ivl = _RECONNECT_MS
        self._socket.reconnect_ivl_max = _MOST_RECONNECT_MS
        if keys is None:
            # Another one each time: a parent may still hold the connection before.
            self._socket.identity = f"{name}/{secrets.token_hex(8)}".encode()
        else:
            self._socket.curve_secretkey = keys.secret
            self._socket.curve_publickey = keys.public
            self._socket.curve_serverkey = keys.public_of(parent)
        self._monitor = self._socket.get_monitor_socket(
            zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED | zmq.EVENT_HANDSHAKE_FAILED_AUTH
        )
        _open(self._socket.connect, address)

    @property
    def sockets(self) -> list[Any]:
        """What to wait for."""
        return [self._monitor, self._socket]

    def changed(self) -> bool:
        """Whether the way to the parent was opened or lost since it was asked last."""
        changed = False
        while self._monitor.poll(0):
            event = recv_monitor_message(self._monitor)["event"]
            if event == zmq.EVENT_HANDSHAKE_FAILED_AUTH:
                self.counts["connections refused"] += 1
                continue
            self.connected = event == zmq.EVENT_HANDSHAKE_SUCCEEDED
            changed = True
        return changed

    def received(self) -> Iterator[Message]:
        """What has come; not all if it is much."""
        for _ in range(_AT_ONCE):
            try:
                parts = self._socket.recv_multipart(zmq.NOBLOCK, copy=False)
            except zmq.Again:
                return
            try:
                yield decode(parts[-1].buffer)
            except MessageError:
                self.counts["unreadable messages"] += 1

    def send(self, message: Message) -> None:
        """Send a message, unless the parent is away."""
        if not self.connected:
            return
        try:
            content = encode(message)
            self._socket.send(content, zmq.NOBLOCK)
            _count(self.traffic, message, len(content))
        except zmq.Again:
            self.counts["messages to an absent parent"] += 1

    def close(self, linger_ms: int = 0) -> None:
        """Let go of the connection."""
        self._socket.disable_monitor()
        self._monitor.close(0)
        self._socket.close(linger_ms)


def is_loopback(address: str) -> bool:
    """Whether an address is reached from this machine alone.

    >>> is_loopback("tcp://127.0.0.1:7000"), is_loopback("tcp://*:7000")
    (True, False)
    """
    if not address.startswith("tcp://"):
        return address.startswith(("ipc://", "inproc://"))
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def require_safe(address: str, keys: Keys | None, *, insecure: bool) -> None:
    """Refuse an address at which anybody could pretend to be a node."""
    if keys is None and not insecure and not is_loopback(address):
        raise InputError(
            f"address={address!r} can be reached by others, and nodes without keys believe "
            "anybody; make keys (keys: in tree.yaml), or say insecure: true"
        )


def _count(traffic: Counter[str], message: Message, size: int) -> None:
    traffic["bytes"] += size
    if isinstance(message, Frame):
        for what, number in (("bytes", size), ("frames", 1), ("rows", message.rows)):
            traffic[f"{what} of {message.query}"] += number


def _open(way: Any, address: str) -> None:
    try:
        way(address)
    except zmq.ZMQError as error:
        raise InputError(
            f"address={address!r}: {error}; give one such as tcp://host:7000"
        ) from None


def _socket(context: Any, kind: int, most_bytes: int) -> Any:
    socket = context.socket(kind)
    socket.linger = 0
    socket.maxmsgsize = most_bytes
    socket.sndhwm = socket.rcvhwm = _MOST_WAITING
    socket.heartbeat_ivl = _HEARTBEAT_MS
    socket.heartbeat_timeout = _SILENCE_MS
    socket.heartbeat_ttl = _SILENCE_MS
    return socket
