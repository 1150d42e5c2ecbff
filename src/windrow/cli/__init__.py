"""The command line, one file or folder for each command.

`commands.py` lists the commands; `run.py` (`run` by `batch.py` or `stream.py`, and `explain`),
`state.py` and `calibrate/` work with Spark, `plan/`, `simulate/` and `tune/` without.  Job files
are read by `windrow.jobs`; `query.py` makes a query of one.  Shared: `options.py`, `quantities.py`,
`traces.py` read what is given, `session.py` opens Spark, `progress.py` and `tally.py` show
progress, `report.py`, `results.py`, `figures.py` and `drawing.py` say what came out, `failures.py`
what went wrong.
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
