"""A stream whose driver or Python is killed goes on from its checkpoint as if nothing were."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from tests.spark.killed_stream import LARGE, SMALL, Asked, started, written
from windrow.testing import check_rows, expected

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent
NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)


def late_now_and_then(file: int) -> list[float]:
    """A few rows of each file, some of them late by less than is too late."""
    return [7 * file + late for late in (0, -3, 2, 2)]


def many(file: int) -> list[float]:
    """Some thousand rows of each file."""
    return [7 * file + k / 300 for k in range(2_000)]


def write_rows(folder: Path, seconds_of: Callable[[int], list[float]]) -> list[dict[str, Any]]:
    """Twelve files of rows; the last moves the watermark past all others."""
    for name in ("rows", "results"):
        (folder / name).mkdir()
    rows = []
    for file in range(12):
        seconds = seconds_of(file) if file < 11 else [10_000.0]
        new = [
            {"k": "ab"[place % 2], "t": NOON + timedelta(seconds=s), "v": 10 * file + place}
            for place, s in enumerate(seconds)
        ]
        lines = [json.dumps(row, default=datetime.isoformat) for row in new]
        path = folder / "rows" / f"{file:04}.json"
        path.write_text("\n".join(lines))
        os.utime(path, (path.stat().st_atime, NOON.timestamp() + file))  # read in this order
        rows += new
    return rows


def run_until_batch(batch: int, folder: Path, *asked: str, pause_s: float = 0) -> None:
    """Stream in another process, and kill it while it works on what follows this batch."""
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.spark.killed_stream", str(folder), *asked],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert child.stdout is not None
    try:
        for line in child.stdout:
            if line.strip() == str(batch):
                break
        else:
            pytest.fail(f"the stream ended before batch {batch}")
        time.sleep(pause_s)
    finally:
        os.killpg(child.pid, signal.SIGKILL)  # its JVM as well
        child.wait()
        child.stdout.close()


def run_to_the_end(spark: SparkSession, folder: Path, asked: Asked) -> None:
    stream = started(spark, folder, asked)
    try:
        stream.processAllAvailable()
    finally:
        stream.stop()


def test_a_killed_driver_loses_and_doubles_nothing(spark: SparkSession, tmp_path: Path) -> None:
    rows = write_rows(tmp_path, late_now_and_then)
    run_until_batch(4, tmp_path)
    run_to_the_end(spark, tmp_path, SMALL)
    over, aggregates = SMALL
    wanted = expected(rows[:-1], time="t", by="k", window=over, aggregates=aggregates)
    check_rows(written(tmp_path), wanted)


def test_a_large_window_survives_kills_at_any_moment(spark: SparkSession, tmp_path: Path) -> None:
    rows = write_rows(tmp_path, many)
    moments = random.Random(7)
    for batch in (3, 6, 8):
        run_until_batch(batch, tmp_path, "large", pause_s=moments.uniform(0, 1.5))
    run_to_the_end(spark, tmp_path, LARGE)
    check_rows(written(tmp_path), rolled(rows[:-1], 6_000))


def test_a_large_window_survives_the_death_of_its_python_workers(
    spark: SparkSession, tmp_path: Path
) -> None:
    rows = write_rows(tmp_path, many)
    moments = random.Random(11)
    failures, done = 0, False
    while failures < 3 and not done:
        stream = started(spark, tmp_path, LARGE)
        ended = threading.Event()
        killer = threading.Thread(target=kill_workers, args=[ended, moments.uniform(0.5, 2)])
        killer.start()
        try:
            stream.processAllAvailable()
            done = True
        except StreamingQueryException:  # of a task whose worker is gone
            failures += 1
        finally:
            ended.set()
            killer.join()
            stream.stop()
    assert failures
    run_to_the_end(spark, tmp_path, LARGE)
    check_rows(written(tmp_path), rolled(rows[:-1], 6_000))


def kill_workers(ended: threading.Event, after_s: float) -> None:
    """Kill all Python workers that are there, again and again, until one of them is missed."""
    while not ended.wait(after_s):
        workers = python_workers()
        for worker in workers:
            with suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
        # Spark passes over idle workers that are gone, but not over those that are still dying.
        deadline = time.monotonic() + 20
        while any(Path(f"/proc/{worker}").exists() for worker in workers):
            assert time.monotonic() < deadline
            time.sleep(0.001)


def python_workers() -> list[int]:
    """The processes that Spark's daemons, below this process, have forked."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # some end meanwhile
            parents[int(status.parent.name)] = int(status.read_text().rpartition(")")[2].split()[1])
    return [
        process
        for process, parent in parents.items()
        if is_daemon(parent) and os.getpid() in ancestors(process, parents)
    ]


def is_daemon(process: int) -> bool:
    """Whether it is what Spark forks Python workers from, or one of these.

    The JVM has the name among its arguments too, as part of a setting: what it has started, as the
    daemon, must live, or Spark finds the daemon's streams closed in whatever it does next.
    """
    try:
        arguments = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
        return b"tests.spark.daemon" in arguments
    except OSError:
        return False


def ancestors(process: int, parents: dict[int, int]) -> list[int]:
    """Its parent, its parent's, and so on."""
    found = []
    while process in parents:
        process = parents[process]
        found.append(process)
    return found


def rolled(rows: list[dict[str, Any]], size: int) -> list[dict[str, Any]]:
    """The last rows of each key up to each row, by running sums."""
    wanted = []
    for key in ("a", "b"):
        own = sorted((row for row in rows if row["k"] == key), key=lambda row: row["t"])
        sums = np.concatenate([[0], np.cumsum([row["v"] for row in own])])
        for place, row in enumerate(own):
            first = max(place + 1 - size, 0)
            total = int(sums[place + 1] - sums[first])
            wanted.append({"k": key, "t": row["t"], "n": place + 1 - first, "sum": total})
    return wanted
