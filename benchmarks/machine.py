"""What a figure depends on besides the code: the machine and the versions of everything."""

import os
import platform
from importlib.metadata import version
from typing import Any

__all__ = ["facts"]

_PACKAGES = (
    *("windrow", "numpy", "numba", "llvmlite", "pyarrow"),
    *("pandas", "bottleneck", "polars", "river"),
)


def facts() -> dict[str, Any]:
    """Facts that matter and name no machine."""
    return {
        "system": platform.system(),
        "processor": platform.machine(),
        "cpus": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),  # before the run: how quiet the machine was
        "python": platform.python_version(),
        **{package: version(package) for package in _PACKAGES},
    }
