"""Progress on standard error: a line that changes on a terminal, lines now and then in a pipe."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, count
from typing import TYPE_CHECKING, Any

from windrow.cli.figures import size
from windrow.cli.tally import Tally

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Doing", "of_stages", "of_stream", "shown"]

_INTERVAL_S = 0.2
_FIRST_LINES_S, _LATER_LINES_S = (1, 5, 15), 30


class Doing:
    """What a command is busy with: set where it works, read where progress is shown."""

    def __init__(self, first: str) -> None:
        self.now(first)

    def now(self, what: str | Callable[[], str]) -> None:
        """Set what it is busy with."""
        self._say = what if callable(what) else lambda: what

    def __call__(self) -> str:
        """What to show at this moment."""
        return self._say()


@contextmanager
def shown(title: str, first: str, *, lines_in_pipes: bool = False) -> Iterator[Doing]:
    """While the body runs, show what it is busy with: on a terminal, in a pipe if asked for."""
    doing = Doing(first)
    if sys.stderr.isatty():
        moments: Iterator[float] = count(0, _INTERVAL_S)
        with _line_that_changes(title) as show, _meanwhile(title, doing, show, moments):
            yield doing
    elif lines_in_pipes:
        moments = chain(_FIRST_LINES_S, count(_LATER_LINES_S, _LATER_LINES_S))
        with _meanwhile(title, doing, _write_line, moments):
            yield doing
    else:
        yield doing


def _write_line(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # wherever that goes by now


@contextmanager
def _line_that_changes(first: str) -> Iterator[Callable[[str], Any]]:
    from rich.console import Console
    from rich.live import Live
    from rich.spinner import Spinner
    from rich.text import Text

    # What is printed meanwhile goes above the line, if it goes to the same terminal.
    spinner = Spinner("dots", Text(first))
    with Live(
        spinner,
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),
        redirect_stderr=False,
    ):
        yield lambda text: spinner.update(text=Text(text))


@contextmanager
def _meanwhile(
    title: str, doing: Doing, show: Callable[[str], Any], moments: Iterator[float]
) -> Iterator[None]:
    """Show what is being done at these moments, in seconds from now, until the body ends."""
    done, begin = threading.Event(), time.monotonic()

    def keep_showing() -> None:
        for moment in moments:
            if done.wait(max(begin + moment - time.monotonic(), 0)):
                return
            parts = (title, f"{time.monotonic() - begin:.0f} s", doing())
            show(" · ".join(filter(None, parts)))

    thread = threading.Thread(target=keep_showing, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def of_stream(tally: Tally, status: dict[str, Any] | None, stages: str = "") -> str:
    """The progress of a stream, from its micro-batches and what Spark is doing."""
    parts = []
    if tally.batches:
        parts = [f"{tally.rows_in:,} rows", f"{tally.rate:,.0f} rows/s"]
        if tally.watermark:
            parts.append(f"watermark {tally.watermark}")
        if tally.state:
            parts.append(f"state {tally.state['rows']:,} rows, {size(tally.state['bytes'])}")
    return " · ".join([*_busy_with(tally, status, stages), *parts])


def _busy_with(tally: Tally, status: dict[str, Any] | None, stages: str) -> list[str]:
    if status is None:
        return ["starting the query"]
    if status.get("isTriggerActive") and status.get("isDataAvailable"):
        return [f"running batch {tally.batches + 1}", *filter(None, [stages])]
    if status.get("isTriggerActive"):
        return ["looking for new rows"]
    return [] if tally.batches else ["waiting for the first rows"]


def of_stages(spark: "SparkSession") -> str:
    """The progress of a batch's stages, if Spark reports it: not on Connect."""
    try:
        tracker = spark.sparkContext.statusTracker()
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    except Exception:  # Connect has no context, a stopping one no stages: the work goes on
        return ""
    running = [stage for stage in stages if stage is not None]
    done = sum(stage.numCompletedTasks for stage in running)
    tasks = sum(stage.numTasks for stage in running)
    named = ", ".join(str(stage.stageId) for stage in running)
    return f"stage {named}: {done} of {tasks} tasks" if running else ""
