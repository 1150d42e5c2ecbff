"""A leaf inside a program of one's own."""

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
import zmq

from windrow.edge.carrier import Above
from windrow.edge.clock import Pace
from windrow.edge.keys import read_keys
from windrow.edge.leaf import Batch
from windrow.edge.processes.leaf import LeafProcess
from windrow.edge.query import read_node_query
from windrow.edge.sources.inlet import Inlet
from windrow.edge.sources.rows import conformed
from windrow.errors import InputError, StoreBusyError
from windrow.jobs.document import text_of

__all__ = ["OpenLeaf", "open_leaf"]


class OpenLeaf:
    """A leaf that runs in a thread of its own; any thread may insert rows."""

    def __init__(self, process: LeafProcess, context: "zmq.Context[zmq.Socket[bytes]]") -> None:
        self._process, self._context = process, context
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=process.name, daemon=True)
        self._thread.start()

    def insert(
        self,
        rows: pa.Table | Sequence[Mapping[str, Any]],
        *,
        source: str = "program",
        number: int | None = None,
    ) -> None:
        """Hand over rows, and return when they are safe.

        With numbers, which grow by batches of a source, a batch that is inserted again counts once.
        `StoreBusyError` says that the leaf is full: insert the same rows later.
        """
        inlet = self._process.inlet
        if not isinstance(rows, pa.Table):
            rows = _table(rows, inlet.schema)
        batch = Batch(source, conformed(rows, inlet.schema), number)
        if not self._thread.is_alive() or not inlet.offer(batch):
            if self._failure is not None:
                raise self._failure
            raise StoreBusyError(
                f"leaf={self._process.name!r} takes no rows: it is full, or has been closed; "
                "insert them again later"
            )

    def end(self) -> None:
        """Say that no more rows will come, and wait until all are safe at the root."""
        self._process.inlet.ended()
        self._thread.join()

    def close(self) -> None:
        """Stop; the leaf goes on from here when it is opened again."""
        self._process.stop()
        self._thread.join()

    def __enter__(self) -> "OpenLeaf":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _run(self) -> None:
        try:
            self._process.run()
        except BaseException as failure:  # which the program hears with its next rows
            self._failure = failure
        finally:
            self._context.term()


def open_leaf(
    job: str | Path,
    *,
    name: str,
    parent: str,
    folder: str | Path,
    keys: str | Path | None = None,
    parent_name: str = "",
    insecure: bool = False,
    live: bool = True,
) -> OpenLeaf:
    """A leaf for the rows of this program; `job` is a job file, or the text of one.

    It says its `name` to the `parent` at an address such as `tcp://10.0.0.2:7000`, and keeps in its
    `folder` what is not safe at the root.  With `keys`, the folder that `windrow tree keys` makes,
    the parent is named by `parent_name`.  `live=False` means that times of rows have nothing to do
    with the time of day.

        with open_leaf("hot.yaml", name="till-3", parent=…, folder="till-3") as leaf:
            leaf.insert([{"ts": datetime.now(UTC), "sensor": "a", "temp": 20.5}])
    """
    text = text_of(Path(job)) if isinstance(job, Path) or "\n" not in job else job
    read_node_query(text)
    own = None if keys is None else read_keys(Path(keys), name, [name, parent_name])
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    above = Above(context, name, parent, parent_name, own, insecure=insecure)
    process = LeafProcess(name, Path(folder), above, [_Program()], [text], Pace(live=live))
    return OpenLeaf(process, context)


def _table(rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """Rows of a program; columns that nobody asks for are left out."""
    try:
        return pa.Table.from_pylist([*rows], schema=schema)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise InputError(
            f"rows={type(rows).__name__} of {len(rows):,} do not fit {', '.join(schema.names)} "
            f"({error}); give values of the types of the job's source"
        ) from None


class _Program:
    """The program as a source, which ends when it says so."""

    def start(self, inlet: Inlet) -> None:
        inlet.opened()

    def close(self) -> None:
        """It has nothing of its own to close."""
