"""On a cluster of several processes, where nothing is shared with the driver."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent
CLUSTER = "local-cluster[2,1,2048]"


def test_a_batch_and_a_stream_agree_on_a_cluster_of_two_workers() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.spark.elsewhere", f"master {CLUSTER}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split("\n") == ["batch agrees", "stream agrees", ""], done.stderr[-4000:]


@pytest.mark.parametrize("file", ["test_parallel.py", "test_ordered.py"])
def test_windows_are_spread_over_processes_with_the_same_results(file: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", f"tests/spark/{file}"],
        cwd=ROOT,
        env={**os.environ, "WINDROW_TEST_MASTER": CLUSTER, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert " passed" in done.stdout
