"""Running a job once, over all the rows there are."""

import time
from typing import TYPE_CHECKING, Any

from windrow.cli.progress import Doing, of_stages
from windrow.cli.query import Question
from windrow.cli.report import Report
from windrow.cli.results import count_batch, flat, writing

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["run_batch"]


def run_batch(question: Question, doing: Doing) -> Report:
    """Write the answer, and tell how many rows went in and out."""
    job = question.job
    rows, rows_in = count_batch(question.rows, job.time)
    answer, rows_out = count_batch(flat(question.answer(rows), job.sink))
    begin = time.perf_counter()
    doing.now(lambda: " ".join(["running", of_stages(rows.sparkSession)]))
    _write(answer, question)
    return Report(
        job=str(job.path),
        sink=job.sink.where,
        seconds=time.perf_counter() - begin,
        rows_in=rows_in.get["rows"],
        rows_out=rows_out.get["rows"],
        late=rows_in.get["untimed"],
    )


def _write(answer: "DataFrame", question: Question) -> None:
    sink = question.job.sink
    if sink.format == "console":
        held = answer.persist()
        held.count()  # all rows are counted, however few are shown
        held.show(*_shape(sink.options))
        held.unpersist()
    elif sink.format == "memory":
        answer.sparkSession.createDataFrame(answer.toArrow()).createOrReplaceTempView(sink.name)
    else:
        mode = "overwrite" if sink.format == "noop" else sink.mode
        writer = answer.write.format(sink.format).mode(mode).options(**sink.options)
        with writing(question.job):
            writer.save(sink.path)


def _shape(options: Any) -> tuple[int, bool | int]:
    """How many rows the console shows, and whether long values are cut."""
    truncate = str(options.get("truncate", "true")).lower()
    cut: bool | int = int(truncate) if truncate.isdigit() else truncate == "true"
    return int(options.get("numRows", 20)), cut
