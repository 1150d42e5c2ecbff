"""What one process compiled, the next one finds on disk; what is broken there is rebuilt."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.xdist_group("disk cache"), pytest.mark.compiles]

# Prints what it computes, and how often it compiled.
EVERYTHING = """
import warnings
import numpy as np
from numba.core import event
from windrow import agg, monoid, roll, window
from windrow.structures.compiled_amta import CompiledAmta

compiled = event.RecordingListener()
event.register("numba:compile", compiled)
warnings.simplefilter("ignore")

factor = 3.0
scaled = agg.of(monoid(lift=lambda x: factor * x, combine=lambda a, b: a + b, identity=0))
slow = agg.of(monoid(lift=lambda x: float(str(int(x))), combine=max, identity=0.0))
last = window.policy(keep=lambda w: w.total <= 4 * factor, using={"total": scaled})
values, by, times = np.array([1.0, 2.0, 3.0, 4.0]), [1, 2, 1, 2], [3, 1, 2, 0]
print(roll(values, {"scaled": scaled, "slow": slow}, window.trailing(rows=2), by=by))
print(roll(values, agg.max(), window.trailing("2 us"), times=times, order=window.Order.TIME))
print(roll(values, agg.first(), last))
kept = CompiledAmta(agg.max())
kept.extend([3.0, 1.0])
kept.evict()
print(kept.query())
print(len(compiled.buffer) // 2)
"""

ONE = """
import sys
import numpy as np
from windrow import agg, monoid, roll, window

factor = float(sys.argv[1])
scaled = agg.of(monoid(lift=lambda x: factor * x, combine=lambda a, b: a + b, identity=0.0))
print(roll(np.array([1.0, 2.0]), scaled, window.trailing(rows=2)).tolist())
"""


def start(script: str, cache: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        env={**os.environ, "WINDROW_CACHE_DIR": str(cache), "WINDROW_COMPILE": "always"},
        stdout=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> str:
    printed, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    return printed


def run(script: str, cache: Path, *arguments: str) -> str:
    return finish(start(script, cache, *arguments))


def contents(cache: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in cache.iterdir()}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A cache that one process filled, and what that process printed."""
    cache = tmp_path_factory.mktemp("cache")
    return cache, run(EVERYTHING, cache)


def test_the_next_process_compiles_nothing(filled: tuple[Path, str]) -> None:
    cache, first = filled
    *results, compilations = first.splitlines()
    assert int(compilations) > 0
    before = contents(cache)
    assert run(EVERYTHING, cache).splitlines() == [*results, "0"]
    assert contents(cache) == before


@pytest.mark.slow
def test_broken_files_are_ignored_and_rebuilt(tmp_path: Path) -> None:
    expected = run(ONE, tmp_path, "3")
    intact = contents(tmp_path)
    assert {Path(name).suffix for name in intact} == {".kernel", ".shape"}
    for number, (name, content) in enumerate(intact.items()):
        cut, flipped = content[: len(content) // 2], bytes([content[-1] ^ 1])
        (tmp_path / name).write_bytes(cut if number % 2 else content[:-1] + flipped)
    assert run(ONE, tmp_path, "3") == expected
    assert contents(tmp_path).keys() == intact.keys()
    assert run(ONE, tmp_path, "3") == expected


def test_kernels_of_modules_that_are_gone_are_compiled_anew(tmp_path: Path) -> None:
    """As another release leaves them, which had the same code in another place."""
    expected = run(ONE, tmp_path, "3")
    for path in tmp_path.glob("*.kernel"):
        content = path.read_bytes()[32:]  # behind the checksum
        moved = content.replace(b"windrow.kernels.trailing", b"windrow.kernels.elsewher")
        path.write_bytes(hashlib.sha256(moved).digest() + moved)
    left = contents(tmp_path)
    assert run(ONE, tmp_path, "3") == expected
    assert contents(tmp_path) != left


def test_a_folder_that_cannot_be_written_only_costs_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    assert run(ONE, tmp_path / "file" / "cache", "3") == "[3.0, 9.0]\n"


@pytest.mark.slow
def test_processes_at_once_do_not_mix_kernels_up(tmp_path: Path) -> None:
    factors = ("2", "3")
    for _ in range(2):  # first while both fill the folder, then from the folder
        processes = [start(ONE, tmp_path, factor) for factor in factors]
        assert [finish(p) for p in processes] == ["[2.0, 6.0]\n", "[3.0, 9.0]\n"]
    assert len(contents(tmp_path)) == 4
