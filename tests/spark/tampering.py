"""The state of a bucket of keys in memory, for whoever wants to change what is in it.

    python -m tests.spark.tampering COUNT SEED

damages it in many ways and lets streams go on with it, in a process of its own: a crash would end
it.  Prints how often streams went on, were refused, and failed otherwise.
"""

import random
import struct
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from windrow import agg, window
from windrow.algebra.aggregate import Aggregate
from windrow.approximate.chosen import methods_for
from windrow.columnar.narrowed import narrowed
from windrow.columnar.packs import open_bundle, pack_bundle
from windrow.columnar.result_types import result_type
from windrow.engines.definition import Definition
from windrow.engines.flow import Flow
from windrow.errors import WindrowError
from windrow.spark.analysis.clock import LateBy
from windrow.spark.state.values import from_value, to_value
from windrow.spark.stream.processor import KeyGroupProcessor
from windrow.spark.transport.hashed import HASH_KEY
from windrow.spark.transport.shipped import Shipped
from windrow.windows import Emit, Order, Window

START, SECOND = 1_700_000_000_000_000, 1_000_000
SCHEMA = pa.schema(
    [
        pa.field("k0", pa.int32(), nullable=False),
        pa.field("t", pa.int64(), nullable=False),
        pa.field("n", pa.int64(), nullable=False),
        ("v0", pa.float64()),
    ]
)


class Handle:
    """What Spark gives a stateful processor, in memory."""

    def __init__(self) -> None:
        self.values: dict[str, dict[Any, Any]] = {}

    def getValueState(self, name: str, schema: Any) -> "_Value":
        return _Value(self.values.setdefault(name, {}))

    def getMapState(self, name: str, key: Any, value: Any) -> "_Map":
        return _Map(self.values.setdefault(name, {}))

    def registerTimer(self, at: int) -> None: ...

    def deleteTimer(self, at: int) -> None: ...


class _Value:
    def __init__(self, kept: dict[Any, Any]) -> None:
        self._kept = kept

    def get(self) -> Any:
        return self._kept.get(())

    def update(self, value: Any) -> None:
        self._kept[()] = value


class _Map:
    def __init__(self, kept: dict[Any, Any]) -> None:
        self._kept = kept

    def getValue(self, key: Any) -> Any:
        return self._kept.get(tuple(key))

    def containsKey(self, key: Any) -> bool:
        return tuple(key) in self._kept

    def updateValue(self, key: Any, value: Any) -> None:
        self._kept[tuple(key)] = value

    def removeKey(self, key: Any) -> None:
        self._kept.pop(tuple(key), None)


class _Times:
    def __init__(self, watermark_us: int) -> None:
        self._watermark_ms = watermark_us // 1000

    def getCurrentWatermarkInMs(self) -> int:
        return self._watermark_ms


class Stream:
    """A query over rows of `SCHEMA`, and its state."""

    def __init__(self, over: Window, aggregates: dict[str, Aggregate[Any]], **more: Any) -> None:
        read = [[SCHEMA.field(c).type for c in part.columns] for part in aggregates.values()]
        results = tuple(map(result_type, aggregates.values(), read))
        made = Definition((("", over),), tuple(aggregates.items()), SCHEMA, results, **more)
        self._flow: Shipped[Flow] = Shipped(Flow, made, Emit.ON_CLOSE)
        self.handle = Handle()
        kept = self._flow.get().engine.kept
        self.schemas = {name: own for name, own in kept.items() if HASH_KEY in own.names}

    def add(self, rows: pa.Table, watermark_us: int) -> list[Any]:
        """A micro-batch, after a start from what is kept."""
        processor = KeyGroupProcessor(self._flow, "a query", ("key",), LateBy.ITS_OWN, timers=True)
        processor.init(self.handle)  # type: ignore[arg-type]
        flow = self._flow.get()
        own = flow.engine.fold(rows) if flow.engine.folds_early else rows
        pack = b"".join(map(bytes, narrowed(own).pack(0, own.num_rows)))
        given = iter([pd.DataFrame({"low": [0], "pack": [pack]})])
        return list(processor.handleInputRows((0,), given, _Times(watermark_us)))

    def begin(self) -> None:
        """Have some rows in windows, and some that wait."""
        self.add(rows(40, START), START - SECOND)
        self.add(rows(10, START + 40 * SECOND), START + 30 * SECOND)

    def go_on(self) -> None:
        """Two more micro-batches, the second long after all windows."""
        self.add(rows(20, START + 50 * SECOND, 2), START + 45 * SECOND)
        self.add(rows(20, START + 9_000 * SECOND, 3), START + 8_000 * SECOND)

    def tamper(self, change: Callable[[dict[str, pa.Table]], dict[str, pa.Table]]) -> None:
        """Change the tables of all shards."""
        shards = self.handle.values["shards"]
        for key, (content,) in shards.items():
            shards[key] = to_value(
                pack_bundle(change(open_bundle(from_value(content), self.schemas)))
            )


