"""A stream whose driver is killed in the middle goes on from its checkpoint as if nothing were."""

import json
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.spark.killed_driver import AGGREGATES, WINDOW, started, written
from windrow.testing import check_rows, expected

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.slow]

ROOT = Path(__file__).parent.parent.parent
NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)


def write_rows(folder: Path) -> list[dict[str, Any]]:
    """Twelve files of rows; the last moves the watermark past all others."""
    for name in ("rows", "results"):
        (folder / name).mkdir()
    rows = []
    for file in range(12):
        seconds = [7 * file + late for late in (0, -3, 2, 2)] if file < 11 else [10_000]
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


def run_until_batch(batch: int, folder: Path) -> None:
    """Stream in another process, and kill it while it works on what follows this batch."""
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.spark.killed_driver", str(folder)],
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
    finally:
        os.killpg(child.pid, signal.SIGKILL)  # its JVM as well
        child.wait()
        child.stdout.close()


def test_a_killed_driver_loses_and_doubles_nothing(spark: SparkSession, tmp_path: Path) -> None:
    rows = write_rows(tmp_path)
    run_until_batch(4, tmp_path)
    stream = started(spark, tmp_path)
    try:
        stream.processAllAvailable()
    finally:
        stream.stop()
    wanted = expected(rows[:-1], time="t", by="k", window=WINDOW, aggregates=AGGREGATES)
    check_rows(written(tmp_path), wanted)
