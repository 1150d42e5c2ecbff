"""The Spark session of a command: the one there is, or one that ends with the command."""

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO

from windrow.cli.failures import explained
from windrow.cli.job import Job, JobFileError, Problem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["lent", "opened", "started"]

_ROOM = 1 << 20


@contextmanager
def opened(job: Job, master: str | None, *, debug: bool) -> Iterator["SparkSession"]:
    """A session with the job's settings, for as long as the job needs it."""
    from windrow.cli.starting import active_session

    session = active_session()
    if session is not None:
        with _settings(session, job):
            yield session
        return
    with _passing(job.name, master, job.spark, debug=debug) as session:
        yield session


@contextmanager
def lent(name: str, master: str | None, *, debug: bool) -> Iterator["SparkSession"]:
    """A session as it is, for as long as a command needs it."""
    from windrow.cli.starting import active_session

    session = active_session()
    if session is not None:
        yield session
        return
    with _passing(name, master, {}, debug=debug) as session:
        yield session


@contextmanager
def _passing(
    name: str, master: str | None, settings: Mapping[str, str], *, debug: bool
) -> Iterator["SparkSession"]:
    """A new session that ends with the command."""
    session = started(name, master, settings, debug=debug)
    try:
        yield session
    finally:
        with suppress(Exception):  # an interrupted JVM may be gone already
            session.stop()


def started(
    name: str, master: str | None, settings: Mapping[str, str], *, debug: bool
) -> "SparkSession":
    """A new session, without the noise of its coming up."""
    from windrow.cli.starting import start_session
    from windrow.spark.configure import configure

    with _log_aside(debug=debug):
        session = start_session(name, master, settings)
    configure(session)
    return session


@contextmanager
def _settings(session: "SparkSession", job: Job) -> Iterator[None]:
    """Lend a running session the job's settings."""
    before = {key: session.conf.get(key, None) for key in job.spark}
    try:
        _set(session, job.spark, job)
        yield
    finally:
        for key, value in before.items():
            with suppress(Exception):  # the session may be gone, and the reason has been reported
                session.conf.unset(key) if value is None else session.conf.set(key, value)


def _set(session: "SparkSession", settings: Mapping[str, str], job: Job) -> None:
    from windrow.cli.starting import SPARK_ERRORS

    problems = []
    for key, value in settings.items():
        try:
            session.conf.set(key, value)
        except SPARK_ERRORS as error:
            message = f"spark: {explained(error)} (set it where the session is started)"
            problems.append(Problem(job.place_of("spark"), message))
    if problems:
        raise JobFileError(problems)


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
