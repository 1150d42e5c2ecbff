"""Rows from a broker of MQTT, acknowledged when they are safe.

A message holds a row, several lines of rows, or an array of them, as JSON.  The broker keeps what
is not acknowledged, and sends it again: a crash doubles what was safe but not yet acknowledged,
unless messages have the user properties `windrow-source` and `windrow-batch`, as requests by HTTP
have headers.
"""

import threading
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import paho.mqtt.client as mqtt
import pyarrow as pa
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

from windrow.edge.leaf import Batch
from windrow.edge.sources.inlet import Inlet
from windrow.edge.sources.rows import json_rows
from windrow.errors import InputError

__all__ = ["MqttSource"]

_MOST_WAITING = 10_000  # messages that are not acknowledged
_AT_ONCE = 1_000
_MOST_BYTES = 1 << 20  # of a message
_KEPT_S = 7 * 24 * 3_600  # how long a broker keeps messages for a leaf that is away
_KEEPALIVE_S = 15
_LOOK_S = 0.2


class MqttSource:
    """A client of a broker with a session that survives restarts."""

    def __init__(
        self,
        broker: str,
        topics: tuple[str, ...],
        client: str,
        topic_column: str | None = None,
        user: str | None = None,
        password_file: Path | None = None,
        ca: Path | None = None,
    ) -> None:
        host, _, port = broker.rpartition(":")
        self._address = host.strip("[]"), int(port)
        self._topics, self._topic_column = topics, topic_column
        self._messages: SimpleQueue[mqtt.MQTTMessage] = SimpleQueue()
        self._client = mqtt.Client(
            CallbackAPIVersion.VERSION2,
            client_id=client,
            protocol=mqtt.MQTTv5,
            manual_ack=True,
        )
        if user is not None:
            password = None if password_file is None else password_file.read_text().strip()
            self._client.username_pw_set(user, password)
        if ca is not None:
            self._client.tls_set(str(ca))
        self._client.on_connect = self._subscribe
        self._client.on_disconnect = self._forget
        self._client.on_message = lambda _client, _data, message: self._messages.put(message)
        self._connection = 0  # acknowledgements belong to the connection that a message came by
        self._inlet: Inlet | None = None

    def start(self, inlet: Inlet) -> None:
        """Begin to take messages."""
        inlet.opened()
        self._inlet = inlet
        connecting = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        connecting.SessionExpiryInterval = _KEPT_S
        connecting.ReceiveMaximum = _MOST_WAITING
        connecting.MaximumPacketSize = _MOST_BYTES
        self._client.reconnect_delay_set(1, 5)
        host, port = self._address
        self._client.connect_async(
            host, port, _KEEPALIVE_S, clean_start=False, properties=connecting
        )
        self._client.loop_start()
        threading.Thread(target=self._hand_over, args=(inlet,), name="mqtt", daemon=True).start()

    def close(self) -> None:
        """Take no more."""
        self._client.disconnect()
        self._client.loop_stop()

    def _subscribe(self, client: mqtt.Client, *_: Any) -> None:
        client.subscribe([(topic, SubscribeOptions(qos=1)) for topic in self._topics])

    def _forget(self, *_: Any) -> None:
        """Messages that wait come again."""
        self._connection += 1

    def _hand_over(self, inlet: Inlet) -> None:
        while not inlet.stopping.is_set():
            try:
                messages = [self._messages.get(timeout=_LOOK_S)]
            except Empty:
                continue
            connection = self._connection
            while len(messages) < _AT_ONCE and not self._messages.empty():
                messages.append(self._messages.get())
            if not all(inlet.insist(batch) for batch in self._batches(inlet, messages)):
                return
            for message in messages:
                if connection == self._connection and message.qos:
                    self._client.ack(message.mid, message.qos)

    def _batches(self, inlet: Inlet, messages: list[mqtt.MQTTMessage]) -> list[Batch]:
        """The rows of messages, together where these have no numbers."""
        batches: list[Batch] = []
        plain: dict[str, list[bytes]] = {}
        for message in messages:
            numbered = _numbered(message)
            if numbered is None:
                plain.setdefault(message.topic, []).append(bytes(message.payload).strip())
            else:
                source, number = numbered
                rows = self._rows(inlet, message.topic, bytes(message.payload))
                batches.append(Batch(source, rows, number))
        for topic, payloads in plain.items():
            lines = [one for one in payloads if not one.startswith(b"[")]
            parts = [b"\n".join(lines), *(one for one in payloads if one.startswith(b"["))]
            tables = [self._rows(inlet, topic, part) for part in parts if part]
            if tables and any(table.num_rows for table in tables):
                batches.append(Batch("mqtt", pa.concat_tables(tables)))
        return batches

    def _rows(self, inlet: Inlet, topic: str, payload: bytes) -> pa.Table:
        schema = inlet.schema
        try:
            parsed = json_rows(payload, schema)
        except InputError as error:
            inlet.rejects.refuse(f"mqtt {topic}", str(error))
            return schema.empty_table()
        inlet.rejects.add(f"mqtt {topic}", parsed.rejected)
        table = parsed.table
        if self._topic_column in schema.names:
            at = schema.get_field_index(self._topic_column)
            table = table.set_column(at, schema.field(at), pa.array([topic] * len(table)))
        return table


def _numbered(message: mqtt.MQTTMessage) -> tuple[str, int] | None:
    """The source and the number that a message names."""
    given = dict(getattr(message.properties, "UserProperty", ()))
    source, number = given.get("windrow-source"), given.get("windrow-batch", "")
    if source and number.isascii() and number.isdecimal() and len(number) < 19:
        return source, int(number)
    return None
