"""Runs in a Python worker before windrow does, and reports what the worker lacks.

The functions of this module are shipped by value, not by name, and need only Python itself, so a
worker without windrow can run them.  Run as a program, it reports on its own interpreter.
"""

import importlib.util
import json
import pickle
import platform
import sys

__all__ = ["opened", "packages"]


def packages(wanted: tuple[str, ...] = ("windrow", "pyarrow", "numpy", "numba", "pandas")) -> str:
    """As JSON: which Python this is, and which packages it does not find."""
    missing = [name for name in wanted if importlib.util.find_spec(name) is None]
    return json.dumps(
        {"python": sys.executable, "version": platform.python_version(), "missing": missing}
    )


def opened(content: bytes, advice: str) -> object:
    """The work that was sent, or an error that names the packages this worker lacks."""
    found = json.loads(packages())
    if found["missing"]:
        raise ModuleNotFoundError(
            f"windrow: a Python worker of Spark runs {found['python']} (Python {found['version']})"
            f", which has no {' and no '.join(found['missing'])}; {advice}"
        )
    return pickle.loads(content)


if __name__ == "__main__":
    sys.stdout.write(packages())
