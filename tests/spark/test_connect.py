"""Behind Spark Connect, where there is no JVM to reach into and no RDD."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent


def test_a_batch_and_a_stream_agree_over_connect() -> None:
    pytest.importorskip("grpc", reason="Spark Connect needs the extra `connect`")
    done = subprocess.run(
        [sys.executable, "-m", "tests.spark.elsewhere", "connect local[2]"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split("\n") == ["batch agrees", "stream agrees", ""], done.stderr[-4000:]
