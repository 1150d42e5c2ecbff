"""Spark sessions of commands: the one there is, or a new one."""

import os
import sys
from collections.abc import Mapping

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

__all__ = ["SPARK_ERRORS", "active_session", "start_session"]

# Its own errors, and those of Java that have no form in Python.
SPARK_ERRORS = (PySparkException, Py4JError)

# Known before Spark starts; whoever wants the web page asks for it.
_AT_START: Mapping[str, str] = {
    "spark.log.level": "ERROR",
    "spark.python.unix.domain.socket.enabled": "true",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def active_session() -> SparkSession | None:
    """The session of this thread or process, if there is one."""
    return SparkSession.getActiveSession()


def start_session(name: str, master: str | None, settings: Mapping[str, str]) -> SparkSession:
    """Start a session; without a master Spark decides: by its own settings, or local[*]."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName(name)
    remote = master is not None and master.startswith("sc://")
    if master is not None:
        builder = builder.remote(master) if remote else builder.master(master)
    if not remote and "SPARK_REMOTE" not in os.environ:
        settings = {**_AT_START, **settings}
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()
