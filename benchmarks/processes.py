"""A process and all that it started, as the system tells of them: it needs to have /proc."""

import os
from pathlib import Path

__all__ = ["PROC", "cpu_seconds", "tree"]

PROC = Path("/proc")

# Places of what /proc/<pid>/stat says behind the name; times are its own, and those of children
# that have ended.
_PARENT = 1
_TIMES = (11, 12, 13, 14)


def tree(root: int) -> list[list[str]] | None:
    """What is said of each of them, behind its name; None where the system does not tell."""
    if not (PROC / "self" / "stat").exists():
        return None
    children: dict[int, list[int]] = {}
    told: dict[int, list[str]] = {}
    for folder in PROC.glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        children.setdefault(int(stat[_PARENT]), []).append(int(folder.name))
        told[int(folder.name)] = stat
    found, waiting = [], [root]
    while waiting:
        process = waiting.pop()
        if process in told:
            found.append(told[process])
        waiting += children.get(process, [])
    return found


def cpu_seconds(root: int) -> float:
    """The time that all of them have kept cores busy, in the system too; 0 if it is not told."""
    ticks = sum(int(stat[place]) for stat in tree(root) or () for place in _TIMES)
    return ticks / os.sysconf("SC_CLK_TCK")
