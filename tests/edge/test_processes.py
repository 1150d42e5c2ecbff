"""Trees of real processes: rows by HTTP and MQTT, kills, wrong keys and junk."""

import gzip
import io
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
import pyarrow as pa
import pyarrow.parquet
import pytest
import zmq
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from tests.edge.running import (
    RunningTree,
    as_lines,
    free_port,
    post,
    post_until_taken,
    running_broker,
    running_tree,
    until,
)
from windrow import agg, window
from windrow.edge.keys import read_keys
from windrow.edge.processes.control import ordered
from windrow.testing import check_rows, expected
from windrow.wire.messages import Hello, encode

pytestmark = pytest.mark.trees

BEGIN = datetime(2024, 7, 1, tzinfo=UTC)
LAST = datetime(2024, 7, 2, tzinfo=UTC)
Rows = Sequence[Mapping[str, Any]]


def batches(leaf: int, count: int = 8) -> list[list[dict[str, Any]]]:
    """Rows of a leaf in batches, and at last one that lets all windows end."""
    chance = random.Random(leaf)
    time, out = BEGIN, []
    for _ in range(count):
        rows = []
        for _ in range(chance.randint(1, 20)):
            time += timedelta(milliseconds=chance.randint(1, 900))
            sensor = chance.choice(["p", "q", None])
            rows.append(
                {"ts": time, "sensor": sensor, "temp": chance.choice([None, 0.1, 0.7, 2.5])}
            )
        out.append(rows)
    return [*out, [{"ts": LAST, "sensor": "end", "temp": 0.0}]]


def wanted(given: Sequence[Rows]) -> list[dict[str, Any]]:
    """Results of all windows that end before the last rows."""
    rows = [dict(row) for batch in given for row in batch]
    found = expected(
        rows,
        time="ts",
        by=["sensor"],
        window=window.hopping("10 s", every="4 s"),
        aggregates={
            "peak": agg.max("temp"),
            "mean": agg.mean("temp"),
            "middle": agg.median("temp"),
            "n": agg.count(),
        },
    )
    return [row for row in found if row["sensor"] != "end"]


def found_by(tree: RunningTree) -> list[dict[str, Any]]:
    rows = tree.rows()
    for row in rows:
        for end, time in row["window"].items():
            row["window"][end] = datetime.fromisoformat(time)
    return rows


def nodes(leaves: Mapping[str, Any]) -> dict[str, Any]:
    """A root, a merger, and leaves with their sources."""
    top, middle = (f"tcp://127.0.0.1:{free_port()}" for _ in range(2))
    return {
        "hq": {"role": "root", "listen": top, "results": "out"},
        "hall": {"role": "merger", "parent": "hq", "listen": middle},
        **{
            name: {"role": "leaf", "parent": "hall", "sources": [source]}
            for name, source in leaves.items()
        },
    }


def publish(port: int, given: Sequence[Rows]) -> None:
    """Publish batches as messages with numbers."""
    client = mqtt.Client(CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
    client.connect("127.0.0.1", port)
    client.loop_start()
    for number, rows in enumerate(given):
        named = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        named.UserProperty = [("windrow-source", "m"), ("windrow-batch", str(number))]
        client.publish("plant/1", as_lines(rows), qos=1, properties=named).wait_for_publish()
    client.disconnect()
    client.loop_stop()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunningTree, int]]:
    """A tree without faults; its leaves read HTTP and MQTT."""
    folder = tmp_path_factory.mktemp("tree")
    web = free_port()
    with running_broker(folder) as broker:
        sources = {
            "a": {"http": f"127.0.0.1:{web}"},
            "b": {"mqtt": {"broker": f"127.0.0.1:{broker}", "topics": ["plant/#"]}},
        }
        with running_tree(folder, nodes(sources), pace={"live": False}) as tree:
            for number, rows in enumerate(batches(1)):
                post_until_taken(web, "x", number, rows)
            until(lambda: (tree.status("b") or {}).get("role"))
            publish(broker, batches(2))
            until(lambda: len(tree.rows()) >= len(wanted([*batches(1), *batches(2)])))
            yield tree, web


def test_rows_by_http_and_mqtt_give_what_a_batch_of_all_gives(
    undisturbed: tuple[RunningTree, int],
) -> None:
    check_rows(found_by(undisturbed[0]), wanted([*batches(1), *batches(2)]))


def test_a_request_that_is_sent_again_counts_once(undisturbed: tuple[RunningTree, int]) -> None:
    tree, web = undisturbed
    before = tree.content()
    post_until_taken(web, "x", 0, batches(1)[0])
    until(lambda: tree.counted("a", "duplicate batches"))
    assert tree.content() == before


