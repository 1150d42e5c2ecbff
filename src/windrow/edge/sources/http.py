"""Rows by HTTP POST, answered when they are safe.

POST /                            any path
Content-Type: application/json    JSON lines, or an array of objects; what is left out is this
              application/vnd.apache.arrow.stream
Content-Encoding: gzip            if it is
Windrow-Source: till-3            these two let a request that is sent again count once: batches
Windrow-Batch: 17                 of a source are numbered upwards, and sent one after another

200  {"rows": 5, "rejected": 0}   the rows are safe
400, 411, 413, 415                what is wrong; sending it again is of no use
401                               the token is missing
503  Retry-After: 1               the leaf is full, or stops: send it again
"""

import hmac
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from windrow.edge.leaf import Batch
from windrow.edge.sources.inlet import Inlet
from windrow.edge.sources.rows import MOST_BYTES, Parsed, arrow_rows, json_rows, unzipped
from windrow.errors import InputError

__all__ = ["HttpSource"]

_ARROW = "application/vnd.apache.arrow.stream"
_JSON = frozenset(
    {
        "",
        "application/json",
        "application/x-ndjson",
        "application/jsonl",
        "text/plain",
        "application/x-www-form-urlencoded",
    }  # the last is what curl says by itself
)
_MOST_AT_ONCE = 128  # connections
_PATIENCE_S = 30  # with a client that is silent
_LONGEST_NAME = 200
_LARGEST = 2**63


class HttpSource:
    """A server for POST."""

    def __init__(
        self, listen: str, most_bytes: int = MOST_BYTES, token_file: str | Path | None = None
    ) -> None:
        host, _, port = listen.rpartition(":")
        self.token = None if token_file is None else Path(token_file).read_text().strip()
        self.most_bytes = most_bytes
        self._server = _Server((host.strip("[]"), int(port)), self)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.1,), name="http", daemon=True
        )

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._server.server_address[1])

    def start(self, inlet: Inlet) -> None:
        """Begin to take requests."""
        inlet.opened()
        self._server.inlet = inlet
        self._thread.start()

    def close(self) -> None:
        """Take no more."""
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256
    inlet: Inlet

    def __init__(self, address: tuple[str, int], source: HttpSource) -> None:
        self.source = source
        self._free = threading.BoundedSemaphore(_MOST_AT_ONCE)
        try:
            super().__init__(address, _Handler)
        except OSError as error:
            raise InputError(
                f"http={address[0]}:{address[1]}: {error.strerror or error}; give a free port"
            ) from None

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._free.acquire(blocking=False):
            self.inlet.rejects.counts["connections too many"] += 1
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        self.inlet.rejects.counts["broken connections"] += 1


class _Refused(Exception):  # noqa: N818
    """What is wrong with a request."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _PATIENCE_S
    disable_nagle_algorithm = True
    server: _Server

    def do_POST(self) -> None:
        inlet = self.server.inlet
        source = self.headers.get("Windrow-Source", "http")[:_LONGEST_NAME]
        try:
            number = self._number()
            content = self._content()
            parsed = self._parsed(content)
        except _Refused as refused:
            inlet.rejects.refuse(source, str(refused))
            self.close_connection = True  # what follows may be the rest of the body
            self._answer(refused.code, {"error": str(refused)})
            return
        has_news = parsed.table.num_rows or number is not None
        if has_news and not inlet.offer(Batch(source, parsed.table, number)):
            self._answer(503, {"error": "the leaf is full; send it again"}, retry=True)
            return
        inlet.rejects.add(source, parsed.rejected)
        self._answer(200, {"rows": parsed.table.num_rows, "rejected": len(parsed.rejected)})

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Requests are counted, not logged."""

    def _number(self) -> int | None:
        token = self.server.source.token
        given = self.headers.get("Authorization", "").removeprefix("Bearer ").encode()
        if token is not None and not hmac.compare_digest(given, token.encode()):
            raise _Refused(401, "Authorization: Bearer … is missing or wrong")
        text = self.headers.get("Windrow-Batch")
        if text is None:
            return None
        if not (text.isascii() and text.isdecimal() and len(text) < 20 and int(text) < _LARGEST):
            raise _Refused(400, f"Windrow-Batch: {text[:30]!r} is no number from 0 on")
        if "Windrow-Source" not in self.headers:
            raise _Refused(400, "Windrow-Batch counts the batches of a Windrow-Source; name it")
        return int(text)

    def _content(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdecimal()):
            raise _Refused(411, "Content-Length is missing")
        most = self.server.source.most_bytes
        if len(length) > 15 or int(length) > most:
            raise _Refused(413, f"more than {most:,} bytes; send fewer rows at once")
        content = self.rfile.read(int(length))
        if len(content) < int(length):
            raise _Refused(400, "the request ends too early")
        coding = self.headers.get("Content-Encoding", "identity")
        if coding == "identity":
            return content
        if coding != "gzip":
            raise _Refused(415, f"Content-Encoding: {coding[:30]!r} is neither gzip nor identity")
        try:
            return unzipped(content, most)
        except InputError as error:
            raise _Refused(413 if "more than" in str(error) else 400, str(error)) from None

    def _parsed(self, content: bytes) -> Parsed:
        kind = self.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        schema = self.server.inlet.schema
        try:
            if kind == _ARROW:
                return arrow_rows(content, schema, self.server.source.most_bytes)
            if kind in _JSON:
                return json_rows(content, schema)
        except InputError as error:
            raise _Refused(400, str(error)) from None
        raise _Refused(415, f"Content-Type: {kind[:50]!r} is none of JSON and {_ARROW}")

    def _answer(self, code: int, what: dict[str, Any], *, retry: bool = False) -> None:
        content = json.dumps(what).encode() + b"\n"
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        if retry:
            self.send_header("Retry-After", "1")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)
