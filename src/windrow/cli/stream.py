"""Running a job as a stream: until its rows are used up, or until someone stops it."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from windrow.cli.progress import Doing, of_stages, of_stream
from windrow.cli.query import Question
from windrow.cli.report import Report
from windrow.cli.results import count_stream, flat, writing
from windrow.cli.tally import ROWS_IN, ROWS_OUT, Tally
from windrow.jobs import AVAILABLE_NOW, Job

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["run_stream"]

_INTERVAL_S = 0.2  # fractions work, though Spark's annotation says whole seconds


def run_stream(question: Question, doing: Doing) -> Report:
    """Run the query to its end, adding up what its micro-batches report."""
    job, tally = question.job, Tally()
    rows = count_stream(question.rows, ROWS_IN)
    answer = count_stream(flat(question.answer(rows), job.sink), ROWS_OUT)
    begin = time.perf_counter()
    with _stopped_by_signals() as stopped:
        doing.now("starting the query")
        with writing(job):
            query = _start(answer, job)
            _follow(query, tally, stopped, doing, answer.sparkSession)
    return Report(
        job=str(job.path),
        sink=job.sink.where,
        seconds=time.perf_counter() - begin,
        rows_in=tally.rows_in,
        rows_out=tally.rows_out,
        late=tally.late,
        batches=tally.batches,
        watermark=tally.watermark,
        state=tally.state,
    )


def _start(answer: "DataFrame", job: Job) -> "StreamingQuery":
    sink = job.sink
    on_change = job.choices.get("emit") == "on_change"
    writer = answer.writeStream.format(sink.format).outputMode("update" if on_change else "append")
    writer = writer.options(**sink.options)
    writer = writer.queryName(sink.name if sink.format == "memory" else job.name)
    if job.checkpoint is not None:
        writer = writer.option("checkpointLocation", job.checkpoint)
    if sink.trigger == AVAILABLE_NOW:
        writer = writer.trigger(availableNow=True)
    elif sink.trigger is not None:
        writer = writer.trigger(processingTime=sink.trigger)
    return writer.start(sink.path) if sink.path else writer.start()


def _follow(
    query: "StreamingQuery",
    tally: Tally,
    stopped: threading.Event,
    doing: Doing,
    spark: "SparkSession",
) -> None:
    """Wait for the end of a query, its failure (which is raised), or a signal."""
    ended = False
    try:
        while not ended and not stopped.is_set():
            doing.now(of_stream(tally, query.status, of_stages(spark)))
            ended = bool(query.awaitTermination(_INTERVAL_S))  # type: ignore[arg-type]
            tally.add(query.recentProgress)
    finally:
        if not ended:
            query.stop()
            tally.add(query.recentProgress)


@contextmanager
def _stopped_by_signals() -> Iterator[threading.Event]:
    """Ctrl-C and a polite kill ask the query to stop, instead of tearing down its jobs."""
    stopped = threading.Event()
    if threading.current_thread() is not threading.main_thread():  # signals are the main thread's
        yield stopped
        return

    before = {
        number: signal.signal(number, lambda *_: stopped.set())
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
