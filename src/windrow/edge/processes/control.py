"""Questions and orders from the same machine: JSON over a socket in the node's folder.

    {"do": "status"}                 how the node and those below it fare
    {"do": "ask", "text": "…"}       a landing: compute the query of this job from now on
    {"do": "drop", "query": "…"}     a landing: compute it no longer
    {"do": "stop"}

Who may open the folder may ask; the folder is its owner's alone.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import zmq

from windrow.errors import StoreUnreachableError, WindrowError

__all__ = ["Control", "ordered"]

_LONGEST_PATH = 100  # bytes, which sockets of Unix have for their names
_MOST_BYTES = 1 << 20


class Control:
    """A node's side."""

    def __init__(self, folder: Path) -> None:
        path = folder / "control"
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.sockets: list[zmq.Socket[bytes]] = []
        if len(str(path).encode()) <= _LONGEST_PATH:
            socket = self._context.socket(zmq.ROUTER)
            socket.linger = 0
            socket.maxmsgsize = _MOST_BYTES
            path.unlink(missing_ok=True)
            socket.bind(f"ipc://{path}")
            self.sockets.append(socket)

    def answer(self, orders: Mapping[str, Callable[..., Any]]) -> None:
        """Do what was asked."""
        for socket in self.sockets:
            while socket.poll(0):
                route, *_, content = socket.recv_multipart()
                answer = _answer(content, orders)
                socket.send_multipart([route, b"", json.dumps(answer).encode()], zmq.NOBLOCK)

    def close(self) -> None:
        """Let go of the socket."""
        for socket in self.sockets:
            socket.close()
        self._context.term()


def ordered(folder: Path, do: str, *, seconds: float = 5.0, **how: Any) -> Any:
    """Ask the node of a folder, from another process."""
    with zmq.Context() as context, context.socket(zmq.REQ) as socket:
        socket.linger = 0
        socket.connect(f"ipc://{folder / 'control'}")
        socket.send(json.dumps({"do": do, **how}).encode())
        if not socket.poll(int(1_000 * seconds)):
            raise StoreUnreachableError(
                f"folder={str(folder)!r}: no node answers there; start it, or give its folder"
            )
        answer = json.loads(socket.recv())
    if "error" in answer:
        raise WindrowError(answer["error"])
    return answer["done"]


def _answer(content: bytes, orders: Mapping[str, Callable[..., Any]]) -> dict[str, Any]:
    try:
        order = json.loads(content)
        do = order.pop("do")
        if do not in orders:
            return {"error": f"do={do!r} is unknown here; ask for one of {', '.join(orders)}"}
        return {"done": orders[do](**order)}
    except WindrowError as error:
        return {"error": str(error)}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        return {"error": f'{content[:80]!r} is no order ({error}); send {{"do": "status"}}'}
