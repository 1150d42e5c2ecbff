"""Spark's Python workers: which Python they run, and whether it has what windrow needs.

On a local master workers run the driver's own Python, unless another is configured.  Before the
first query of a session that needs workers, their Python is checked once: on this machine by
starting it, elsewhere with a job of one row.  Work is shipped in a wrapper that reports what is
missing, in case another worker lacks something.
"""

import inspect
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JError
from pyspark import cloudpickle
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from windrow.errors import InputError, WorkerError
from windrow.spark.transport import worker_side
from windrow.spark.transport.garbage import spare_what_is_loaded
from windrow.spark.transport.packing import Work

__all__ = ["JOB_ERRORS", "SETTING", "described", "in_workers", "require_workers"]

# What a failing job raises: Spark's own errors, and Java errors without a Python class.
JOB_ERRORS = (PySparkException, Py4JError)

SETTING = "spark.windrow.workers"
_CHECK, _TRUST = "check", "trust"

# What PySpark runs by default.
_DEFAULT_PYTHON = "python3"
_START_S = 60

cloudpickle.register_pickle_by_value(worker_side)  # type: ignore[no-untyped-call]

# By session and Python: what is wrong with the workers, if anything.
_known: dict[tuple[str, str], str | None] = {}


def in_workers(df: DataFrame, work: Work, schema: Any) -> DataFrame:
    """What `work` makes of the rows, batch by batch, in Python workers that can run it."""
    require_workers(df.sparkSession)
    return df.mapInArrow(_Envelope(_sparing(work)), schema)


def require_workers(spark: SparkSession) -> None:
    """Refuse a session whose workers cannot run windrow; they are checked once."""
    context: Any = getattr(spark, "_sc", None)  # none on Spark Connect
    here = context is not None and _is_on_this_machine(context.master)
    if here:
        _use_own_python(context)
    if not _is_asked_for(spark):
        return
    session = getattr(spark, "session_id", "") if context is None else context.applicationId
    mark = (str(session), "" if context is None else str(context.pythonExec))
    if mark not in _known:
        fine = here and _problem(_asked_here(context.pythonExec)) is None
        _known[mark] = None if fine else _problem(_asked_there(spark))
    problem = _known[mark]
    if problem is not None:
        raise WorkerError(f"{problem}; {_advice()}, or set {SETTING}={_TRUST} to skip this check")


def _sparing(work: Work) -> Work:
    """The same work, after which the worker does not look for garbage among what was loaded."""

    def spared(batches: Iterator[Any]) -> Iterator[Any]:
        yield from work(batches)
        spare_what_is_loaded()

    return spared


@contextmanager
def described(spark: SparkSession, description: str) -> Iterator[None]:
    """Show in Spark's web UI what one of our jobs is for."""
    context = getattr(spark, "_sc", None)
    if context is None:
        yield
        return
    name = "spark.job.description"
    before = context.getLocalProperty(name)
    context.setLocalProperty(name, f"windrow: {description}")
    try:
        yield
    finally:
        context.setLocalProperty(name, before)


class _Envelope:
    """Work that is unpickled in a worker, and reports what is missing there."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def __call__(self, batches: Any) -> Any:
        """Run the work."""
        return self._work(batches)

    def __reduce__(self) -> Any:
        content: bytes = cloudpickle.dumps(self._work)  # type: ignore[no-untyped-call]
        return worker_side.opened, (content, _advice())


def _is_on_this_machine(master: str) -> bool:
    return master.partition("[")[0] in {"local", "local-cluster"}


def _use_own_python(context: Any) -> None:
    """Let workers on this machine run the configured Python, or else the driver's own."""
    if context.pythonExec == _DEFAULT_PYTHON and "PYSPARK_PYTHON" not in os.environ:
        # PySpark itself reads this setting only in spark-submit.
        setting = context.getConf().get("spark.pyspark.python")
        context.pythonExec = setting or sys.executable or _DEFAULT_PYTHON


def _is_asked_for(spark: SparkSession) -> bool:
    setting = str(spark.conf.get(SETTING, _CHECK)).lower()
    if setting not in {_CHECK, _TRUST}:
        raise InputError(
            f"{SETTING}={setting!r} is not a valid value; use {_CHECK!r} or {_TRUST!r}"
        )
    return setting == _CHECK


def _asked_here(python: str) -> dict[str, Any]:
    """The report of a Python on this machine; empty if it does not start."""
    try:
        done = subprocess.run(
            [python, "-"],
            input=inspect.getsource(worker_side),
            capture_output=True,
            text=True,
            timeout=_START_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return {}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _asked_there(spark: SparkSession) -> dict[str, Any]:
    """The report of a worker: one job of one row, which needs no Arrow."""
    ask = F.udf(worker_side.packages, "string", useArrow=False)
    try:
        with described(spark, "looking at the Python of the workers"):
            [row] = spark.range(1).select(ask().alias("found")).collect()
    except JOB_ERRORS as error:
        raise WorkerError(
            f"Spark's Python workers do not start: {_reason(error)}; {_advice()}"
        ) from None
    found: dict[str, Any] = json.loads(row["found"])
    return found


def _reason(error: Exception) -> str:
    """The line of an error that says what happened."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if "PYTHON_VERSION_MISMATCH" in line or "Cannot run" in line]
    return [*telling, *lines, type(error).__name__][0]


def _problem(found: dict[str, Any]) -> str | None:
    """What keeps such a worker from running windrow."""
    if not found:
        return "Spark's Python workers do not start"
    running = f"Spark's Python workers run {found['python']} (Python {found['version']})"
    if found["missing"]:
        return f"{running}, which has no {' and no '.join(found['missing'])}"
    if found["version"].split(".")[:2] != [str(part) for part in sys.version_info[:2]]:
        return f"{running}, but the driver runs {sys.version_info[0]}.{sys.version_info[1]}"
    return None


def _advice() -> str:
    return (
        "start Spark with PYSPARK_PYTHON (or spark.pyspark.python) set to a Python that has them, "
        f"on this machine {sys.executable}; on a cluster pip install 'windrow[spark]' on every "
        "node, or ship an environment with spark.archives"
    )
