"""On a cluster of several processes, where nothing is shared with the driver."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent


def test_a_batch_and_a_stream_agree_on_a_cluster_of_two_workers() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.spark.elsewhere", "master local-cluster[2,1,2048]"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split("\n") == ["batch agrees", "stream agrees", ""], done.stderr[-4000:]
