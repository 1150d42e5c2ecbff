"""What the tests of stores share: a Redis server of their own, and one recipe for each store."""

import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import redis

from windrow.stores import Store

ON_REDIS = pytest.mark.xdist_group("redis")  # one process, one server

MISSING = "redis-server is missing: apt-get install redis-server, or brew install redis"


@dataclass(frozen=True)
class Recipe:
    """How to make a store; where values last, making it again finds them."""

    make: Callable[[], Store]
    lasting: bool


class RedisServer:
    """A redis-server with a free port and a folder; it keeps what it is given over restarts."""

    def __init__(self, folder: Path, *settings: str) -> None:
        self._folder = folder
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        self.port = _free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        binary = shutil.which("redis-server")
        if binary is None:
            pytest.fail(MISSING, pytrace=False)
        self._process = subprocess.Popen(
            [
                binary,
                *("--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self._folder)),
                *("--save", "", "--appendonly", "yes", *self._settings),
            ],
            stdout=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 20
        with self.client() as client:
            while not _answers(client):
                if self._process.poll() is not None or time.monotonic() > deadline:
                    pytest.fail(f"redis-server did not start on port {self.port}", pytrace=False)
                time.sleep(0.02)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            self._process = None

    def client(self) -> "redis.Redis":
        return redis.Redis.from_url(self.url)


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
