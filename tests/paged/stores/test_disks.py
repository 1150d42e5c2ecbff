"""Disks that are full, folders that may not be written: errors of ours that say what to do."""

import subprocess
import sys
from pathlib import Path

import pytest

from windrow import agg
from windrow.errors import DamagedPageError, StoreError
from windrow.paged import PagedAmta
from windrow.paged.stores import Key, RocksStore
from windrow.paged.stores.rocksdb.database import NEXT_KEY, Database, window_key


def test_a_full_disk_is_told_at_the_next_operation_and_nothing_more_is_taken(
    tmp_path: Path,
) -> None:
    """In the thread that writes, too; what was taken before is there when there is room again."""
    command = [sys.executable, "-m", "tests.paged.stores.full_process", str(tmp_path / "pages")]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert not done.stderr
    taken, *told = done.stdout.splitlines()
    assert len(told) >= 4
    for message in told:
        assert str(tmp_path / "pages") in message
        assert "; make room on that disk" in message or "; see that its disk works" in message
    assert "; make room on that disk, or for larger files, then close the store" in told[0]
    with (
        RocksStore(tmp_path / "pages") as store,
        PagedAmta(agg.collect(), store, "w", page=8) as window,
    ):
        assert int(taken) - 16 <= window.inserted <= int(taken)


REFUSED = """
import os, sys
from windrow.errors import StoreError
from windrow.paged.stores import RocksStore
if not os.getuid():
    os.setuid(65534)
try:
    RocksStore(sys.argv[1])
except StoreError as error:
    print(error)
"""


@pytest.mark.parametrize("folder", ["", "inner"])
def test_a_folder_that_may_not_be_written_is_told_of(tmp_path: Path, folder: str) -> None:
    (tmp_path / "theirs").mkdir(mode=0o555)
    command = [sys.executable, "-c", REFUSED, str(tmp_path / "theirs" / folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "RocksDB failed" in done.stdout
    assert "; see that this user may write there, or give another path" in done.stdout


def test_a_path_through_a_file_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "inner", Path("/dev/full")):
        with pytest.raises(StoreError, match="; see that it is a folder, or can be made one"):
            RocksStore(path)


@pytest.mark.parametrize("value", [None, b"", b"123456789"])
@pytest.mark.parametrize("key", [NEXT_KEY, window_key("w")])
def test_a_database_that_lost_where_windows_lie_says_so(
    tmp_path: Path, key: bytes, value: bytes | None
) -> None:
    with RocksStore(tmp_path) as store, store.open("w") as stored_window:
        stored_window.put_many({Key("x", 0): b"kept"})
    database = Database(tmp_path, sync=False)
    if value is None:
        database._db.delete(key)
    else:
        database._db[key] = value
    database.close()
    name = "new" if key == NEXT_KEY else "w"
    with RocksStore(tmp_path) as store:
        if value is None and key != NEXT_KEY:
            assert store.open(name).get_many([Key("x", 0)]) == [None]  # nobody knows whose it was
            return
        with pytest.raises(DamagedPageError, match=r"has lost where .*restore the folder"):
            store.open(name)
