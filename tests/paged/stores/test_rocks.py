"""RocksStore: one process at a time, whole batches whatever happens to it, and little memory."""

import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from rocksdict import Options, Rdict

from tests.paged.stores.writing_process import COPIES, KEPT
from windrow.errors import DamagedPageError, StoreBusyError, StoreError
from windrow.paged.stores import Key, RocksStore

KB = 1 << 10
MB = 1 << 20


def writing(path: Path) -> "subprocess.Popen[str]":
    """A process that has opened the store, and writes."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.paged.stores.writing_process", str(path)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    return process


def size_on_disk(path: Path) -> int:
    return sum(file.stat().st_size for file in path.iterdir())


def test_a_second_process_is_told_who_has_the_store(tmp_path: Path) -> None:
    process = writing(tmp_path / "pages")
    try:
        with pytest.raises(StoreBusyError) as refused:
            RocksStore(tmp_path / "pages")
    finally:
        process.kill()
        process.communicate()
    assert f"pages' is open already, by process {process.pid} on " in str(refused.value)
    assert "close it or end its process" in str(refused.value)


def test_a_second_store_in_one_process_is_refused_too(tmp_path: Path) -> None:
    with RocksStore(tmp_path) as store, store.open("w") as stored_window:
        with pytest.raises(StoreBusyError, match=r"is open already, by process .*share that"):
            RocksStore(tmp_path)
        stored_window.put_many({Key("x", 0): b"kept"})
    with RocksStore(tmp_path) as store, store.open("w") as stored_window:
        assert stored_window.get_many([Key("x", 0)]) == [b"kept"]


@pytest.mark.parametrize("written", [1, 40, 400])
def test_a_killed_process_leaves_whole_batches(tmp_path: Path, written: int) -> None:
    process = writing(tmp_path)
    assert process.stdout is not None
    done = [int(process.stdout.readline()) for _ in range(written)]
    process.kill()  # in the middle of whatever it is doing
    rest, _ = process.communicate()
    done += map(int, rest.split()[:-1])  # the last line may be torn
    with RocksStore(tmp_path) as store, store.open("w") as stored_window:
        found = stored_window.get_many(
            [Key(space, copy) for space in "ab" for copy in range(COPIES)]
        )
        assert len(set(found)) == 1
        assert found[0] is not None
        last = int(found[0].rstrip(b"."))
        assert last >= done[-1]
        numbers = range(COPIES * (last + 2))
        log = stored_window.get_many([Key("log", number) for number in numbers])
        assert [number for number in numbers if log[number] is not None] == [
            number for number in numbers if max(last - KEPT, KEPT - 1) < number // COPIES <= last
        ]
        stored_window.put_many({Key("a", 0): b"goes on"})


def test_synced_writes_are_kept(tmp_path: Path) -> None:
    with RocksStore(tmp_path, sync=True) as store:
        store.open("w").put_many({Key("x", 0): b"kept"})
    with RocksStore(tmp_path) as store:
        assert store.open("w").get_many([Key("x", 0)]) == [b"kept"]


def test_a_database_of_something_else_is_left_alone(tmp_path: Path) -> None:
    with Rdict(str(tmp_path), Options(raw_mode=True)) as other:
        other[b"key"] = b"value"
    with pytest.raises(StoreError, match=r"did not make .*; give the path of an empty folder"):
        RocksStore(tmp_path)
    with Rdict(str(tmp_path), Options(raw_mode=True)) as other:
        assert list(other.items()) == [(b"key", b"value")]


def test_a_path_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(StoreError, match=r"path=.*file'.*; see that it is a folder"):
        RocksStore(file)


def test_a_damaged_page_is_reported_not_returned(tmp_path: Path) -> None:
    keys = [Key("x", number) for number in range(64)]
    with RocksStore(tmp_path) as store:
        store.open("w").put_many(dict.fromkeys(keys, Random(7).randbytes(16 * KB)))
    (table,) = tmp_path.glob("*.sst")
    content = bytearray(table.read_bytes())
    content[len(content) // 2] ^= 1
    table.write_bytes(content)
    with RocksStore(tmp_path) as store:
        stored_window = store.open("w")
        with pytest.raises(DamagedPageError, match=r"path=.* holds damaged files .*restore"):
            stored_window.get_many(keys)


def test_deleting_a_window_gives_its_disk_space_back(tmp_path: Path) -> None:
    page = bytes(range(256)) * 64
    with RocksStore(tmp_path) as store:
        with store.open("small") as stored_window:
            stored_window.put_many({Key("x", 0): page})
        with store.open("large") as stored_window:
            for start in range(0, 4_000, 50):
                stored_window.put_many(
                    {
                        Key("x", number): number.to_bytes(8, "big") * 2 * KB
                        for number in range(start, start + 50)
                    }
                )
        store.delete("large")
        with store.open("small") as stored_window:
            assert stored_window.get_many([Key("x", 0)]) == [page]
    assert size_on_disk(tmp_path) < 1 * MB


SLIDING = """
import os, resource, sys
from windrow.paged.stores import Batch, Key, RocksStore, Span

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

pages, size, window = 12_800, 32 << 10, int(sys.argv[2])
with RocksStore(sys.argv[1]) as store, store.open("w") as stored_window:
    before = resident()
    highest = before
    for n in range(pages):
        gone = [Span("x", n - window, n - window + 1)] if n >= window else []
        stored_window.write(Batch({Key("x", n): os.urandom(size)}, gone))
        stored_window.get_many([Key("x", max(n - window + 1, 0)), Key("x", n // 2), Key("x", n)])
        highest = max(highest, resident())
    assert stored_window.get_many([Key("x", n)])[0] is not None
print(highest - before)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("window", "disk"), [(12_800, 450 * MB), (1_000, 150 * MB)])
def test_400_mb_of_pages_take_little_memory_and_no_more_disk_than_they_need(
    tmp_path: Path, window: int, disk: int
) -> None:
    command = [sys.executable, "-c", SLIDING, str(tmp_path), str(window)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert int(done.stdout) < 64 * MB
    assert size_on_disk(tmp_path) < disk


def log_of_a_crash(folder: Path) -> Path:
    """A copy of a store as it lies there while it is open, and its log of what was written last."""
    with RocksStore(folder / "pages") as store, store.open("w") as stored_window:
        for number in range(20):
            stored_window.put_many({Key("x", number): Random(number).randbytes(300)})
        shutil.copytree(folder / "pages", folder / "copy")
    (log,) = (file for file in (folder / "copy").glob("*.log") if file.stat().st_size)
    return log


def test_a_log_that_breaks_off_is_read_so_far(tmp_path: Path) -> None:
    log = log_of_a_crash(tmp_path)
    log.write_bytes(log.read_bytes()[:-100])
    with RocksStore(log.parent) as store, store.open("w") as stored_window:
        values = stored_window.get_many([Key("x", number) for number in range(20)])
    assert [value is not None for value in values] == [True] * 19 + [False]


@pytest.mark.parametrize("place", [0.02, 0.5, 0.98])
def test_a_damaged_log_is_told_of(tmp_path: Path, place: float) -> None:
    log = log_of_a_crash(tmp_path)
    content = bytearray(log.read_bytes())
    content[int(place * len(content))] ^= 1
    log.write_bytes(content)
    with pytest.raises(DamagedPageError, match="holds damaged files"):
        RocksStore(log.parent)
