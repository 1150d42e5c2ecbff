"""Killed at any moment, a window on disk goes on as some prefix of its updates had left it."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.paged.sliding_process import BATCH, PAGE, WIDTH
from windrow import agg
from windrow.errors import StoreBusyError
from windrow.paged import PagedAmta
from windrow.paged.stores import RocksStore

pytestmark = pytest.mark.xdist_group("paged")


def killed_after(seconds: float, folder: Path) -> int:
    """Where the process went on before it was killed."""
    command = [sys.executable, "-m", "tests.paged.sliding_process", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        resumed = int(process.stdout.readline())
        time.sleep(seconds)
        process.kill()
    return resumed


def test_a_killed_process_leaves_a_prefix_and_the_next_goes_on_from_it(tmp_path: Path) -> None:
    reached = 0
    for seconds in (0.05, 0.21, 0.4):
        assert killed_after(seconds, tmp_path / "pages") == reached
        with RocksStore(tmp_path / "pages") as store:
            window = PagedAmta(agg.sum(), store, "w", page=PAGE)
            assert window.inserted >= reached
            reached = window.inserted
            # Evictions follow each batch: before they do, a window is a batch longer.
            least = max(reached - WIDTH - BATCH, 0)
            assert least <= window.evicted <= max(reached - WIDTH, 0)
            held = range(window.evicted, reached)
            assert window.query() == (float(sum(held)) if held else None)
    assert reached > 2 * WIDTH


def test_a_window_is_open_once(tmp_path: Path) -> None:
    with RocksStore(tmp_path / "pages") as store:
        window = PagedAmta(agg.sum(), store, "w")
        with pytest.raises(StoreBusyError, match="'w' is open already"):
            PagedAmta(agg.sum(), store, "w")
        window.close()
        PagedAmta(agg.sum(), store, "w").close()
