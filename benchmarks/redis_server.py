"""A redis-server of one's own: on a free port, in a folder, ended after use."""

import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import redis

__all__ = ["RedisServer", "RedisServerError"]

_STARTS_WITHIN_S = 20


class RedisServerError(Exception):
    """There is no server to work with."""


class RedisServer:
    """Keeps what it is given over restarts, unless settings say otherwise: the last one counts."""

    def __init__(self, folder: Path, *settings: str) -> None:
        self._folder = folder
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        self.port = _free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Return when it answers."""
        binary = shutil.which("redis-server")
        if binary is None:
            raise RedisServerError(
                "redis-server is missing: apt-get install redis-server, or brew install redis"
            )
        self._process = subprocess.Popen(
            [
                binary,
                *("--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self._folder)),
                *("--save", "", "--appendonly", "yes", *self._settings),
            ],
            stdout=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + _STARTS_WITHIN_S
        with self.client() as client:
            while not _answers(client):
                if self._process.poll() is not None or time.monotonic() > deadline:
                    self.stop()
                    raise RedisServerError(f"redis-server did not start on port {self.port}")
                time.sleep(0.02)

    def stop(self) -> None:
        """End it; twice does nothing."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            self._process = None

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Let it keep its connections and answer nothing, for as long as the block takes."""
        if self._process is None:
            raise RedisServerError(f"no redis-server runs on port {self.port}: start it first")
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def client(self) -> "redis.Redis":
        """A connection of one's own."""
        return redis.Redis.from_url(self.url)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def _answers(client: "redis.Redis") -> bool:
    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False


def _free_port() -> int:
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        if port + 10_000 < 2**16:  # where the nodes of a cluster talk to each other
            return port