def test_requests_that_say_nothing_are_refused_with_the_reason(
    undisturbed: tuple[RunningTree, int],
) -> None:
    tree, web = undisturbed
    bomb = gzip.compress(bytes(100 << 20))
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, pa.schema([("temp", pa.string())])) as writer:
        writer.write_table(pa.table({"temp": ["warm"]}))
    arrow = {"Content-Type": "application/vnd.apache.arrow.stream"}
    refused = [
        (b"[" * 100_000, {}, 400, "no JSON"),
        (b"x", {"Content-Type": "image/png"}, 415, "image/png"),
        (b"x", arrow, 400, "no Arrow stream"),
        (sink.getvalue(), arrow, 400, "give values of that type"),
        (b"no gzip", {"Content-Encoding": "gzip"}, 400, "no gzip"),
        (bomb, {"Content-Encoding": "gzip"}, 413, "when decompressed"),
        (b"x", {"Content-Length": "99999999999"}, 413, "more than"),
        (b"{}", {"Windrow-Batch": "-1", "Windrow-Source": "x"}, 400, "no number"),
        (b"{}", {"Windrow-Batch": "1"}, 400, "name it"),
    ]
    for content, headers, code, reason in refused:
        answer = post(web, content, headers)
        assert (answer[0], reason in answer[1]["error"]) == (code, True), answer
    mixed = b'null\n{"temp": "warm"}\n{"temp": 1, "temp": 2}\n\xff\n'
    assert post(web, mixed) == (200, {"rows": 0, "rejected": 4})
    kept = (tree.folder / "state" / "a" / "rejected.jsonl").read_text().splitlines()
    assert len(kept) == len(refused) + 4


def test_strangers_and_junk_leave_a_node_alive(undisturbed: tuple[RunningTree, int]) -> None:
    tree, web = undisturbed
    keys = read_keys(tree.folder / "keys", "b", ["a", "b", "hq", "hall"])
    address = nodes_of(tree)["hq"]["listen"]
    public, secret = zmq.curve_keypair()
    with zmq.Context() as context:
        for own in ((public, secret), (keys.public, keys.secret), None):
            socket = context.socket(zmq.DEALER)
            socket.linger = 0
            if own is not None:
                socket.curve_publickey, socket.curve_secretkey = own
                socket.curve_serverkey = keys.public_of("hq")
            socket.connect(address)
            for content in (b"", b"junk", encode(Hello(1))[:-1], encode(Hello(1)), bytes(1 << 20)):
                socket.send(content)
            if own == (keys.public, keys.secret):
                socket.send_multipart([b"a", encode(Hello(7))])  # it says that it is another
            until(partial(counted_for, tree, own, keys.public))
            socket.close()
    assert tree.counted("hq", "messages of strangers")  # `b` is no child of the root's
    rows = tree.content()
    post_until_taken(web, "y", 0, [{"ts": LAST, "sensor": "end", "temp": 1.0}])
    assert tree.content() == rows
    assert all(process.poll() is None for process in tree.processes.values())


def counted_for(tree: RunningTree, own: Any, known: bytes) -> bool:
    """Whether the root has counted what a connection said, or refused it."""
    if own is None:
        return True
    if own[0] == known:
        return bool(tree.counted("hq", "unreadable messages"))
    return bool(tree.counted("hq", "connections refused"))


def nodes_of(tree: RunningTree) -> Any:
    return json.loads((tree.folder / "tree.yaml").read_text())["nodes"]


def test_the_root_knows_how_all_nodes_fare(undisturbed: tuple[RunningTree, int]) -> None:
    tree, _ = undisturbed
    until(lambda: set(ordered(tree.folder / "state/hq", "status")) == {"hq", "hall", "a", "b"})


def test_nodes_that_are_killed_in_turn_change_nothing(
    tmp_path: Path, undisturbed: tuple[RunningTree, int]
) -> None:
    ports = {"a": free_port(), "b": free_port()}
    sources = {name: {"http": f"127.0.0.1:{port}"} for name, port in ports.items()}
    victims = ["a", "hall", "hq", "b", "hall", "hq", "a", "b"]
    with running_tree(tmp_path, nodes(sources), pace={"live": False}) as tree:
        for number, (left, right) in enumerate(zip(batches(1), batches(2), strict=True)):
            post_until_taken(ports["a"], "x", number, left)
            post_until_taken(ports["b"], "x", number, right)
            if number < len(victims):
                tree.kill(victims[number])
                tree.start(victims[number])
        until(lambda: tree.content() == undisturbed[0].content())
    assert set(tree.stop().values()) <= {0, -9}


def test_a_leaf_whose_files_have_all_been_read_ends(tmp_path: Path) -> None:
    incoming = tmp_path / "incoming"
    incoming.mkdir()
    given = batches(1, 40)
    rows = [row for batch in given for row in batch]
    (incoming / "1.jsonl").write_bytes(
        as_lines(rows[:100]) + b"not a row\n" + as_lines(rows[100:150])
    )
    table = pa.Table.from_pylist(
        rows[150:],
        pa.schema(
            [("ts", pa.timestamp("us", "UTC")), ("sensor", pa.string()), ("temp", pa.float64())]
        ),
    )
    pa.parquet.write_table(table, incoming / "2.parquet")
    address = f"tcp://127.0.0.1:{free_port()}"
    tree_nodes = {
        "hq": {"role": "root", "listen": address, "results": "out"},
        "a": {
            "role": "leaf",
            "parent": "hq",
            "sources": [{"files": {"folder": "incoming", "once": True}}],
        },
    }
    with running_tree(tmp_path, tree_nodes, pace={"live": False}) as tree:
        assert tree.processes["a"].wait(60) == 0
        until(lambda: len(tree.rows()) >= len(wanted(given)))  # what is safe is soon a result
        found = [row for row in found_by(tree) if row["sensor"] != "end"]
        check_rows(found, wanted(given))
        tree.start("a")
        assert tree.processes["a"].wait(60) == 0
        assert [row for row in found_by(tree) if row["sensor"] != "end"] == found
