"""Progress on a terminal: one line on standard error that changes; nothing in a pipe."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from windrow.cli.figures import size
from windrow.cli.tally import Tally

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["of_stages", "of_stream", "shown"]

_INTERVAL_S = 0.2


@contextmanager
def shown(title: str, say: Callable[[], str]) -> Iterator[None]:
    """While the body runs, show what `say` says, if someone is there to see it."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.text import Text

    done, begin = threading.Event(), time.monotonic()
    with Console(stderr=True).status(title, spinner="dots") as status:

        def keep_saying() -> None:
            while not done.wait(_INTERVAL_S):
                parts = (title, f"{time.monotonic() - begin:.0f} s", say())
                status.update(Text(" · ".join(filter(None, parts))))

        thread = threading.Thread(target=keep_saying, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


def of_stream(tally: Tally) -> str:
    """How far a stream has come."""
    if not tally.batches:
        return "waiting for rows"
    told = [f"{tally.rows_in:,} rows", f"{tally.rate:,.0f} rows/s"]
    if tally.watermark:
        told.append(f"watermark {tally.watermark}")
    if tally.state:
        told.append(f"state {tally.state['rows']:,} rows, {size(tally.state['bytes'])}")
    return " · ".join(told)


def of_stages(spark: "SparkSession") -> Callable[[], str]:
    """How far the stages of a batch have come, where Spark tells: not on Connect."""

    def say() -> str:
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

    return say
