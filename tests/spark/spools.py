"""Spools of small trees: real cores of leaves and a landing, whose log grows on a real disk."""

import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.edge.simulated import Faults, Simulation
from windrow.wire.log import Log
from windrow.wire.messages import Asking, decode

BEGIN = datetime(2024, 7, 1, tzinfo=UTC)
_SCHEMA = pa.schema(
    [
        ("ts", pa.timestamp("us", tz="UTC")),
        ("sensor", pa.string()),
        ("line", pa.int32()),
        ("temp", pa.float64()),
        ("stop", pa.bool_()),
        ("leaf", pa.string()),
    ]
)
_COLUMNS = "ts timestamp, sensor string, line int, temp double, stop boolean, leaf string"

Row = dict[str, Any]


def job(windows: str, aggregates: str, *, by: str = "[sensor, line]", more: str = "") -> str:
    """A job of nodes over the columns of the rows here."""
    return f"""
source: {{format: json, path: in, schema: "{_COLUMNS}"}}
time: ts
by: {by}
lateness: 2 seconds
windows: {windows}
aggregates: {aggregates}
sink: {{format: console}}
{more}
"""


class Spool:
    """What a landing has written, put on a disk record by record."""

    def __init__(self, folder: Path, jobs: Sequence[str], seed: int = 1) -> None:
        self.folder = folder
        self.rows, arrivals = _drawn(seed)
        simulation = Simulation({"root": ["a", "m"], "m": ["b", "c"]}, jobs, arrivals, Faults(), 1)
        simulation.run()
        self._records = [record for _, record in simulation.disks["root"].records()]
        self._log = Log(folder, file_bytes=1_000)

    @property
    def left(self) -> int:
        """How many records have not been written yet."""
        return len(self._records)

    def write(self, count: int | None = None) -> None:
        """Write so many records, or all that are left."""
        for record in self._records[:count]:
            self._log.append(record)
        del self._records[: len(self._records) if count is None else count]
        self._log.sync()

    def close(self) -> None:
        self._log.close()

    def forget(self) -> None:
        """Drop all but the newest records, and say again what is asked."""
        asked = [r for _, r in self._log.records() if isinstance(decode(r), Asking)]
        self._log.drop_before(self._log.end)
        for record in asked:
            self._log.append(record)
        self._log.sync()


def _drawn(seed: int) -> tuple[list[Row], Mapping[str, list[tuple[int, pa.Table]]]]:
    """Rows of three leaves; no two of a key have one time, and one row comes far too late."""
    chance = random.Random(seed)
    rows: list[Row] = []
    arrivals: dict[str, list[tuple[int, pa.Table]]] = {}
    for number, leaf in enumerate("abc"):
        at = 0
        batches: list[tuple[int, pa.Table]] = []
        for _ in range(14):
            at += chance.randint(200_000, 4_000_000)
            batch = []
            for _ in range(chance.randint(1, 5)):
                us = (at - chance.randint(0, 1_000_000)) // 10 * 10 + number
                batch.append(
                    {
                        "ts": BEGIN + timedelta(microseconds=us),
                        "sensor": chance.choice(["p", "q", "ä", None]),
                        "line": chance.choice([1, None]),
                        "temp": chance.choice([None, 1.5, 2.25, 0.75, -0.5]),
                        "stop": chance.random() < 0.2,
                        "leaf": leaf,
                    }
                )
            rows += batch
            late = [dict(batch[0], ts=BEGIN)] if leaf == "a" and len(batches) == 13 else []
            batches.append((at, pa.Table.from_pylist([*batch, *late], schema=_SCHEMA)))
        arrivals[leaf] = batches
    return rows, arrivals
