"""Trees of real processes on free ports, and writers that say again what was not taken."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from windrow.edge.keys import make_keys

JOB = """
source: {format: json, path: in, schema: "ts timestamp, sensor string, temp double"}
time: ts
by: sensor
lateness: 1 second
windows: {hopping: {size: 10 seconds, every: 4 seconds}}
aggregates: {peak: max(temp), mean: mean(temp), middle: median(temp), n: count()}
sink: {format: console}
"""
PATIENCE_S = 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def until(what: Callable[[], Any], seconds: float = PATIENCE_S) -> Any:
    """Wait for something to be true."""
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.02)
    return found


class RunningTree:
    """The nodes of a tree file, each in a process."""

    def __init__(
        self, folder: Path, nodes: Mapping[str, Any], only: Sequence[str] = (), **more: Any
    ) -> None:
        self.folder = folder
        (folder / "hot.yaml").write_text(JOB)
        tree = {"queries": ["hot.yaml"], "keys": "keys", "nodes": nodes, **more}
        (folder / "tree.yaml").write_text(json.dumps(tree))  # which is YAML
        make_keys(folder / "keys", nodes)
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        for name in only or nodes:
            self.start(name)

    def start(self, name: str) -> None:
        command = [sys.executable, "-m", "windrow.cli", "node", "tree.yaml", "--id", name]
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                command, cwd=self.folder, stderr=log, stdin=subprocess.DEVNULL
            )

    def kill(self, name: str) -> None:
        """As a power cut does."""
        self.processes[name].kill()
        self.processes[name].wait()

    def stop(self) -> dict[str, int]:
        """End all nodes; their exit codes."""
        for process in self.processes.values():
            process.send_signal(signal.SIGTERM)
        try:
            return {name: one.wait(PATIENCE_S) for name, one in self.processes.items()}
        finally:
            for process in self.processes.values():
                process.kill()

    def status(self, name: str) -> Any:
        path = self.folder / "state" / name / "status.json"
        return json.loads(path.read_text())[name] if path.exists() else None

    def counted(self, name: str, reason: str) -> int:
        status = self.status(name)
        return 0 if status is None else status["counts"].get(reason, 0)

    def rows(self) -> list[dict[str, Any]]:
        """Results, as they are in the files."""
        files = sorted((self.folder / "out" / "hot").glob("part-*.jsonl"))
        return [json.loads(line) for file in files for line in file.read_text().splitlines()]

    def content(self) -> bytes:
        files = sorted((self.folder / "out" / "hot").glob("part-*.jsonl"))
        return b"".join(file.read_bytes() for file in files)

    def logs(self) -> str:
        return "".join(path.read_text() for path in self.folder.glob("*.log"))


@contextmanager
def running_tree(
    folder: Path, nodes: Mapping[str, Any], only: Sequence[str] = (), **more: Any
) -> Iterator[RunningTree]:
    tree = RunningTree(folder, nodes, only, **more)
    try:
        yield tree
    finally:
        tree.stop()


def post(
    port: int, content: bytes, headers: Mapping[str, str] | None = None
) -> tuple[int, dict[str, Any]]:
    """Send a request; the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    try:
        connection.request("POST", "/", content, dict(headers or {}))
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def post_until_taken(
    port: int, source: str, number: int, rows: Sequence[Mapping[str, Any]]
) -> None:
    """Send rows again and again, as writers do who want none to be lost."""
    content = as_lines(rows)
    headers = {"Windrow-Source": source, "Windrow-Batch": str(number)}

    def taken() -> bool:
        try:
            return post(port, content, headers)[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    until(taken)


def as_lines(rows: Sequence[Mapping[str, Any]]) -> bytes:
    return b"".join(json.dumps(row, default=str).encode() + b"\n" for row in rows)


@contextmanager
def running_broker(folder: Path) -> Iterator[int]:
    """A mosquitto that remembers nothing after it ends."""
    port = free_port()
    config = folder / "mosquitto.conf"
    config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n")
    environment = {**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin"}
    with (folder / "mosquitto.log").open("wb") as log:
        broker = subprocess.Popen(
            ["mosquitto", "-c", str(config)], stderr=log, stdout=log, env=environment
        )
    try:
        yield port
    finally:
        broker.terminate()
        broker.wait()
