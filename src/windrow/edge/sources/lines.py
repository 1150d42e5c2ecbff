"""JSON lines from standard input; what was read when a leaf crashed is for its writer to repeat."""

import os
import select
import sys
import threading

from windrow.edge.leaf import Batch
from windrow.edge.sources.inlet import Inlet
from windrow.edge.sources.rows import json_rows

__all__ = ["LinesSource"]

_AT_ONCE = 1 << 20
_LONGEST = 16 << 20  # bytes of a line
_LOOK_S = 0.2


class LinesSource:
    """Standard input, or another file that can be waited for."""

    def __init__(self, handle: int | None = None) -> None:
        self._handle = sys.stdin.fileno() if handle is None else handle

    def start(self, inlet: Inlet) -> None:
        """Begin to hand over rows."""
        inlet.opened()
        threading.Thread(target=self._read, args=(inlet,), name="stdin", daemon=True).start()

    def close(self) -> None:
        """The thread looks now and then whether the leaf stops."""

    def _read(self, inlet: Inlet) -> None:
        left = b""
        while not inlet.stopping.is_set():
            if not select.select([self._handle], [], [], _LOOK_S)[0]:
                continue
            content = os.read(self._handle, _AT_ONCE)
            whole, _, rest = (left + content).rpartition(b"\n")
            if not content:  # the end
                whole, rest = left, b""
            left = rest
            if len(left) > _LONGEST:
                inlet.rejects.refuse("stdin", f"a line of more than {_LONGEST:,} bytes")
                left = b""
            if whole.strip() and not self._hand_over(inlet, whole):
                return
            if not content:
                inlet.ended()
                return

    def _hand_over(self, inlet: Inlet, content: bytes) -> bool:
        parsed = json_rows(content, inlet.schema)
        inlet.rejects.add("stdin", parsed.rejected)
        return not parsed.table.num_rows or inlet.insist(Batch("stdin", parsed.table))
