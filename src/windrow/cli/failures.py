"""What went wrong in Spark, in a sentence or two: no plans, no stack traces."""

import errno
import re
from importlib.metadata import version

from windrow.errors import WindrowError

__all__ = ["condition_of", "explained", "missing_format"]

# The end of a traceback of Python, as a worker sends it: a message may have several lines.
_PYTHON_ERROR = re.compile(
    r"^\s*(?:[\w.]+\.)?(\w+(?:Error|Exception)): (.+(?:\n(?!\s*at |\s*$|\s*File ).+)*)",
    re.MULTILINE,
)
_JAVA_ERROR = re.compile(r"(?:[\w$]+\.)+(\w+(?:Exception|Error)): (.+)")
_NOISE = re.compile(r"^\[[\w.]+\]\s*|\s*SQLSTATE: \w+.*$|\s*;\s*line \d+ pos \d+.*$", re.DOTALL)
_ELSEWHERE = "check the path, or give another one"
_WAYS_OUT = {
    errno.ENOSPC: "make room on the disk, or write elsewhere",
    errno.EDQUOT: "make room on the disk, or write elsewhere",
    errno.EACCES: "check its permissions, or give another path",
    errno.EROFS: "give a path that can be written to",
}
_FULL = "No space left on device"
_FAILED_STREAM = "terminated with exception: "


def condition_of(error: BaseException) -> str:
    """Spark's own name of an error, such as PATH_NOT_FOUND; empty if it has none."""
    get = getattr(error, "getCondition", None)
    return (get() or "") if callable(get) else ""


def explained(error: BaseException) -> str:
    """The heart of an error's message."""
    text = str(error).strip()
    if isinstance(error, WindrowError | FileNotFoundError | FileExistsError):
        return text
    if isinstance(error, ModuleNotFoundError):
        return f"{error.name} is not installed; pip install 'windrow[cli]'"
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}; {_WAYS_OUT.get(error.errno or 0, _ELSEWHERE)}"
    if not _of_spark(error):
        return f"{type(error).__name__}: {text} (--debug shows where)"
    text = text.rpartition(_FAILED_STREAM)[2]
    if "Traceback (most recent call last)" in text and (found := _PYTHON_ERROR.findall(text)):
        name, message = found[-1]
        return f"{name}: {message.strip()}"
    if _FULL in text:
        return (
            f"{_FULL}; {_WAYS_OUT[errno.ENOSPC]}: the sink, the checkpoint or Spark's local folders"
        )
    if type(error).__name__ == "Py4JJavaError" and (found := _JAVA_ERROR.findall(text)):
        return _plain(found[-1][1])
    return _plain(text)


def _of_spark(error: BaseException) -> bool:
    return type(error).__module__.partition(".")[0] in {"pyspark", "py4j"}


def _plain(text: str) -> str:
    """The first paragraph without codes and plans."""
    text = _NOISE.sub("", _NOISE.sub("", text.partition("\n\n")[0]))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " ".join(lines[:3]) or "Spark failed without a message (--debug shows its log)"


# As Spark says it when it reads, and when it writes.
_SIGNS = ("DATA_SOURCE_NOT_FOUND", "Failed to find data source", ".DefaultSource")


def missing_format(error: BaseException, format_: str) -> str | None:
    """What to say if Spark has no such format; None if that is not what went wrong."""
    text = str(error)
    if not any(sign in text for sign in _SIGNS):
        return None
    package = _package(format_)
    if package is None:
        return f"Spark knows no format {format_!r} (check the name, or add its package)"
    return (
        f"Spark needs a package for {format_} "
        f"(add --set spark.jars.packages={package}, and its settings if it has some)"
    )


def _package(format_: str) -> str | None:
    spark = version("pyspark")
    return {
        "avro": f"org.apache.spark:spark-avro_2.13:{spark}",
        "delta": "io.delta:delta-spark_2.13:4.0.0",
        "iceberg": "org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:1.10.0",
        "kafka": f"org.apache.spark:spark-sql-kafka-0-10_2.13:{spark}",
    }.get(format_.casefold())
