"""What survives a process: small files in one cache folder, each written whole or not at all.

Compiled code runs as it is found, so folder and files must be the user's own: those that others
own or may write to are refused (private_files.py), and a private folder is used instead.
"""

import hashlib
import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from time import monotonic, sleep

from windrow.compiler.private_files import (
    ForeignFileError,
    make_folder,
    open_own,
    require_own_folder,
)
from windrow.compiler.user_warnings import level_of_the_user
from windrow.errors import CacheWarning

__all__ = ["cache_folder", "exists", "has_any", "load", "locked", "remove", "save"]

_CHECKSUM_BYTES = hashlib.sha256().digest_size

# What is made under a lock takes seconds, on a busy machine a minute.
_PATIENCE_S = 90.0
_PAUSE_S = 0.05


def cache_folder() -> Path:
    """Where compiled code is kept: `WINDROW_CACHE_DIR`, or the user's own cache folder."""
    named = os.environ.get("WINDROW_CACHE_DIR")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    return Path(base) / "windrow"


def has_any(group: str) -> bool:
    """Whether anything was saved for a group of keys."""
    with suppress(OSError):
        return next(_own_folder().glob(f"{_hashed(group)[:16]}-*"), None) is not None
    return False


def exists(key: str, ending: str) -> bool:
    """Whether something was saved under this key, intact or not; makes no folder."""
    return cache_folder().is_dir() and _path(key, ending).exists()


def load(key: str, ending: str, group: str = "") -> bytes | None:
    """What was saved under this key, if anything was and it is intact."""
    with suppress(OSError):
        with os.fdopen(open_own(_path(key, ending, group), os.O_RDONLY), "rb") as file:
            checksum, content = file.read(_CHECKSUM_BYTES), file.read()
        if hashlib.sha256(content).digest() == checksum:
            return content
    return None


def save(key: str, ending: str, content: bytes, group: str = "") -> None:
    """Keep content under a key; where nothing can be written, the next process only loses time."""
    with suppress(OSError):
        path = _path(key, ending, group)
        # Written aside and renamed: another process sees the whole file or none.
        handle, aside = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(content).digest() + content)
            Path(aside).replace(path)
        except OSError:  # a full disk, say
            Path(aside).unlink()


def remove(key: str, ending: str) -> bool:
    """Remove what was saved under a key; whether there was anything."""
    if not exists(key, ending):
        return False
    _path(key, ending).unlink()
    return True


@contextmanager
def locked(key: str) -> Iterator[None]:
    """Alone with a key among all processes of the user, or after a long wait without that.

    Who waited finds what the one before has saved.  A lock ends with the process that holds it.
    """
    with ExitStack() as held:
        with suppress(OSError, ImportError):
            path = _path(key, "lock")
            lock = open_own(path, os.O_RDWR | os.O_CREAT)
            held.callback(os.close, lock)
            if _waited_for(lock):
                held.callback(_remove, path)
        yield


def _remove(lock: Path) -> None:
    """Leave no lock behind; whoever has it open goes on with it, and finds what was saved."""
    with suppress(OSError):
        lock.unlink()


def _waited_for(lock: int) -> bool:
    import fcntl  # not on Windows

    give_up = monotonic() + _PATIENCE_S
    while monotonic() < give_up:
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        sleep(_PAUSE_S)
    return False


def _path(key: str, ending: str, group: str = "") -> Path:
    return _own_folder() / f"{_hashed(group)[:16]}-{_hashed(key)}.{ending}"


def _hashed(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def _own_folder() -> Path:
    """The cache folder if it is the user's own, else a private one, with a warning."""
    folder = cache_folder()
    make_folder(folder)
    try:
        require_own_folder(folder)
    except ForeignFileError as problem:
        return _instead_of(folder, str(problem))
    return folder


@cache
def _instead_of(folder: Path, problem: str) -> Path:
    private = _private_folder()
    warnings.warn(
        f"the kernel cache {folder} is not used, since code that others put there would run: "
        f"{problem}; {private} is used instead. Let WINDROW_CACHE_DIR name a folder that is yours "
        "and that only you may write (chmod 700), in folders that others cannot change",
        CacheWarning,
        stacklevel=level_of_the_user(),
    )
    return private


def _private_folder() -> Path:
    """One for all processes of the user, or where another has taken its name, for this one."""
    temporary = Path(tempfile.gettempdir())
    if hasattr(os, "geteuid"):
        shared = temporary / f"windrow-{os.geteuid()}"
        with suppress(OSError):
            make_folder(shared)
            require_own_folder(shared)
            return shared
    return Path(tempfile.mkdtemp(prefix="windrow-"))
