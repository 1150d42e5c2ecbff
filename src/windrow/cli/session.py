"""The Spark session of a command: the one there is, or one that ends with the command."""

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, BinaryIO

from windrow.cli.failures import explained
from windrow.jobs import Job, JobFileError, Problem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["opened", "started"]

_ROOM = 1 << 20

# Known before Spark starts; whoever wants the web page asks for it.
_AT_START: Mapping[str, str] = {
    "spark.log.level": "ERROR",
    "spark.python.unix.domain.socket.enabled": "true",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


@contextmanager
def opened(
    name: str, master: str | None, *, debug: bool, job: Job | None = None
) -> Iterator["SparkSession"]:
    """The session there is, with the settings of a job; or a new one that ends with the command."""
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is not None:
        with nullcontext() if job is None else _settings(session, job):
            yield session
        return
    session = started(name, master, {} if job is None else job.spark, debug=debug)
    try:
        yield session
    finally:
        with suppress(Exception):  # an interrupted JVM may be gone already
            session.stop()


def started(
    name: str, master: str | None, settings: Mapping[str, str], *, debug: bool
) -> "SparkSession":
    """A new session, without the noise of its coming up.

    Without a master Spark decides where it runs: by its own settings, or on local[*].
    """
    from pyspark.sql import SparkSession

    from windrow.spark.configure import configure

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    remote = master is not None and master.startswith("sc://")
    if not remote and "SPARK_REMOTE" not in os.environ:
        settings = {**_AT_START, **settings}
    with _log_aside(debug=debug):
        builder = SparkSession.builder.appName(name)
        if master is not None:
            builder = builder.remote(master) if remote else builder.master(master)
        for key, value in settings.items():
            builder = builder.config(key, value)
        session = builder.getOrCreate()
    configure(session)
    return session


@contextmanager
def _settings(session: "SparkSession", job: Job) -> Iterator[None]:
    """Lend a running session the job's settings."""
    from windrow.cli.query import SPARK_ERRORS

    before = {key: session.conf.get(key, None) for key in job.spark}
    problems = []
    try:
        for key, value in job.spark.items():
            try:
                session.conf.set(key, value)
            except SPARK_ERRORS as error:
                message = f"spark: {explained(error)} (set it where the session is started)"
                problems.append(Problem(job.place_of("spark"), message))
        if problems:
            raise JobFileError(problems)
        yield
    finally:
        for key, old in before.items():
            with suppress(Exception):  # the session may be gone, and the reason has been reported
                session.conf.unset(key) if old is None else session.conf.set(key, old)


@contextmanager
def _log_aside(*, debug: bool) -> Iterator[None]:
    """Let a JVM that starts now write its log to a file, read only if it does not come up."""
    if debug:
        yield
        return
    with tempfile.TemporaryFile() as log:
        _require_room(log)
        sys.stderr.flush()
        kept = os.dup(2)
        os.dup2(log.fileno(), 2)
        try:
            with _progress_to(kept):
                yield
        except Exception as error:  # a missing Java, a wrong master: each is of another kind
            raise RuntimeError(f"Spark does not start: {explained(error)}\n{_end(log)}") from error
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def _require_room(log: BinaryIO) -> None:
    """Spark waits forever for a JVM that has no room for its temporary files."""
    try:
        log.write(bytes(_ROOM))
        log.flush()
    except OSError as error:
        raise OSError(error.errno, error.strerror, tempfile.gettempdir()) from None
    log.seek(0)
    log.truncate()


@contextmanager
def _progress_to(stream: int) -> Iterator[None]:
    """Let what Python writes go on to where standard error was, the JVM's log apart."""
    before = sys.stderr
    with open(stream, "w", buffering=1, errors="backslashreplace", closefd=False) as kept:
        if before is sys.__stderr__:  # else it is someone else's, as in tests
            sys.stderr = kept
        try:
            yield
        finally:
            sys.stderr = before


def _end(log: BinaryIO) -> str:
    log.seek(0)
    return b"".join(log.readlines()[-10:]).decode(errors="replace").strip()
