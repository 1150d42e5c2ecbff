"""What went wrong in Spark, in a sentence or two: no plans, no stack traces."""

import errno
import re

from windrow.errors import WindrowError

__all__ = ["condition_of", "explained"]

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
