"""The command line, one module for each command.

`windrow run`, `explain` and `state` are about jobs; `tune`, `plan` and `simulate` need no Spark.
"""

import sys
from typing import Any

__all__ = ["main"]

_BAD_INPUT = 2

try:
    from windrow.cli.commands import main
except ModuleNotFoundError as missing:
    if (missing.name or "windrow").startswith("windrow"):
        raise
    _missing = missing.name

    def main(**options: Any) -> None:  # type: ignore[misc]
        """Say what is not installed."""
        sys.stderr.write(f"windrow: {_missing} is not installed; pip install 'windrow[cli]'\n")
        sys.exit(_BAD_INPUT)
