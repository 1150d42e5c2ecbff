"""All nodes of a tree as processes of one machine: started, started again, stopped.

Each is `windrow node`.  They are forked from a server that has imported what all need, so that
27 nodes start in the time of a few; the first ones are those others connect to.
"""

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windrow.edge.tree_file import Node, Role, read_tree
from windrow.errors import WindrowError

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerProcess

__all__ = ["Supervisor"]

_ORDER = (Role.ROOT, Role.LANDING, Role.MERGER, Role.LEAF)
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 30.0
_SETTLED_S = 60.0  # who lived as long begins with the first wait again
_PATIENCE_S = 10.0
_SHARED = ["windrow.cli.node", "windrow.edge.processes.starting"]


@dataclass
class _Kept:
    """A node that is kept running."""

    node: Node
    process: "ForkServerProcess | None" = None
    began: float = 0.0
    wait_s: float = _FIRST_WAIT_S
    again_at: float = 0.0
    is_done: bool = False  # its sources have ended


class Supervisor:
    """Keeps the nodes of a file running, and follows the file when it changes."""

    def __init__(
        self, path: Path, only: Collection[str] = (), tell: Callable[[str], None] = print
    ) -> None:
        self._path, self._only, self._tell = path, only, tell
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(_SHARED)
        self._kept: dict[str, _Kept] = {}
        self.tree = read_tree(path)
        for name in only:
            self.tree.node(name)
        self._read_at = self._stamp()
        self._follow()

    @property
    def is_done(self) -> bool:
        """Whether no node runs, and none is to."""
        return all(kept.is_done for kept in self._kept.values())

    @property
    def pids(self) -> Mapping[str, int]:
        """The processes that run."""
        processes = {name: kept.process for name, kept in self._kept.items()}
        return {name: one.pid for name, one in processes.items() if one is not None and one.pid}

    def look(self) -> None:
        """Start what does not run, and follow the file."""
        if self._stamp() != self._read_at:
            self._read_again()
        now = time.monotonic()
        for name, kept in [*self._kept.items()]:
            process = kept.process
            if process is not None and process.exitcode is not None:
                self._ended(name, kept, process.exitcode, now)
            elif process is None and not kept.is_done and now >= kept.again_at:
                self._start(kept, now)

    def stop(self) -> None:
        """End all: leaves first, so that the others can still take what these say."""
        for role in reversed(_ORDER):
            running = [
                kept.process
                for kept in self._kept.values()
                if kept.process is not None and kept.node.role is role
            ]
            for process in running:
                process.terminate()
            end = time.monotonic() + _PATIENCE_S
            for process in running:
                process.join(max(end - time.monotonic(), 0))
                if process.exitcode is None:
                    process.kill()
                    process.join()
        for kept in self._kept.values():
            kept.process = None

    def _follow(self) -> None:
        """Keep what the file has, from the root down."""
        for role in _ORDER:
            for node in self.tree.nodes.values():
                is_wanted = not self._only or node.name in self._only
                if node.role is role and node.name not in self._kept and is_wanted:
                    self._kept[node.name] = _Kept(node)

    def _read_again(self) -> None:
        self._read_at = self._stamp()
        try:
            self.tree = read_tree(self._path)
        except WindrowError as error:
            self._tell(f"{self._path} has changed, and cannot be followed: {error}")
            return
        before = set(self._kept)
        self._follow()
        for name in sorted(set(self._kept) - before):
            self._tell(f"{name} is new in {self._path}")
        for kept in self._kept.values():
            kept.node = self.tree.nodes.get(kept.node.name, kept.node)

    def _start(self, kept: _Kept, now: float) -> None:
        kept.node.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        kept.process = self._context.Process(
            target=_run, args=(self._path, kept.node.name, kept.node.folder), name=kept.node.name
        )
        kept.process.start()
        kept.began = now

    def _ended(self, name: str, kept: _Kept, code: int, now: float) -> None:
        kept.process = None
        if name not in self.tree.nodes:
            self._tell(f"{name} has ended, and is no longer in {self._path}")
            del self._kept[name]
        elif code == 0:
            self._tell(f"{name} has ended: it was told to, or its sources have ended")
            kept.is_done = True
        else:
            if now - kept.began > _SETTLED_S:
                kept.wait_s = _FIRST_WAIT_S
            said = f"signal {-code}" if code < 0 else f"exit code {code}"
            log = kept.node.folder / "node.log"
            self._tell(f"{name} has ended ({said}, see {log}); again in {kept.wait_s:g} s")
            kept.again_at = now + kept.wait_s
            kept.wait_s = min(2 * kept.wait_s, _LONGEST_WAIT_S)

    def _stamp(self) -> Any:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size


def _run(path: Path, name: str, folder: Path) -> None:
    """`windrow node`, in a process of its own."""
    from windrow.cli.node import node

    os.setpgrp()  # Ctrl-C is for the supervisor, which ends all in order
    threading.Thread(target=_end_with_supervisor, daemon=True).start()
    with (folder / "node.log").open("ab", buffering=0) as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    sys.stdin = open(os.devnull)  # noqa: SIM115 - as long as the process lives
    node.main([str(path), "--id", name], prog_name="windrow node")


def _end_with_supervisor() -> None:
    """Nodes that nobody looks after would be in the way of the next ones."""
    supervisor = multiprocessing.parent_process()
    assert supervisor is not None
    supervisor.join()
    os.kill(os.getpid(), signal.SIGTERM)
