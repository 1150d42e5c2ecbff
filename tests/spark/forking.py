"""A Python for Spark that forks the process which every new stream starts on the driver.

Spark asks a stateful operator for its state variables in a Python process of its own, and starts a
new one for each stream: two seconds of imports.  `forking_python` writes an executable that has
this one process forked from a server where all is loaded, and runs all others as they are.
"""

import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.spark.loaded import load

__all__ = ["forking_python"]

_FORKED = "pyspark.sql.streaming.transform_with_state_driver_worker"

# Sends what the new process needs, and waits for its end.
_CLIENT = """
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect(sys.argv[1])
    socket.send_fds(server, [b"."], [0, 1, 2])
    server.sendall(json.dumps([os.getcwd(), dict(os.environ)]).encode())
    server.shutdown(socket.SHUT_WR)
    server.recv(1)
"""


@contextmanager
def forking_python(folder: Path) -> Iterator[str]:
    """The path of such an executable, while the server runs."""
    path, client, python = folder / "fork.sock", folder / "client.py", folder / "python"
    client.write_text(_CLIENT)
    python.write_text(
        f'#!/bin/sh\n[ "$*" = "-m {_FORKED}" ] && exec {sys.executable} -IS {client} {path}\n'
        f'exec {sys.executable} "$@"\n'
    )
    python.chmod(0o755)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()
        server = subprocess.Popen(
            [sys.executable, "-m", __name__, str(listening.fileno())],
            pass_fds=[listening.fileno()],
            stdin=subprocess.PIPE,
        )
    with server:  # which closes its input, and waits
        yield str(python)


def _serve(listening: socket.socket) -> None:
    """Fork a process for every connection, until the input ends, as it does with its writer."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while sys.stdin not in select.select([listening, sys.stdin], [], [])[0]:
        connection, _ = listening.accept()
        with connection:
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                listening.close()
                _run(connection)


def _run(connection: socket.socket) -> None:
    """Be the process that was asked for; its end closes the connection."""
    _, streams, _, _ = socket.recv_fds(connection, 1, 3)
    for own, given in enumerate(streams):
        os.dup2(given, own)
    folder, environment = json.loads(b"".join(iter(lambda: connection.recv(65536), b"")))
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    runpy.run_module(_FORKED, run_name="__main__")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # taking apart all that is loaded would cost more than the work


if __name__ == "__main__":
    load()
    _serve(socket.socket(fileno=int(sys.argv[1])))
