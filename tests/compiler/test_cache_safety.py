"""The kernel cache runs what it finds, so it takes only what is the user's own.

Run by root, the tests also give folders and files to another user; others only set modes.
"""

import hashlib
import os
import pickle
import re
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from windrow.compiler import cache as disk
from windrow.compiler.private_files import ForeignFileError, open_own
from windrow.errors import CacheWarning

STRANGER = 12345
is_root = os.geteuid() == 0


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Folders of our own in place of the user's, and nobody warned yet."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(tmp_path / "cache"))
    disk._instead_of.cache_clear()
    yield temporary
    disk._instead_of.cache_clear()


def kept() -> bytes | None:
    """What comes back of what was saved."""
    disk.save("key", "kernel", b"code")
    return disk.load("key", "kernel")


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_folders_and_files_are_made_for_the_user_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "new" / "cache"
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(folder))
    before = os.umask(0)
    try:
        assert kept() == b"code"
    finally:
        os.umask(before)
    assert mode_of(folder) == mode_of(folder.parent) == 0o700
    assert [mode_of(file) for file in folder.iterdir()] == [0o600]


def give_away(path: Path) -> None:
    os.chown(path, STRANGER, STRANGER)


def let_group_write(path: Path) -> None:
    path.chmod(0o770)


def let_others_write(path: Path) -> None:
    path.chmod(0o777)


def give_away_what_it_lies_in(path: Path) -> None:
    os.chown(path.parent, STRANGER, STRANGER)


def let_others_replace_it(path: Path) -> None:
    path.parent.chmod(0o777)


def be_a_link(path: Path) -> None:
    elsewhere = path.parent / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


by_mode = [let_group_write, let_others_write, let_others_replace_it, be_a_link]
by_owner = [give_away, give_away_what_it_lies_in] if is_root else []


@pytest.mark.parametrize("spoil", by_mode + by_owner)
def test_a_folder_of_others_is_refused_for_a_private_one(
    tmp_path: Path,
    temporary: Path,
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[Path], None],
) -> None:
    folder = tmp_path / "above" / "cache"
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(folder))
    disk.save("key", "kernel", b"crafted")
    spoil(folder)
    with pytest.warns(CacheWarning, match=r"cache .*/cache is not used.*chmod 700"):
        assert disk.load("key", "kernel") is None
    assert kept() == b"code"  # and the user is not told again
    (private,) = temporary.iterdir()
    assert private.name == f"windrow-{os.geteuid()}"  # the same for all processes of the user
    assert mode_of(private) == 0o700
    assert len(list(private.iterdir())) == 1


def test_folders_that_only_owners_can_change_may_lie_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)  # as /tmp
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(shared / "cache"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kept() == b"code"
    assert list(shared.iterdir()) == [shared / "cache"]


def test_where_the_private_folder_is_taken_a_process_makes_its_own(
    tmp_path: Path, temporary: Path
) -> None:
    taken = temporary / f"windrow-{os.geteuid()}"
    taken.mkdir()
    taken.chmod(0o777)
    disk.cache_folder().mkdir(mode=0o777)
    disk.cache_folder().chmod(0o777)
    with pytest.warns(CacheWarning, match="is used instead"):
        assert kept() == b"code"
    (own,) = set(temporary.iterdir()) - {taken}
    assert mode_of(own) == 0o700
    assert not list(taken.iterdir())


def the_file() -> Path:
    assert kept() == b"code"
    (file,) = disk.cache_folder().iterdir()
    return file


def be_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize(
    "spoil",
    [let_group_write, let_others_write, be_a_pipe, be_a_link, *([give_away] if is_root else [])],
)
def test_a_file_of_others_is_not_read_and_gives_way(spoil: Callable[[Path], None]) -> None:
    file = the_file()
    spoil(file)
    assert disk.load("key", "kernel") is None
    assert kept() == b"code"
    assert mode_of(file) == 0o600
    assert not file.is_symlink()


def test_what_is_judged_is_the_open_file_and_not_its_name(tmp_path: Path) -> None:
    """A file and a bad one change places all the time: a bad one is never opened."""
    good, bad, name = tmp_path / "good", tmp_path / "bad", tmp_path / "name"
    for path in (good, bad):
        path.write_text(path.name)
    bad.chmod(0o666)
    good.chmod(0o600)
    os.link(good, name)
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            for target in (bad, good):
                os.link(target, tmp_path / "next")
                os.replace(tmp_path / "next", name)
                (tmp_path / "next").unlink(missing_ok=True)

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        seen = set()
        for _ in range(2_000):
            try:
                with os.fdopen(open_own(name, os.O_RDONLY), "r") as file:
                    seen.add(file.read())
            except ForeignFileError:
                continue
    finally:
        stop.set()
        swapping.join()
    assert seen <= {"good"}


class _Crafted:
    """What creates a file as soon as it is unpickled."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self._file,)


ROLL = """
import numpy as np
from windrow import agg, roll, window
print(roll(np.array([1.0, 2.0]), agg.sum(), window.trailing(rows=2)).tolist())
"""


@pytest.mark.compiles
@pytest.mark.parametrize("is_safe", [True, False])
def test_crafted_code_in_a_folder_that_others_may_write_does_not_run(
    tmp_path: Path, is_safe: bool
) -> None:
    """The control: in a folder of the user's own the same file does run."""
    cache, proof = tmp_path / "cache", tmp_path / "proof"
    environment = {
        **os.environ,
        "WINDROW_CACHE_DIR": str(cache),
        "WINDROW_COMPILE": "always",
        "TMPDIR": str(tmp_path / "temporary"),
    }

    def run() -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-c", ROLL], env=environment, capture_output=True, text=True
        )

    assert run().stdout == "[1.0, 3.0]\n"
    crafted = pickle.dumps(_Crafted(proof))
    for kernel in cache.glob("*.kernel"):
        kernel.write_bytes(hashlib.sha256(crafted).digest() + crafted)
    if is_safe:
        run()
        assert proof.exists()
    else:
        cache.chmod(0o777)
        done = run()
        assert done.stdout == "[1.0, 3.0]\n"
        assert len(re.findall("CacheWarning", done.stderr)) == 1
        assert done.stderr.startswith("<string>:4: CacheWarning")  # the user's own line
        assert not proof.exists()
