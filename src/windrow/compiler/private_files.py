"""Folders and files that are the user's own: nobody else can have put there what is read.

What is read is judged by the open file, not by its name: between a question about a name and the
opening, another file may come to stand there.
"""

import os
import stat
from functools import cache
from pathlib import Path

__all__ = ["ForeignFileError", "make_folder", "open_own", "require_own_folder"]

# On Windows a user's folders are the user's own by inheritance, and there are no such owners.
_HAS_OWNERS = hasattr(os, "geteuid")


class ForeignFileError(OSError):
    """A folder or file that others own, may write or may replace; the message says which."""


def make_folder(path: Path) -> None:
    """Create a folder for the user alone, and those above it that are missing."""
    if not path.parent.exists():
        make_folder(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)


def require_own_folder(path: Path) -> None:
    """Refuse a folder that is not the user's own, or that others may write or replace."""
    if not _HAS_OWNERS:
        return
    _require_own(os.lstat(path), path)
    # By all its names: others may replace neither what leads there nor what that leads to.
    absolute = Path(os.path.abspath(path))
    for above in {*absolute.parents, *absolute.resolve().parents}:
        _require_safe(above)


def open_own(path: Path, flags: int) -> int:
    """A regular file opened, unless it is not the user's own or others may write it."""
    # Should another have put a pipe there, opening it must not wait for whoever fills it.
    careful = (
        getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    )
    file = os.open(path, flags | careful, 0o600)
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            raise ForeignFileError(f"{path} is not a regular file")
        if _HAS_OWNERS:
            _require_own(found, path)
    except ForeignFileError:
        os.close(file)
        raise
    return file


def _require_own(found: os.stat_result, path: Path) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise ForeignFileError(f"{path} is a symbolic link")
    if found.st_uid != os.geteuid():
        raise ForeignFileError(f"{path} belongs to another user (uid {found.st_uid})")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise ForeignFileError(f"others may write {path} (mode {stat.S_IMODE(found.st_mode):o})")


def _require_safe(above: Path) -> None:
    """Refuse a folder in which others may replace what belongs to the user."""
    for found in (os.lstat(above), os.stat(above)):
        if found.st_uid not in (0, os.geteuid()):
            raise ForeignFileError(f"{above} belongs to another user (uid {found.st_uid})")
    sticky = found.st_mode & stat.S_ISVTX  # as of /tmp: only owners replace what is theirs
    by_group = found.st_mode & stat.S_IWGRP and found.st_gid != _group_of_one()
    if not sticky and (by_group or found.st_mode & stat.S_IWOTH):
        raise ForeignFileError(f"others may write {above} (mode {stat.S_IMODE(found.st_mode):o})")


@cache
def _group_of_one() -> int | None:
    """The group that many systems give each user, whose folders it may write by default."""
    import grp
    import pwd

    try:
        user = pwd.getpwuid(os.geteuid())
        group = grp.getgrgid(user.pw_gid)
    except KeyError:  # a container may run as a number without a name
        return None
    alone = group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}
    return group.gr_gid if alone and group.gr_gid != 0 else None