def rows(count: int, first_us: int, seed: int = 1) -> pa.Table:
    """Rows of a few keys, a second apart."""
    drawn = np.random.default_rng(seed)
    times = first_us + SECOND * np.arange(count)
    values = pa.array(drawn.random(count), mask=drawn.random(count) < 0.1)
    keys = pa.array(drawn.integers(0, 3, count), pa.int32())
    return pa.table([keys, times, np.arange(count), values], schema=SCHEMA)


def states(table: pa.Table, content: bytes) -> pa.Table:
    """A table with this in place of every state that is bytes."""
    for place, field in enumerate(table.schema):
        if field.type == pa.binary():
            column = pa.array([content] * table.num_rows, pa.binary())
            table = table.set_column(place, field, column)
    return table


_BOTH = {"s": agg.sum("v0"), "c": agg.collect("v0")}


def streams() -> list[Stream]:
    """A stream for each engine, with state."""
    few, near = agg.sum("v0").within(absolute=2.0), window.trailing("40 s")
    kept = {"s": agg.sum("v0"), "q": agg.quantile_sketch(0.5, "v0"), "l": agg.last("v0")}
    made = [
        Stream(window.session("20 s"), _BOTH),
        Stream(window.hopping("1 min", every="20 s"), _BOTH),
        Stream(window.tumbling("10 min"), kept),
        Stream(near, _BOTH),
        Stream(window.trailing(rows=30), {"s": agg.max("v0")}),
        Stream(window.count(7, every=3), _BOTH),
        Stream(near, {"s": few}, methods=(methods_for(few),)),
        Stream(near, {"s": agg.max("v0")}, order=Order.ARRIVAL),
    ]
    for stream in made:
        stream.begin()
    return made


def _bytes_damaged(content: bytes, rng: random.Random) -> bytes:
    damaged = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 4])):
        at = rng.randrange(len(damaged))
        match rng.randrange(4):
            case 0:
                damaged[at] ^= 1 << rng.randrange(8)
            case 1:
                number = rng.choice([0, 1, 255, 1 << 16, (1 << 31) - 1, (1 << 32) - 1])
                damaged[at : at + 4] = struct.pack("<I", number)
            case 2:
                damaged[at : at + 8] = struct.pack("<q", rng.choice([-1, 1 << 40, 1 << 62]))
            case 3:
                del damaged[max(at, 1) :]
    return bytes(damaged)


def _numbers_damaged(tables: dict[str, pa.Table], rng: random.Random) -> dict[str, pa.Table]:
    """Tables that Arrow finds nothing wrong with, and windows do."""
    name = rng.choice([name for name, table in tables.items() if table.num_rows] or [*tables])
    table = tables[name]
    if not table.num_rows:
        return tables
    place = rng.randrange(table.num_columns)
    field, values = table.schema.field(place), table.column(place).to_pylist()
    row = rng.randrange(len(values))
    if pa.types.is_binary(field.type):
        old = values[row] or b"N"
        values[row] = _bytes_damaged(old, rng)
    elif pa.types.is_integer(field.type):
        most = (1 << 63) - 1 if field.type == pa.int64() else (1 << 31) - 1
        edge = rng.choice([0, -1, 1, most, -most - 1, most // 3, rng.randrange(1000)])
        values = [edge for _ in values] if rng.random() < 0.2 else values
        values[row] = edge
    elif pa.types.is_floating(field.type):
        values[row] = rng.choice([float("nan"), float("inf"), 1e308, -0.0, None])
    column = pa.array(values, field.type)
    return {**tables, name: table.set_column(place, field, column)}


def main(count: int, seed: int) -> None:
    rng = random.Random(seed)
    made = streams()
    kept = [{n: dict(v) for n, v in stream.handle.values.items()} for stream in made]
    found: Counter[str] = Counter()
    for _ in range(count):
        place = rng.randrange(len(made))
        stream = made[place]
        for name, values in stream.handle.values.items():
            values.clear()
            values.update(kept[place][name])
        try:
            _damage(stream, rng)
            stream.go_on()
            found["went on"] += 1
        except WindrowError:
            found["refused"] += 1
        except Exception as error:
            found[f"failed: {type(error).__name__} {str(error)[:70]}"] += 1
    sys.stdout.write("".join(f"{number} {what}\n" for what, number in found.most_common()))


def _damage(stream: Stream, rng: random.Random) -> None:
    kind = rng.randrange(3)
    if kind == 0:
        stream.tamper(lambda tables: _numbers_damaged(tables, rng))
        return
    name = rng.choice([name for name, values in stream.handle.values.items() if values])
    values = stream.handle.values[name]
    key = rng.choice(list(values))
    (content,) = values[key]
    if kind == 1 and name in ("shards", "waiting", "pages"):
        values[key] = to_value(_bytes_damaged(bytes(from_value(content)), rng))
    elif isinstance(content, str):
        values[key] = (_bytes_damaged(content.encode(), rng).decode("latin-1"),)
    else:
        values[key] = (_bytes_damaged(content, rng),)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
